// Two calls that wait for the host at the same time, and calls made meanwhile.

import { readFileSync } from 'node:fs';

const bytes = readFileSync(new URL('../../../target/programs/hook_suspend.wasm', import.meta.url));
const answers = [];
const wait = () => {
  leaf();
  return new Promise((resolve) => answers.push(resolve));
};
const env = { wait: new WebAssembly.Suspending(wait) };
const { instance } = await WebAssembly.instantiate(bytes, { env });
const { leaf } = instance.exports;
const run = WebAssembly.promising(instance.exports.run);
const results = [run(), run()];
leaf();
await null;
leaf();
answers[1](20);
answers[0](10);
console.log(await Promise.all(results));
