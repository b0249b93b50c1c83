// Rollup's parser: Rust, wasm-bindgen, `new WebAssembly.Module` and `Instance`.
import { createRequire } from 'node:module';
import { result, small, source } from './source.mjs';

const require = createRequire(import.meta.url);
const { parseAst } = require('@rollup/wasm-node/dist/parseAst.js');
result(parseAst(source(small ? 1 : 400)));
