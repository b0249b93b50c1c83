// One workload on this engine: plain and every variant in turn, in one process. Times are
// CPU time, which other programs on the machine disturb least.
//
// usage: node measure.mjs WORKLOAD ROUNDS [OPTIONS...]; prints one JSON object a line.
// OPTIONS are a profiler's as JSON, such as '{"minInstructions":50}': variants in place of the usual ones.

import { createProfiler } from '../npm/dist/index.js';
import * as micro from './workloads/micro.mjs';
import * as sqlite from './workloads/sqlite.mjs';

const [name, rounds] = [process.argv[2], Number(process.argv[3])];
const given = process.argv.slice(4).map((options) => JSON.parse(options));
const workload =
  name === 'sqlite'
    ? sqlite
    : { bytes: micro.bytes, create: micro.create(name.slice('micro/'.length)) };

const inline = Number(process.versions.node.split('.')[0]) >= 22;
const usual = [
  ...(inline ? [{ clock: 'calls', probes: 'inline' }] : []),
  { clock: 'calls', probes: 'imported' },
  { clock: 'instructions', probes: 'inline' },
  { clock: 'instructions', probes: 'imported' },
  { clock: 'wall', probes: 'imported' },
];
const variants = [{ clock: 'plain' }, ...(given.length > 0 ? given : usual)];

const runs = [];
for (const variant of variants) {
  if (variant.clock === 'plain') {
    const module = new WebAssembly.Module(workload.bytes);
    const run = await workload.create((imports) => new WebAssembly.Instance(module, imports));
    runs.push({ ...variant, run, times: [], size: workload.bytes.length });
  } else {
    const profiler = createProfiler(variant);
    const { bytes } = profiler.instrument(workload.bytes);
    const run = await workload.create(
      (imports) => profiler.instantiateSync(workload.bytes, imports).instance,
    );
    runs.push({ ...variant, run, times: [], size: bytes.length, profiler });
  }
}

// Warm-up: engines compile hot functions again, in the background.
const expected = runs[0].run();
for (const { run } of runs) {
  for (let i = 0; i < 3; i++) {
    if (run() !== expected) throw new Error('a variant gives another result');
  }
}
await new Promise((resolve) => setTimeout(resolve, 300));
for (const { profiler } of runs) profiler?.reset();
for (let round = 0; round < rounds; round++) {
  for (const one of runs) {
    const start = process.cpuUsage();
    one.run();
    const { user, system } = process.cpuUsage(start);
    one.times.push((user + system) / 1000);
  }
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
// The ratio of each round, so that a slow moment of the machine weighs on both.
const ratio = (one) => median(one.times.map((time, i) => time / runs[0].times[i]));
for (const one of runs) {
  const report = one.profiler?.profile().report({ paths: true, limit: 0 });
  const calls = report ? report.functions.reduce((sum, f) => sum + f.calls, 0) / rounds : 0;
  const plain = median(runs[0].times);
  console.log(
    JSON.stringify({
      workload: name,
      engine: `node ${process.versions.node}`,
      clock: one.clock ?? 'calls',
      probes: one.probes ?? null,
      minInstructions: one.minInstructions,
      ms: median(one.times),
      ratio: ratio(one),
      nsPerCall: calls ? ((ratio(one) - 1) * plain * 1e6) / calls : 0,
      calls,
      nodes: report ? report.paths.length : 0,
      sizeRatio: one.size / workload.bytes.length,
    }),
  );
}
