// A recursion 100,000 deep, on a stack that is large enough for it (and for the
// frames of probes), or a million paths.

import { readFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const what = process.argv[2] ?? workerData;

if (what === 'recursion' && isMainThread) {
  new Worker(new URL(import.meta.url), {
    workerData: what,
    resourceLimits: { stackSizeMb: 256 },
  });
} else {
  const bytes = readFileSync(new URL('../../../target/programs/full_arena.wasm', import.meta.url));
  const { even, paths } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  console.log(what === 'recursion' ? even(100_000) : paths(1_000_000));
}
