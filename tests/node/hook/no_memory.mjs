// The loader cannot make the module's own memory: the engine is asked to make it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { natives } = createRequire(import.meta.url)('../../../npm/dist/hook/hook.cjs');
const bytes = readFileSync(new URL('../../../target/programs/hook.wasm', import.meta.url));
const module = new WebAssembly.Module(bytes);
natives.Memory = class {
  constructor() {
    throw new RangeError('no memory');
  }
};
let reads = 0;
const imports = {
  a: {
    get f() {
      reads += 1;
      return () => 1;
    },
    g: 2,
  },
  b: { f: () => {}, table: new WebAssembly.Table({ element: 'anyfunc', initial: 2 }) },
};
const first = new WebAssembly.Instance(module, imports);
const { instance } = await WebAssembly.instantiate(bytes, imports);
console.log(first.exports.own(1), instance.exports.own(1), reads);
