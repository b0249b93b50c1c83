// Plain and every variant of one workload in turn, in one process or page.

import { openSession } from './session.mjs';

/** Instances made of each, for the time to start. */
const STARTS = 3;
/** A slow variant is warm sooner. */
const WARM_RUNS = 3;
const WARM_MS = 1500;
/** The processor's time comes in steps, of up to a few ms on some machines: plain takes as long at least. */
const LEAST_MS = 10;

/**
 * @param {object} what
 * @param {{ bytes: Uint8Array, create: (instantiate: Function) => Promise<() => string> }} what.workload
 * @param {object[]} what.variants options of profilers; one with `around` is the plain
 *   module with something else going on
 * @param {number} what.rounds
 * @param {(run: () => void) => number} what.timeOf ms that a run takes
 * @returns rows, the plain module's first
 */
export async function measure({ workload, variants, rounds, timeOf }) {
  const { bytes } = workload;
  // The toolkit itself is compiled with the first module that it sees.
  openSession({ clock: 'calls' }).sizeOf(bytes);
  const plain = await start(workload, { clock: 'plain' });
  const all = [plain];
  for (const variant of variants) {
    // What runs the plain module runs the same instance: only what is around it differs.
    if (variant.around) all.push({ ...plain, ...variant, startMs: undefined, times: [] });
    else all.push(await start(workload, variant));
  }
  const expected = plain.run();
  for (const one of all) warmUp(one, expected);
  // Engines compile hot functions again, in the background.
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const { session } of all) session?.reset();
  const repeats = repeatsOf(plain.run, timeOf);
  const directly = (time) => time();
  for (let round = 0; round < rounds; round++) {
    for (const { run, times, around = directly } of all) {
      around(() => times.push(timeOf(() => repeat(run, repeats)) / repeats));
    }
  }
  return all.map((one) => row(one, plain, { rounds, runs: rounds * repeats }));
}

function repeat(run, times) {
  for (let i = 0; i < times; i++) run();
}

/** Runs that take {@link LEAST_MS} together. */
function repeatsOf(run, timeOf) {
  for (let repeats = 1; repeats < 2 ** 16; repeats *= 2) {
    if (timeOf(() => repeat(run, repeats)) >= LEAST_MS) return repeats;
  }
  throw new Error('a run takes no time: the workload is too small');
}

function elapsedMs(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

async function start(workload, variant) {
  const { bytes, create } = workload;
  const started = [];
  let run;
  let session;
  for (let i = 0; i < STARTS; i++) {
    session = variant.clock === 'plain' ? undefined : openSession(variant);
    const make = (imports) =>
      session
        ? session.instantiate(bytes, imports)
        : new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
    let ms = 0;
    run = await create((imports) => {
      let instance;
      ms = elapsedMs(() => {
        instance = make(imports);
      });
      return instance;
    });
    started.push(ms);
  }
  const size = session ? session.sizeOf(bytes) : bytes.length;
  return { ...variant, run, session, size, bytes, startMs: median(started), times: [] };
}

function warmUp({ run }, expected) {
  const start = performance.now();
  for (let i = 0; i < WARM_RUNS && (i === 0 || performance.now() - start < WARM_MS); i++) {
    if (run() !== expected) throw new Error('a variant gives another result');
  }
}

function row(one, plain, { rounds, runs }) {
  // The ratio of each round, so that a slow moment of the machine weighs on both.
  const ratios = one.times.map((time, i) => time / plain.times[i]);
  const ratio = median(ratios.filter(Number.isFinite));
  const { calls, nodes, bytesPerNode } = one.session?.figures() ?? {};
  const callsPerRun = calls && calls / runs;
  return {
    clock: one.clock ?? 'calls',
    probes: one.probes ?? null,
    ...(one.minInstructions !== undefined && { minInstructions: one.minInstructions }),
    rounds,
    ms: median(one.times),
    ratio,
    nsPerCall: callsPerRun ? ((ratio - 1) * median(plain.times) * 1e6) / callsPerRun : 0,
    calls: callsPerRun ?? 0,
    nodes: nodes ?? 0,
    ...(bytesPerNode !== undefined && { bytesPerNode }),
    sizeRatio: one.size / plain.size,
    ...(one.startMs !== undefined && { startMs: one.startMs }),
    ...one.figures?.(),
  };
}

export const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
