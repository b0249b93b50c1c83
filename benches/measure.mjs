// One workload on this engine; prints one JSON object a line. Times are CPU time, which
// other programs on the machine disturb least.
//
// usage: node measure.mjs WORKLOAD ROUNDS [OPTIONS...]
// OPTIONS are a profiler's as JSON, such as '{"minInstructions":50}': variants in place of the usual ones.
// WASM_XRAY_BENCH_SCALE=0.2 makes workloads smaller, WASM_XRAY_BENCH_FULL=0 leaves out
// what is slow and tells least.

import { readFile } from 'node:fs/promises';
import '../npm/dist/index.js'; // Gives sessions their wasm files.
import { cpuProfiler } from './overhead/cpu-profiler.mjs';
import { measure } from './overhead/measure.mjs';
import { variants } from './variants.mjs';
import { load } from './workloads/index.mjs';

const [name, rounds, ...given] = process.argv.slice(2);
const { WASM_XRAY_BENCH_SCALE: scale = '1', WASM_XRAY_BENCH_FULL: full = '1' } = process.env;
const read = (path) => readFile(new URL(`..${path}`, import.meta.url));
const inline = Number(process.versions.node.split('.')[0]) >= 22;
// Of this thread where Node can tell: samplers of the clock `sampled` run all the time, on another core.
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage;
const rows = await measure({
  workload: await load(name, read, Number(scale)),
  variants:
    given.length > 0
      ? given.map((options) => JSON.parse(options))
      : [...variants({ inline, full: full === '1' }), cpuProfiler()],
  rounds: Number(rounds),
  timeOf(run) {
    const start = cpuUsage();
    run();
    const { user, system } = cpuUsage(start);
    return (user + system) / 1000;
  },
});
for (const row of rows) {
  console.log(
    JSON.stringify({
      workload: name,
      engine: `node ${process.versions.node}`,
      time: 'cpu',
      ...row,
    }),
  );
}
process.exit(0); // Whatever a workload left behind.
