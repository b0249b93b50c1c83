// A JavaScript function in a table, by way of a module that only passes it on.

import { readFileSync } from 'node:fs';

const load = (name, imports) => {
  const bytes = readFileSync(new URL(`../../../target/programs/${name}.wasm`, import.meta.url));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;
};
const { table, run, leaf } = load('hook_through_thunk');
const f = () => {
  leaf();
  leaf();
};
table.set(0, load('hook_thunk', { e: { f } }).f);
run();
leaf();
