import { ARENA_MIN } from './abi.js';
import { clockStepNs } from './clock-step.js';
import { filterFrom } from './filter.js';
import { compileNow, natives, nowMs } from './natives.js';
import { Session } from './session.js';

/** What the probes of one call add to self times, in ns. */
export interface ProbeCost {
  /** To the callee's. */
  readonly innerNs: number;
  /** To the caller's. */
  readonly outerNs: number;
}

/**
 * `run(calls, steps)` calls another function that often; before it calls it again, it
 * does as many steps of work as that does:
 *
 *     (func $leaf (param $steps i32) (param $x i32) (result i32)
 *       (loop $step
 *         (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
 *         (br_if $step (local.tee $steps (i32.sub (local.get $steps) (i32.const 1)))))
 *       (local.get $x))
 *     (func (export "run") (param $calls i32) (param $steps i32) (result i32) (local $x i32) (local $n i32)
 *       (loop $call
 *         (local.set $x (call $leaf (local.get $steps) (local.get $x)))
 *         (local.set $n (local.get $steps))
 *         (loop $step …the same with $n)
 *         (br_if $call (local.tee $calls (i32.sub (local.get $calls) (i32.const 1)))))
 *       (local.get $x))
 */
const CALIBRATION = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 3, 3, 2, 0, 0, 7, 7, 1, 3,
  0x72, 0x75, 0x6e, 0, 1, 0x0a, 0x5f, 2, 0x21, 0, 3, 0x40, 0x20, 1, 0x41, 0x8d, 0xcc, 0xe5, 0, 0x6c,
  0x41, 0xdf, 0xe6, 0xbb, 0xe3, 3, 0x6a, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b,
  0x20, 1, 0x0b, 0x3b, 1, 2, 0x7f, 3, 0x40, 0x20, 1, 0x20, 2, 0x10, 0, 0x21, 2, 0x20, 1, 0x21, 3, 3,
  0x40, 0x20, 2, 0x41, 0x8d, 0xcc, 0xe5, 0, 0x6c, 0x41, 0xdf, 0xe6, 0xbb, 0xe3, 3, 0x6a, 0x21, 2,
  0x20, 3, 0x41, 1, 0x6b, 0x22, 3, 0x0d, 0, 0x0b, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b,
  0x20, 2, 0x0b,
]);
type Run = (calls: number, steps: number) => void;

/** Places of the functions in the module. */
const LEAF = 0;
const RUN = 1;

/**
 * Steps of work in each call and after it, some 15 ns: the processor does part of a
 * probe while it still works, so with no work at all probes would seem dearer than they are.
 */
const WORK = 16;
/** Time that one measurement takes, in ns, what the engine compiles for it aside. */
const BUDGET_NS = 2_500_000;
/** A batch of calls has this many steps of the clock at least, so that they do not blur it… */
const STEPS = 100;
/** …and takes that long, in ns, as far as the clock is fine enough: a short one is seldom disturbed. */
const BATCH_NS = 20_000;
/** A batch takes at most this long, however coarse the clock is, in ns. */
const LONGEST_BATCH_NS = 1_000_000;
/** Batches at least, or the most that there can be. */
const FEWEST = 10;
/** About what a call takes, in ns. */
const CALL_NS = 120;
/**
 * Of all batches this part may be faster than what counts. The first ones run before the
 * engine has compiled them well, and others when something else has the processor:
 * to subtract too little is a lesser fault than to subtract the program's own time.
 */
const FASTER = 0.1;

/** Where the fields of a record are in a block of the compact layout, in bytes. */
const BLOCK_HEADER = 16;
const RECORD = 32;
const FUNCTION = 8;
const SELF = 24;

/** Measures what the probes of a session with clock `wall` cost, beside what it records. */
export class ProbeCostMeter {
  readonly #session: Session;
  readonly #rewrite: Session['rewrite'];
  #run: Run | undefined;
  #base = 0;
  #cost: ProbeCost | undefined;
  #measured = 0;

  /** @param session whose probes, and whose way to instrument, are taken */
  constructor({ settings, rewrite }: Session) {
    this.#session = new Session({ ...settings, arenaBytes: ARENA_MIN, filter: filterFrom({}) });
    this.#rewrite = rewrite;
  }

  /** The last measurement; undefined: none was possible, as with a clock that stands still. */
  get cost(): ProbeCost | undefined {
    return this.#cost;
  }

  /**
   * Takes some 3 ms, the first and the second time: when the program starts, and when
   * its code and the probes have been compiled as well as they are in the end.
   */
  measure(): void {
    if (this.#measured === 2) return;
    this.#measured++;
    try {
      this.#run ??= this.#start();
      const cost = this.#batches(this.#run);
      // Code that was compiled anew in between can seem to cost nothing.
      if (cost.innerNs > 0 && cost.outerNs > 0) this.#cost = cost;
    } catch {
      // The engine did not take so small a module: the profile does not say what a probe costs.
    }
  }

  #start(): Run {
    this.#session.rewrite = this.#rewrite;
    const prepared = this.#session.prepare(CALIBRATION);
    if (!prepared) throw new Error('no functions');
    const module = compileNow(prepared.bytes, []);
    this.#session.adopt(module, prepared);
    const { imports } = this.#session.link(module, {});
    const { exports } = new natives.Instance(module, imports as WebAssembly.Imports);
    this.#base = this.#session.modules[0]?.base ?? 0;
    return Reflect.get(exports, 'run') as Run;
  }

  #batches(run: Run): ProbeCost {
    const stepsNs = Math.min(STEPS * clockStepNs(), LONGEST_BATCH_NS);
    const calls = Math.ceil(Math.max(BATCH_NS, stepsNs) / CALL_NS);
    const often = { leaf: [] as number[], run: [] as number[] };
    const once = { leaf: [] as number[], run: [] as number[] };
    const batch = (times: typeof once, ofCalls: number, steps: number) => {
      this.#session.runtime?.reset();
      run(ofCalls, steps);
      times.leaf.push(this.#selfNs(LEAF));
      times.run.push(this.#selfNs(RUN));
    };
    const started = nowMs();
    const isTime = () => (nowMs() - started) * 1e6 < BUDGET_NS;
    // Whatever else has the processor, and even if the clock stands still.
    const most = Math.ceil(BUDGET_NS / (calls * CALL_NS));
    for (let batches = 0; batches < most && (batches < FEWEST || isTime()); batches++) {
      batch(often, calls, WORK);
      batch(once, 1, calls * WORK);
    }
    // Work in many calls, less the same work in one.
    return {
      innerNs: Math.max(quantile(often.leaf) - quantile(once.leaf), 0) / calls,
      outerNs: Math.max(quantile(often.run) - quantile(once.run), 0) / calls,
    };
  }

  /** Self time of a function of the calibration, in ns. */
  #selfNs(index: number): number {
    let selfNs = 0;
    let isHeader = true;
    for (const piece of this.#session.blocks(1)) {
      const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let at = BLOCK_HEADER; !isHeader && at < piece.length; at += RECORD) {
        if (view.getUint32(at + FUNCTION, true) !== this.#base + index) continue;
        selfNs += Number(view.getBigUint64(at + SELF, true));
      }
      isHeader = false;
    }
    return selfNs;
  }
}

/**
 * Gives a session a meter if its clock has a cost to measure: what a clock costs that a thread
 * keeps is less than its step.
 */
export function withProbeCost(session: Session): Session {
  const { clock, clockThread } = session.settings;
  if (clock === 'wall' && !clockThread) session.meter = new ProbeCostMeter(session);
  return session;
}

function quantile(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length * FASTER)] ?? 0;
}
