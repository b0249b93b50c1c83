// Waits for a signal, says which, and ends with code 6.

import { readFileSync } from 'node:fs';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes);
instance.exports.fib(10);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    console.log(signal);
    process.exit(6);
  });
}
setTimeout(() => {}, 20_000);
console.log('ready');
