import { type BroadcastChannel, threadId } from 'node:worker_threads';
import { clockStep, probeCostOf, unseenTimes } from '../core/profile-map.js';
import type { Session, SkippedModule } from '../core/session.js';
import { type ExposedThread, type News, newsChannel } from './exposed.js';

/** Keeps the main thread informed of what it needs to read this worker's profile for it. */
export class Exposure {
  readonly #session: Session;
  readonly #modules: ExposedThread['modules'] = [];
  readonly #skipped: SkippedModule[] = [];
  #channel: BroadcastChannel | undefined;

  constructor(session: Session) {
    this.#session = session;
    session.onRegistered = (module, base, name) => {
      this.#modules.push({ module, base, name });
      this.#tell({ threadId, module: { module, base, name } });
    };
    session.onSkipped = (skipped) => {
      this.#skipped.push(skipped);
      this.#tell({ threadId, skipped });
    };
  }

  /** To be called when the first instance is about to be made. */
  start(): void {
    const { runtime, sampler, meter } = this.#session;
    if (!runtime) return;
    this.#channel = newsChannel();
    const thread: ExposedThread = {
      memory: runtime.memory.buffer as unknown as SharedArrayBuffer,
      ...(sampler && { control: sampler.control }),
      map: {
        ...clockStep(this.#session),
        ...(meter && probeCostOf(meter)),
        unseen: unseenTimes(this.#session, ''),
      },
      modules: this.#modules,
      skipped: this.#skipped,
    };
    this.#tell({ threadId, thread });
  }

  /** The thread has left its part itself. */
  end(): void {
    this.#tell({ threadId, done: true });
  }

  #tell(news: News): void {
    try {
      this.#channel?.postMessage(news);
    } catch {
      this.#channel = undefined; // So it has to answer itself; the program goes on.
    }
  }
}
