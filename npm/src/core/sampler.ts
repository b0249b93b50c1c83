import { EngineError, messageOf } from '../errors.js';
import { ARENA_BASE, NODE_COST, STATE_CURRENT, STATE_RUNNING } from './abi.js';
import type { Clock } from './options.js';
import { threadHost } from './threads.js';

/** How well times are known, as `Sampling` in `crates/abi/src/map.rs`. */
export interface Sampling {
  readonly samples: number;
  readonly ns: number;
  readonly squares_us2: number;
}

/** What a sampler's thread gets to know; places are in units of the array that they index. */
interface SamplerData {
  /** The runtime's memory. */
  readonly memory: SharedArrayBuffer;
  /** Words for both sides, see {@link STATE}. */
  readonly control: SharedArrayBuffer;
  /** Where the running node is said, as a u32. */
  readonly running: number;
  /** Where the cost of node 0 would be, in bytes. */
  readonly costs: number;
  /** The node that stands for the host. */
  readonly root: number;
  /** Mean time between two samples, in ms. */
  readonly periodMs: number;
  /** Number of the thread: it samples as long as {@link TURN} has it. */
  readonly turn: number;
}

/** Mean time between two samples, in ms. */
const PERIOD_MS = 0.25;
/** How long to wait for a thread to start, in ms. */
const START_MS = 10_000;
const POLL_MS = 5;
/** How long to wait for a thread's last sample, in ms. */
const STOP_MS = 100;

/** Words of the control block, as i32. */
const STATE = 0;
/** The number of the thread that samples, so that one that was stopped and has not noticed yet ends all the same; 0: none. */
const TURN = 1;
const CONTROL_BYTES = 64;
/** Sums of the control block, as u64: samples, ns, µs². */
const SUMS = 2;
/** Values of {@link STATE}. */
const [STARTING, SAMPLING, STOPPED] = [0, 1, 2];

/** Why there is no clock `sampled` here; undefined: there is. */
export function samplingRefusal(): string | undefined {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  if (crossOriginIsolated === false || typeof SharedArrayBuffer !== 'function') {
    return 'The clock sampled needs memory that threads share, which a page has only if it is cross-origin isolated. Serve it with the headers "Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp", or choose another clock, such as instructions.';
  }
  if (!threadHost()) return 'The clock sampled needs a second thread, and this host has none.';
  return undefined;
}

/** @throws EngineError if the clock is one that there is not here */
export function checkClock(clock: Clock): void {
  const refusal = clock === 'sampled' ? samplingRefusal() : undefined;
  if (refusal !== undefined) throw new EngineError(refusal);
}

/** Stops the samplers of sessions that nobody has any more. */
const abandoned = new FinalizationRegistry<Int32Array>(stop);

/**
 * A thread that looks from time to time at which node runs in a runtime's memory, and adds
 * the time since it last looked to that node's self cost. It alone adds costs there.
 */
export class Sampler {
  readonly #data: Omit<SamplerData, 'turn'>;
  #turns = 0;
  readonly #words: Int32Array;
  #threadId: number | undefined;
  #before: readonly number[] = [0, 0, 0];
  /** Not this object, lest its thread keeps it from being collected. */
  readonly #failed: { reason?: string } = {};

  /** @param memory a runtime's, initialized; shared */
  constructor(memory: WebAssembly.Memory) {
    const control = new SharedArrayBuffer(CONTROL_BYTES);
    this.#words = new Int32Array(control);
    const shared = memory.buffer as unknown as SharedArrayBuffer;
    this.#data = {
      memory: shared,
      control,
      running: (ARENA_BASE + STATE_RUNNING) / 4,
      costs: ARENA_BASE + NODE_COST,
      root: new Uint32Array(shared, ARENA_BASE + STATE_CURRENT, 1)[0] as number,
      periodMs: PERIOD_MS,
    };
    // As if it had been stopped.
    this.#words[STATE] = STOPPED;
    abandoned.register(this, this.#words);
  }

  /** What another thread needs for {@link samplingOf}. */
  get control(): SharedArrayBuffer {
    return this.#data.control;
  }

  /** The thread's id, where threads have one and it was started. */
  get threadId(): number | undefined {
    return this.#threadId;
  }

  /**
   * Starts it, or goes on after {@link stop}; waits until it samples, where that can be
   * waited for without returning to the event loop. If no thread can be started, calls are
   * counted all the same, see {@link failure}.
   */
  start(): void {
    if (Atomics.load(this.#words, TURN) === 0) {
      this.#turns += 1;
      Atomics.store(this.#words, STATE, STARTING);
      Atomics.store(this.#words, TURN, this.#turns);
      this.#startThread();
    }
    if (threadHost()?.startsAtOnce) Atomics.wait(this.#words, STATE, STARTING, START_MS);
  }

  /**
   * Where {@link start} cannot wait: starts it; resolves when it samples, has failed to start,
   * or takes too long.
   */
  async ready(): Promise<void> {
    if (threadHost()?.startsAtOnce) return;
    this.start();
    for (let waited = 0; waited < START_MS && this.#isStarting(); waited += POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Why there are no samples; undefined: there are. */
  get failure(): string | undefined {
    if (this.#failed.reason !== undefined) return this.#failed.reason;
    return this.#words[STATE] === STARTING ? 'it did not start in time' : undefined;
  }

  /** What it has seen since {@link reset}. */
  get sampling(): Sampling {
    return samplingOf(this.#data.control, this.#before);
  }

  /** Forgets what it has seen. */
  reset(): void {
    this.#before = sumsOf(this.#data.control);
  }

  /** Ends the thread, after its last sample where that can be waited for. */
  stop(): void {
    stop(this.#words);
    if (threadHost()?.startsAtOnce) Atomics.wait(this.#words, STATE, SAMPLING, STOP_MS);
  }

  #startThread(): void {
    const failed = this.#failed;
    try {
      const host = threadHost();
      if (!host) throw new Error('this host has no threads');
      this.#threadId = host.start(
        String(sample),
        { ...this.#data, turn: this.#turns },
        (reason) => {
          failed.reason ??= reason;
        },
      );
    } catch (error) {
      failed.reason ??= `no thread could be started: ${messageOf(error).replace(/\.$/, '')}`;
      Atomics.store(this.#words, STATE, STOPPED);
    }
  }

  #isStarting(): boolean {
    return this.#failed.reason === undefined && Atomics.load(this.#words, STATE) === STARTING;
  }
}

/** What a sampler has seen, by its control block. */
export function samplingOf(control: SharedArrayBuffer, before: readonly number[] = []): Sampling {
  const now = sumsOf(control);
  const [samples = 0, ns = 0, squares_us2 = 0] = now.map((n, i) => n - (before[i] ?? 0));
  return { samples, ns, squares_us2 };
}

function sumsOf(control: SharedArrayBuffer): number[] {
  return Array.from(new BigUint64Array(control, 8 * SUMS, 3), Number);
}

function stop(words: Int32Array): void {
  Atomics.store(words, TURN, 0);
  Atomics.notify(words, TURN);
}

/**
 * The thread. Its text is all that gets there, so it refers to nothing outside of itself.
 * The time between samples varies from half to one and a half of the mean, lest a program
 * with a rhythm of its own is always seen at the same point of it.
 */
function sample({ memory, control, running, costs, root, periodMs, turn }: SamplerData): void {
  const words = new Int32Array(control);
  const sums = new BigUint64Array(control, 16, 3);
  const nodes = new Uint32Array(memory);
  const cells = new BigUint64Array(memory);
  let last = performance.now();
  if (Atomics.load(words, 1) === turn) {
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
  }
  while (Atomics.wait(words, 1, turn, periodMs * (0.5 + Math.random())) === 'timed-out') {
    const node = Atomics.load(nodes, running);
    const now = performance.now();
    const us = (now - last) * 1000;
    last = now;
    const ns = BigInt(Math.round(us * 1000));
    const cell = (costs + node) / 8;
    cells[cell] = (cells[cell] as bigint) + ns;
    if (node === root) continue;
    sums[0] = (sums[0] as bigint) + 1n;
    sums[1] = (sums[1] as bigint) + ns;
    sums[2] = (sums[2] as bigint) + BigInt(Math.round(us * us));
  }
  // Another thread may have begun.
  if (Atomics.load(words, 1) !== 0) return;
  Atomics.store(words, 0, 2);
  Atomics.notify(words, 0);
}
