// Loads one module in contexts of several kinds, of which some are not to be touched.

import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const code = 'new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.fib(10)';

console.log(vm.runInNewContext(code, { bytes }));
console.log(vm.runInNewContext(code, { bytes, WebAssembly }));
let reads = 0;
const watched = {
  bytes,
  get WebAssembly() {
    reads++;
    return WebAssembly;
  },
};
vm.createContext(watched);
console.log(reads);
console.log(vm.runInContext('typeof WebAssembly', vm.createContext({ WebAssembly: undefined })));
console.log(vm.runInContext('this.none', vm.createContext(Object.freeze({ none: 'frozen' }))));
for (const wrong of [undefined, null, 1, {}]) {
  try {
    vm.runInContext('1', wrong);
  } catch (error) {
    console.log(error.message.split('\n')[0]);
  }
}
const forbidden = vm.createContext({ bytes }, { codeGeneration: { wasm: false } });
try {
  vm.runInContext(code, forbidden);
} catch (error) {
  console.log(error.message);
}
