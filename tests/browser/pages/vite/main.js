import init from './fib.wasm?init';
import address from './fib.wasm?url';

const run = ({ exports }) => {
  if (exports.fib(10) !== 55) throw new Error('wrong');
};
run(await init());
run((await WebAssembly.instantiateStreaming(fetch(address))).instance);
const own = new URL('fib.wasm', import.meta.url);
run((await WebAssembly.instantiate(await (await fetch(own)).arrayBuffer())).instance);
const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
await new Promise((resolve, reject) => {
  worker.onmessage = resolve;
  worker.onerror = reject;
});
globalThis.isDone = true;
