// esbuild: Go, in this process, from a module compiled beforehand.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { result, small, source } from './source.mjs';

const require = createRequire(import.meta.url);
globalThis.self = globalThis;
const esbuild = await import('esbuild-wasm/esm/browser.js');
const wasmModule = await WebAssembly.compile(
  readFileSync(require.resolve('esbuild-wasm/esbuild.wasm')),
);
await esbuild.initialize({ wasmModule, worker: false });
const { code } = await esbuild.transform(source(small ? 1 : 50, ': number'), {
  loader: 'ts',
  minify: true,
});
result(code);
process.exit(0);
