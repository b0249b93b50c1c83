import { countCalls } from '../../core/count.js';
import { Phases } from '../../core/phases.js';
import type { ProfileMap } from '../../core/profile-map.js';
import type { Session } from '../../core/session.js';
import type { Channel, Message, WorkerPart } from './channel.js';

/** What one thread has recorded. */
export interface Part {
  readonly name: string;
  readonly blocks: Uint8Array;
  /** `ProfileMap` as JSON. */
  readonly map: string;
}

/** How far a recording is, for display. */
export interface Live {
  readonly calls: number;
  readonly paths: number;
  readonly droppedCalls: number;
  readonly modules: readonly string[];
  readonly skipped: number;
  readonly threads: number;
  /** The page is going away: take the parts now. */
  readonly leaving: boolean;
}

/** A worker as its page knows it. */
interface KnownWorker {
  readonly name: string;
  part: WorkerPart | undefined;
  /** It did not answer the last question. */
  isSilent: boolean;
  isTerminated: boolean;
}

/** How long a page that says so is taken to be going away, in ms: it may stay after all. */
const LEAVING_MS = 1000;

/** Length of the pieces in which {@link Recorder.take} hands out its text, in characters. */
const CHUNK = 1 << 21;

/** Gathers what the threads of a page record: its own, those of its frames and workers. */
export class Recorder {
  /** Tells it from other recordings: the name of its channel. */
  readonly id: string;
  readonly name: string;
  readonly session: Session;
  readonly phases: Phases;
  readonly #channel: Channel;
  readonly #workers = new Map<string, KnownWorker>();
  readonly #frames: Recorder[] = [];
  readonly #unseen = new Set<string>();
  readonly #onStop: (() => void)[] = [];
  /** By `performance.now`. */
  #leavingUntil = 0;
  #text = '';

  constructor(id: string, name: string, session: Session, channel: Channel) {
    this.id = id;
    this.name = name;
    this.session = session;
    this.phases = new Phases(session);
    this.#channel = channel;
  }

  /** How far it is; asks workers how far they are, for the next time. */
  live(): Live {
    this.ask();
    const own = this.threads().map((thread) => ({
      ...countCalls(thread.session.blocks(1)),
      dropped: thread.session.runtime?.dropped().calls ?? 0,
      modules: thread.session.modules.map(({ map }) => map.name),
      skipped: thread.session.skipped.length,
    }));
    const workers = this.#parts().map(({ blocks, map }) => {
      const { modules, dropped, skipped } = JSON.parse(map) as ProfileMap;
      return {
        ...countCalls(splitFile(blocks)),
        dropped: dropped.calls,
        modules: modules.map(({ map }) => map.name),
        skipped: skipped.length,
      };
    });
    const all = [...own, ...workers];
    const sum = (of: (one: (typeof all)[number]) => number) =>
      all.reduce((total, one) => total + of(one), 0);
    return {
      calls: sum(({ calls }) => calls),
      paths: sum(({ paths }) => paths),
      droppedCalls: sum(({ dropped }) => dropped),
      modules: [...new Set(all.flatMap(({ modules }) => modules))],
      skipped: sum(({ skipped }) => skipped),
      threads: all.filter(({ paths }) => paths > 0).length,
      leaving: performance.now() < this.#leavingUntil,
    };
  }

  /** Asks the workers for their parts; they answer when their event loop turns. */
  ask(): void {
    for (const worker of this.#workers.values()) if (!worker.part?.ended) worker.isSilent = true;
    this.#channel.send({ type: 'ask' });
  }

  /** Whether a worker has not answered yet. */
  get isWaiting(): boolean {
    return [...this.#workers.values()].some((worker) => worker.isSilent && !worker.isTerminated);
  }

  /** Every thread's part as far as it is known here; the first one says what is missing. */
  parts(): Part[] {
    const workers = this.#parts();
    const all = this.threads();
    const worthIt = all.filter(({ session }) => isWorthIt(session));
    const threads = worthIt.length + workers.length > 0 ? worthIt : all.slice(0, 1);
    const parts = [
      ...threads.map(({ name, phases }) => ({ name, ...phases.snapshot(name) })),
      ...workers.map(({ name, blocks, map }) => {
        return { name, blocks, map: JSON.parse(map) as ProfileMap };
      }),
    ];
    parts[0]?.map.unseen.push(...this.#missing());
    return parts.map((part) => ({ ...part, map: JSON.stringify(part.map) }));
  }

  /**
   * The parts as a text that {@link chunk} hands out.
   * @returns its length in characters
   */
  take(): number {
    const parts = this.parts().map(({ name, blocks, map }) => ({
      name,
      blocks: toBase64(blocks),
      map,
    }));
    this.#text = JSON.stringify(parts);
    return this.#text.length;
  }

  chunk(index: number): string {
    return this.#text.slice(index * CHUNK, (index + 1) * CHUNK);
  }

  /**
   * Begins a phase: what is called from now on is in the profile's threads of that
   * phase, until the next mark. A worker hears of it a little later, when its event loop turns.
   */
  mark(phase: string): void {
    for (const thread of this.threads()) thread.phases.mark(phase);
    this.#channel.send({ type: 'mark', phase });
  }

  /** Ends the recording; what is instrumented keeps counting, but nobody asks for it. */
  stop(): void {
    this.#text = '';
    this.#channel.send({ type: 'stop' });
    for (const action of this.#onStop.splice(0)) action();
    for (const frame of this.#frames) frame.stop();
  }

  onStop(action: () => void): void {
    this.#onStop.push(action);
  }

  setLeaving(leaving: boolean): void {
    this.#leavingUntil = leaving ? performance.now() + LEAVING_MS : 0;
  }

  addFrame(frame: Recorder): void {
    this.#frames.push(frame);
  }

  /** Notes what the profile does not show, in a sentence. */
  noteUnseen(sentence: string): void {
    this.#unseen.add(sentence);
  }

  get unseen(): Iterable<string> {
    return this.#unseen;
  }

  receive(message: Message): void {
    if (message.type !== 'seen' && message.type !== 'part') return;
    let worker = this.#workers.get(message.id);
    if (!worker) {
      worker = { name: message.name, part: undefined, isSilent: false, isTerminated: false };
      this.#workers.set(message.id, worker);
    }
    if (message.type === 'seen') return;
    worker.part = message;
    worker.isSilent = false;
  }

  noteTerminated(id: string): void {
    const worker = this.#workers.get(id);
    if (worker && !worker.part?.ended) worker.isTerminated = true;
  }

  /** Public, as those of frames are of another realm's class. */
  threads(): Recorder[] {
    return [this, ...this.#frames.flatMap((frame) => frame.threads())];
  }

  #parts(): WorkerPart[] {
    return [...this.#workers.values()].flatMap(({ part }) => part ?? []);
  }

  #missing(): string[] {
    const sentences = this.threads().flatMap((thread) => [...thread.unseen]);
    for (const { name, part, isSilent, isTerminated } of this.#workers.values()) {
      if (!isTerminated && !isSilent) continue;
      const why = isTerminated ? `${name} was terminated` : `${name} was busy`;
      const what = part ? 'the profile has what it last handed over' : 'and left no profile';
      sentences.push(`${why}${part ? ';' : ','} ${what}.`);
    }
    return sentences;
  }
}

function isWorthIt(session: Session): boolean {
  return session.hasInstances || session.skipped.length > 0;
}

/** A profile file in the pieces in which a runtime made it. */
function* splitFile(file: Uint8Array): Generator<Uint8Array> {
  yield file.subarray(0, 32);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 32; at + 16 <= file.length; ) {
    const size = Math.max(16, view.getUint32(at, true));
    yield file.subarray(at, at + size);
    at += size;
  }
}

function toBase64(bytes: Uint8Array): string {
  const native: unknown = Reflect.get(bytes, 'toBase64');
  if (typeof native === 'function') return Reflect.apply(native, bytes, []) as string;
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}
