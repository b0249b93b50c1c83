// Threads that load wasm in different ways, one kind for each argument. Each prints what fib gave it.

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const module = new WebAssembly.Module(bytes);
const run = 'fib(new WebAssembly.Instance(module).exports)';
const body = `
  const { workerData, parentPort } = require('node:worker_threads');
  const fib = (exports) => exports.fib(workerData.n);
  const module = workerData.module ?? new WebAssembly.Module(workerData.bytes);
  const value = ${run};
`;
const done = 'parentPort.postMessage(value);';
const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/**
 * Starts a worker, and waits for its answer.
 * @param end an event to wait for as well; it may come before the answer is printed
 */
async function start(code, n, options = {}, data = { module }, end = undefined) {
  const worker = new Worker(code, { eval: true, workerData: { n, ...data }, ...options });
  const { threadId } = worker;
  const event = (name) => new Promise((resolve) => worker.once(name, resolve));
  const ended = end && event(end);
  console.log(`worker ${threadId}: ${await event('message')}`);
  await ended;
  return worker;
}

const kinds = {
  posted: () => start(body + done, 5),
  own: () => start(body + done, 6, {}, { bytes }),
  environment: () => start(body + done, 7, { env: { A: 'b' } }),
  'no options': () => start(body + done, 8, { execArgv: [] }),
  neither: () => start(body + done, 9, { env: {}, execArgv: ['--no-warnings'] }),
  strict: () => {
    const code = `'use strict';${body}${done} setTimeout(() => { undeclared = 1; }, 100);`;
    return start(code, 4, {}, { module }, 'error');
  },
  exits: () => start(`${body}${done} process.exit(3);`, 3, {}, { module }, 'exit'),
  idle: () => start(`${body}${done} setInterval(() => {}, 1000);`, 2),
  terminated: async () => {
    const worker = await start(`${body}${done} setInterval(() => {}, 1000);`, 1);
    await worker.terminate();
  },
  // What cannot answer when the program ends.
  waits: () => start(`${body}${done} ${wait}`, 10),
  busy: () => start(`${body}${done} for (;;);`, 11),
  'terminated while busy': async () => {
    const worker = await start(`${body}${done} for (;;);`, 12, {}, { bytes });
    await worker.terminate();
  },
  nested: async () => {
    const inner = `${body}${done} ${wait}`;
    const outer = `
      const { Worker, parentPort, workerData } = require('node:worker_threads');
      const worker = new Worker(${JSON.stringify(inner)}, { eval: true, workerData });
      worker.once('message', (value) => parentPort.postMessage(value));`;
    await start(outer, 13);
  },
};
for (const kind of process.argv.slice(2)) await kinds[kind]();
process.exit(0);
