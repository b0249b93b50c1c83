// `npm run bench`: overhead of every clock, speed of the rewriter and of the profile model.
//
//   --quick     fewer rounds and workloads, under 90 s
//   --json F    also writes the rows to F
//   --nodes M   major versions, 22,24,26 if not given

import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'string' }, nodes: { type: 'string' } },
});
const engines = JSON.parse(process.env.WASM_XRAY_ENGINES ?? '{}');
const majors = (values.nodes ?? (values.quick ? '24' : '22,24,26')).split(',');
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const workloads = [
  'micro/leaf',
  'micro/fib',
  'micro/indirect',
  'micro/alternating',
  'micro/deep',
  'sqlite',
];

function measure(major, script, ...args) {
  const node = engines[major] ?? process.execPath;
  const { stdout, stderr, status } = spawnSync(node, [here(script), ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (status !== 0) {
    console.error(stderr);
    process.exit(1);
  }
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const overhead = [];
console.log(
  'workload            engine         clock  probes      ms  × plain  ns/call      calls   paths   size',
);
for (const major of majors) {
  for (const workload of values.quick ? ['micro/leaf', 'micro/indirect', 'sqlite'] : workloads) {
    for (const row of measure(major, 'measure.mjs', workload, values.quick ? '5' : '9')) {
      overhead.push(row);
      console.log(
        [
          row.workload.padEnd(19),
          row.engine.padEnd(14),
          row.clock.padEnd(6),
          (row.probes ?? '').padEnd(8),
          row.ms.toFixed(1).padStart(6),
          row.ratio.toFixed(2).padStart(8),
          row.nsPerCall.toFixed(2).padStart(8),
          Math.round(row.calls).toLocaleString('en').padStart(10),
          row.nodes.toLocaleString('en').padStart(7),
          row.sizeRatio.toFixed(2).padStart(6),
        ].join(' '),
      );
    }
  }
}

const startup = majors.flatMap((major) => measure(major, 'startup.mjs'));
console.log('\nstart of a program without wasm');
for (const { engine, plainMs, hookedMs } of startup) {
  console.log(
    `${engine.padEnd(14)} ${plainMs.toFixed(1).padStart(6)} ms, with the hook ${hookedMs.toFixed(1).padStart(6)} ms: ${(hookedMs - plainMs).toFixed(1)} ms more`,
  );
}

const [memory] = measure(majors.at(-1), 'memory.mjs');
console.log(
  `\nsqlite: ${memory.nodes.toLocaleString('en')} paths, ${memory.bytesPerNode.toFixed(1)} bytes each with child slots and hash table entry`,
);

const rewriter = [
  'sql.js/dist/sql-wasm.wasm',
  'lightningcss-wasm/lightningcss_node.wasm',
  'esbuild-wasm/esbuild.wasm',
].flatMap((module) => measure(majors.at(-1), 'rewriter.mjs', module));
console.log('\nrewriter, in the toolkit');
for (const { module, engine, bytes, MBps, peakMB } of rewriter) {
  console.log(
    `${module.padEnd(44)} ${engine.padEnd(14)} ${(bytes / 1e6).toFixed(1).padStart(5)} MB ${MBps.toFixed(1).padStart(6)} MB/s, peak ${peakMB.toFixed(0).padStart(3)} MB`,
  );
}

const profiles = values.quick ? [] : measure(majors.at(-1), 'profiles.mjs');
if (profiles.length > 0) console.log('\nprofile of 1,000,000 paths, in the toolkit, CPU time');
for (const { operation, ms } of profiles) {
  console.log(`${operation.padEnd(44)} ${String(ms).padStart(6)} ms`);
}

const size = (path) => statSync(here(path)).size;
const sizes = {
  runtime: size('../npm/wasm/runtime/runtime_bg.wasm'),
  toolkit: size('../npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm'),
};
console.log(`\nruntime ${sizes.runtime} bytes, toolkit ${sizes.toolkit} bytes`);
if (values.json)
  writeFileSync(
    values.json,
    `${JSON.stringify({ overhead, startup, memory, rewriter, profiles, sizes }, null, '\t')}\n`,
  );
