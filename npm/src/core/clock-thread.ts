import { EngineError, messageOf } from '../errors.js';
import { natives } from './natives.js';
import { threadHost } from './threads.js';

/** What a thread needs to read a clock that another one started. */
export interface SharedClock {
  readonly memory: WebAssembly.Memory;
  /** The id of the thread that keeps it, where threads have one. */
  readonly threadId: number | undefined;
}

/** What the thread gets to know. */
interface TickerData {
  readonly memory: SharedArrayBuffer;
  readonly reads: number;
  readonly lateMs: number;
}

/**
 * Reads the clock, as a wasm function that the runtime can call without leaving wasm:
 *
 *     (module (import "e" "m" (memory 1 1 shared))
 *       (func (export "now") (result f64) (f64.load (i32.const 0))))
 */
const READER = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7c, 2, 9, 1, 1, 0x65, 1, 0x6d, 2, 3],
  ...[1, 1, 3, 2, 1, 0, 7, 7, 1, 3, 0x6e, 0x6f, 0x77, 0, 0, 0x0a, 9, 1, 7, 0, 0x41, 0, 0x2b, 3, 0],
  0x0b,
);

/** Cells of the memory, as f64, behind the time: how often it was set, since when, and so on. */
const [TICKS, ELAPSED_MS, LATE_MS, LONGEST_MS] = [16, 17, 18, 19];
/** Words of the memory, as i32: 1 once the thread runs; 1 when it is to end. */
const [RUNS, ENDS] = [64, 65];
/**
 * The clock is read this often for each time that is set, so every 150 ns or so: each one takes the
 * memory from the processor that reads it, and set at every reading (40 ns) a call costs twice as much.
 */
const READS = 4;
/** A time that is older than this, in ms, was not kept by a thread that had a processor. */
const LATE_AFTER_MS = 0.01;
/** From this part of the time on it is worth telling that the clock was late. */
const LATE_SHARE = 0.1;
/** How long to wait for the thread to start, in ms. */
const START_MS = 10_000;

let current: ClockThread | undefined;
/** Clocks end with the last runtime of this thread that reads them. */
const abandoned = new FinalizationRegistry<ClockThread>((clock) => clock.release());

/** Why there is no clock thread here; undefined: there can be. */
export function clockThreadRefusal(): string | undefined {
  const host = threadHost();
  if (!host?.startsAtOnce || typeof SharedArrayBuffer !== 'function') {
    return 'A thread that keeps the clock is there in Node only. Leave out clockThread.';
  }
  if (host.processors < 2) {
    return 'A thread that keeps the clock needs a processor of its own, and this machine has one in all. Leave out --clock-thread.';
  }
  return undefined;
}

/** @throws EngineError if it is asked for and there is none here */
export function checkClockThread({ clockThread }: { readonly clockThread?: boolean }): void {
  const refusal = clockThread ? clockThreadRefusal() : undefined;
  if (refusal !== undefined) throw new EngineError(refusal);
}

/** The clock thread of this process, as far as this thread knows; starts it if there is none. */
export function clockThread(): ClockThread {
  current ??= new ClockThread();
  return current;
}

/** Takes a clock that another thread started. */
export function adoptClock(shared: SharedClock): void {
  current ??= new ClockThread(shared);
}

/**
 * A thread that does nothing but write the time into a memory, so that reading it costs a load
 * where asking the host costs some 35 ns. Times are then as old as the thread's last round, which
 * is some 150 ns, and stand still when it has no processor.
 */
export class ClockThread {
  readonly shared: SharedClock;
  readonly #cells: Float64Array;
  readonly #words: Int32Array;
  /** Undefined: another thread's. */
  readonly #failed: { reason?: string } | undefined;
  #readers = 0;

  constructor(shared?: SharedClock) {
    const memory = shared?.memory ?? new natives.Memory({ initial: 1, maximum: 1, shared: true });
    this.#cells = new Float64Array(memory.buffer);
    this.#words = new Int32Array(memory.buffer);
    this.#failed = shared ? undefined : {};
    this.shared = shared ?? { memory, threadId: this.#start(memory) };
  }

  /** Goes on as long as a runtime that reads it, which holds its memory. */
  serve(memory: WebAssembly.Memory): void {
    this.#readers++;
    abandoned.register(memory, this);
  }

  /** What a runtime takes for its clock; undefined if the thread does not run. */
  reader(): (() => number) | undefined {
    if (this.#words[RUNS] !== 1) return undefined;
    const imports = { e: { m: this.shared.memory } };
    const { exports } = new natives.Instance(new natives.Module(READER), imports);
    return Reflect.get(exports, 'now') as () => number;
  }

  /** The mean time between two settings, in ns. */
  get stepNs(): number {
    const [ticks = 0, elapsedMs = 0] = [this.#cells[TICKS], this.#cells[ELAPSED_MS]];
    return ticks === 0 ? 0 : Math.max(1, Math.round((elapsedMs * 1e6) / ticks));
  }

  /** What is to be said of the times that it gave; for the thread that started it. */
  get complaints(): string[] {
    if (!this.#failed) return [];
    if (this.#words[RUNS] !== 1) {
      const reason = this.#failed.reason ?? 'it did not start in time';
      return [`a clock thread, as ${reason}: each event read the clock itself.`];
    }
    const [elapsed = 0, late = 0] = [this.#cells[ELAPSED_MS], this.#cells[LATE_MS]];
    if (late < LATE_SHARE * elapsed) return [];
    const share = Math.round((100 * late) / elapsed);
    const longest = (this.#cells[LONGEST_MS] ?? 0).toFixed(1);
    return [
      `some times: the clock thread had no processor for ${share} % of the time, at most ${longest} ms on end, and what ran meanwhile may be another function's. Close other programs, or leave out --clock-thread.`,
    ];
  }

  /** A runtime that read it is gone. */
  release(): void {
    this.#readers--;
    if (this.#readers > 0 || !this.#failed) return;
    this.#words[ENDS] = 1;
    if (current === this) current = undefined;
  }

  #start(memory: WebAssembly.Memory): number | undefined {
    const failed = this.#failed as { reason?: string };
    try {
      const host = threadHost();
      if (!host) throw new Error('this host has no threads');
      const buffer = memory.buffer as unknown as SharedArrayBuffer;
      const data: TickerData = { memory: buffer, reads: READS, lateMs: LATE_AFTER_MS };
      const threadId = host.start(String(tick), data, (reason) => {
        failed.reason ??= reason;
      });
      Atomics.wait(this.#words, RUNS, 0, START_MS);
      return threadId;
    } catch (error) {
      failed.reason ??= `no thread could be started: ${messageOf(error).replace(/\.$/, '')}`;
      return undefined;
    }
  }
}

/** The thread. Its text is all that gets there, so it refers to nothing outside of itself. */
function tick({ memory, reads, lateMs }: TickerData): void {
  const cells = new Float64Array(memory);
  const words = new Int32Array(memory);
  const now = performance.now.bind(performance);
  const start = now();
  let last = start;
  cells[0] = start;
  Atomics.store(words, 64, 1);
  Atomics.notify(words, 64);
  let [ticks, late, longest] = [0, 0, 0];
  while (Atomics.load(words, 65) === 0) {
    for (let round = 0; round < 1000; round++) {
      let time = now();
      for (let read = 1; read < reads; read++) time = now();
      cells[0] = time;
      const gap = time - last;
      last = time;
      if (gap <= lateMs) continue;
      late += gap;
      if (gap > longest) longest = gap;
    }
    ticks += 1000;
    cells[16] = ticks;
    cells[17] = last - start;
    cells[18] = late;
    cells[19] = longest;
  }
}
