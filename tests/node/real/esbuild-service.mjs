// esbuild: Go, in a child process that stays for many requests, as its package starts it.
import { createRequire } from 'node:module';
import { result, small, source } from './source.mjs';

const require = createRequire(import.meta.url);
const esbuild = require('esbuild-wasm');
const text = source(small ? 1 : 20, ': number');
const outputs = await Promise.all(
  [1, 2].map((i) => esbuild.transform(`${text}\nexport const last = ${i};`, { loader: 'ts' })),
);
result(outputs.map(({ code }) => code).join('\n'));
await esbuild.stop();
