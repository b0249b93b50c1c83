import { BroadcastChannel, MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { ProfileMap } from '../core/profile-map.js';
import type { SkippedModule } from '../core/session.js';

/** What a worker says of itself when it makes its first instance. */
export interface ExposedThread {
  /** Its runtime's, shared. */
  readonly memory: SharedArrayBuffer;
  /** Clock `sampled`: the control block of its sampler. */
  readonly control?: SharedArrayBuffer;
  /** What is known of its profile from the beginning. */
  readonly map: Pick<ProfileMap, 'clock_step_ns' | 'probe_cost' | 'unseen'>;
  /** Instrumented modules, with the ids of their functions 0. */
  readonly modules: { readonly module: WebAssembly.Module; base: number; name: string }[];
  readonly skipped: SkippedModule[];
}

/** What a worker tells the main thread of its process. */
export type News = { readonly threadId: number } & (
  | { readonly thread: ExposedThread }
  | { readonly module: ExposedThread['modules'][number] }
  | { readonly skipped: SkippedModule }
  | { readonly done: true }
);

export function newsChannel(): BroadcastChannel {
  const channel = new BroadcastChannel(`wasm-xray ${process.pid} news`);
  channel.unref();
  return channel;
}

/**
 * The workers of this process that have instances of instrumented modules and left no
 * part of the profile yet. For the main thread, which can read their memories when they
 * cannot answer any more: they wait for something that nobody will do, do not return to
 * their event loop, or were terminated.
 */
export class ExposedThreads {
  readonly #channel = newsChannel();
  readonly #threads = new Map<number, ExposedThread>();
  readonly #read: (threadId: number, thread: ExposedThread) => void;

  /** @param read called with each thread that will not leave its part itself */
  constructor(read: (threadId: number, thread: ExposedThread) => void) {
    this.#read = read;
    listen(this.#channel, (news) => this.#take(news as News));
  }

  has(threadId: number): boolean {
    this.#hear();
    return this.#threads.has(threadId);
  }

  /** Reads those that have ended, as far as that is known, so that their memories need not be kept. */
  readEnded(hasEnded: (threadId: number) => boolean): void {
    this.#hear();
    for (const [threadId, thread] of this.#threads) {
      if (!hasEnded(threadId)) continue;
      this.#threads.delete(threadId);
      this.#read(threadId, thread);
    }
  }

  /** Reads all that are left. */
  readAll(): void {
    this.readEnded(() => true);
  }

  #hear(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#channel as never);
      if (!received) return;
      this.#take(received.message as News);
    }
  }

  #take(news: News): void {
    const thread = this.#threads.get(news.threadId);
    if ('thread' in news) this.#threads.set(news.threadId, news.thread);
    else if ('module' in news) thread?.modules.push(news.module);
    else if ('skipped' in news) thread?.skipped.push(news.skipped);
    else this.#threads.delete(news.threadId);
  }
}

/**
 * Calls `take` with what comes. Node 22 makes an event for the channel's own listener by loading
 * its client for HTTP, with a module of its own; so the port below it is listened to, where it is found.
 */
export function listen(channel: BroadcastChannel, take: (data: unknown) => void): void {
  const handle = Object.getOwnPropertySymbols(channel).find((key) => key.description === 'kHandle');
  const port: unknown = handle && Reflect.get(channel, handle);
  if (port instanceof MessagePort) {
    port.removeAllListeners('message');
    port.on('message', take);
    port.unref();
  } else {
    channel.onmessage = (event) => take(Reflect.get(event as object, 'data'));
  }
}
