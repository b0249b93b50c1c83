// Rollup's parser from npm, in Rust (SWC): parses a generated file of JavaScript.

import { evaluate } from './common-js.mjs';
import { javascript } from './source.mjs';

const FUNCTIONS = 3_000;

export async function load(read, scale) {
  const folder = '/node_modules/@rollup/wasm-node/dist/wasm-node';
  const bytes = await read(`${folder}/bindings_wasm_bg.wasm`);
  const glue = await read(`${folder}/bindings_wasm.js`);
  const source = javascript(Math.round(FUNCTIONS * scale));
  return {
    bytes,
    async create(instantiate) {
      // The glue reads its file and makes its instance at once.
      const { parse } = evaluate(glue, {
        require: () => ({ readFileSync: () => bytes }),
        WebAssembly: {
          Module: class {},
          Instance: function Instance(_, imports) {
            return instantiate(imports);
          },
        },
      });
      return () => {
        const tree = parse(source, false, false, false);
        let sum = 0;
        for (const byte of tree) sum = (Math.imul(sum, 31) + byte) | 0;
        return `${tree.length} ${sum}`;
      };
    },
  };
}
