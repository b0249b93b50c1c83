/** Steps to look at; the smallest is the clock's. */
const STEPS = 20;
/** A clock that a program has stopped is not waited for. */
const MAX_READS = 1_000_000;

// Taken now: a program may put a fake clock in its place.
const now = performance.now.bind(performance);

let known: number | undefined;

/** The smallest step of `performance.now` that was seen, in ns; 0 if it stands still. The first time it takes some steps. */
export function clockStepNs(): number {
  known ??= measure();
  return known;
}

function measure(): number {
  let last = now();
  let stepMs = Number.POSITIVE_INFINITY;
  for (let reads = 0, steps = 0; steps < STEPS && reads < MAX_READS; reads++) {
    const next = now();
    if (next <= last) continue;
    stepMs = Math.min(stepMs, next - last);
    last = next;
    steps++;
  }
  return Number.isFinite(stepMs) ? Math.max(Math.round(stepMs * 1e6), 1) : 0;
}
