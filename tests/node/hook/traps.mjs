// Ends with a trap of the kind that the argument names, below several frames of the module and of the host.

import { readFileSync } from 'node:fs';

Error.stackTraceLimit = 50;
const [how = '1'] = process.argv.slice(2);
const file = new URL('../../../target/programs/stack_trace.wasm', import.meta.url);
const { instance } = await WebAssembly.instantiate(readFileSync(file), {
  env: {
    back(n) {
      if (n > 0) instance.exports.inner(n);
    },
  },
});
instance.exports.run(Number(how));
