// Two workers in one shared memory, which is otherwise full of canaries. Prints what is in it afterwards.

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const CANARY = 0xa5a5_a5a5;
const ROUNDS = 20_000;
const file = new URL('../../../target/programs/shared_memory.wasm', import.meta.url);
const module = new WebAssembly.Module(readFileSync(file));
const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
const words = new Uint32Array(memory.buffer).fill(CANARY);
const own = [512, 2048];
for (const at of [...own, 1024]) words[at / 4] = 0;

const body = `
  const { workerData: { module, memory, own, rounds }, parentPort } = require('node:worker_threads');
  new WebAssembly.Instance(module, { env: { memory } }).exports.work(own, rounds);
`;
const ends = own.map((at) => {
  const workerData = { module, memory, own: at, rounds: ROUNDS };
  const worker = new Worker(body, { eval: true, workerData });
  return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
});
await Promise.all(ends);

const changed = [...words.entries()].filter(([, word]) => word !== CANARY);
console.log(memory.buffer.byteLength, changed.map(([i, word]) => `${4 * i}: ${word}`).join(', '));
