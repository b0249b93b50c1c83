// A program whose module imports from a module named as ours.

import { readFileSync } from 'node:fs';

const file = new URL('../../../target/programs/reserved.wasm', import.meta.url);
const imports = { 'wasm-xray': { slot: (x) => x + 20, base: 1 } };
const { instance } = await WebAssembly.instantiate(readFileSync(file), imports);
console.log(instance.exports.run());
