import { clockStepNs } from '../core/clock-step.js';
import { natives } from '../core/natives.js';
import type { Clock, ProbeKind } from '../core/options.js';
import { samplingRefusal } from '../core/sampler.js';
import '../node/sampler.js';
import { createProfiler } from '../profiler.js';

/** What a call costs more when it is profiled. */
export interface ProbeCost {
  readonly clock: Clock;
  readonly probes: ProbeKind;
  readonly nsPerCall: number;
}

/** What the host's clock can tell apart, and what asking it costs. */
export interface ClockFigures {
  /** Smallest difference seen between two readings that differ; 0: the clock stands still. */
  readonly stepNs: number;
  readonly readNs: number;
}

/** `run(n)` calls a function that does nothing n times. */
const CALLS = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 8, 2, 0x60, 0, 0, 0x60, 1, 0x7f, 0],
  ...[3, 3, 2, 0, 1],
  ...[7, 7, 1, 3, 0x72, 0x75, 0x6e, 0, 1],
  ...[0x0a, 21, 2, 2, 0, 0x0b],
  ...[16, 0, 3, 0x40, 0x10, 0, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x0b],
]);
/** Calls that are timed at once. */
const TIMED_CALLS = 400_000;
/** The fastest of so many counts: others are disturbed, or made before the engine optimized. */
const ROUNDS = 7;

/** Measures `performance.now`, which the clock `wall` reads. */
export function measureClock(): ClockFigures {
  const reads = 20_000;
  let bestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let last = start;
    for (let i = 0; i < reads; i++) last = performance.now();
    bestMs = Math.min(bestMs, last - start);
  }
  return { stepNs: clockStepNs(), readNs: rounded((bestMs * 1e6) / reads) };
}

/** Measures each kind of probe that this engine takes. */
export function measureProbes(inline: boolean): ProbeCost[] {
  const plain = time(new natives.Instance(new natives.Module(CALLS)));
  const kinds: [Clock, ProbeKind][] = [
    ...(inline ? [['calls', 'inline'] as [Clock, ProbeKind]] : []),
    ['calls', 'imported'],
    ['instructions', inline ? 'inline' : 'imported'],
    ...(samplingRefusal()
      ? []
      : [['sampled', inline ? 'inline' : 'imported'] as [Clock, ProbeKind]]),
    ['wall', 'imported'],
  ];
  return kinds.map(([clock, probes]) => {
    const profiler = createProfiler({ clock, probes, arena: '64K' });
    const nsPerCall = rounded(Math.max(0, time(profiler.instantiateSync(CALLS).instance) - plain));
    profiler.stop();
    return { clock, probes, nsPerCall };
  });
}

/** Nanoseconds per call. */
function time(instance: WebAssembly.Instance): number {
  const { run } = instance.exports as { run: (calls: number) => void };
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    run(TIMED_CALLS);
    best = Math.min(best, performance.now() - start);
  }
  return (best * 1e6) / TIMED_CALLS;
}

function rounded(ns: number): number {
  return Number(ns.toFixed(1));
}
