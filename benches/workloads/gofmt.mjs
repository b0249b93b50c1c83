// gofmt from npm, in Go (TinyGo): formats a generated file of Go.

import { format } from '../../node_modules/@wasm-fmt/gofmt/gofmt_binding.js';
import { go } from './source.mjs';

const FUNCTIONS = 2_000;

export async function load(read, scale) {
  const bytes = await read('/node_modules/@wasm-fmt/gofmt/gofmt.wasm');
  const source = go(Math.round(FUNCTIONS * scale));
  return {
    bytes,
    async create(instantiate) {
      const { exports } = instantiate({});
      exports._initialize();
      return () => format(exports, source);
    },
  };
}
