// oxc: a shared memory, and a module that is posted to worker threads.
import { createRequire } from 'node:module';
import { result, small, source } from './source.mjs';

const require = createRequire(import.meta.url);
const { parse, parseSync } = require('@oxc-parser/binding-wasm32-wasi/parser.wasi.cjs');
const text = source(small ? 1 : 100, ': number');
const out = [parseSync('a.ts', text, {}).program.length];
for (const parsed of await Promise.all([1, 2].map((i) => parse(`b${i}.ts`, text, {}))))
  out.push(parsed.program.length);
result(out);
process.exit(0);
