// Runs fidelity.mjs in a context of `node:vm`, made in the way that is named.

import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [way] = process.argv.slice(2);
const file = new URL('fidelity.mjs', import.meta.url);
const program = readFileSync(file, 'utf8')
  .replace(/^import .*$/m, '')
  .replaceAll('import.meta.url', JSON.stringify(file.href));
// As modules are.
const code = `'use strict'; (async ({ readFileSync, URL, Response, TextEncoder, console }) => {${program}})`;
// The context's own are used for everything else.
const given = { readFileSync, URL, Response, TextEncoder, console };

const ways = {
  createContext: () => vm.runInContext(code, vm.createContext({ structuredClone })),
  runInNewContext: () => vm.runInNewContext(code, { structuredClone }),
  Script: () => new vm.Script(code).runInNewContext({ structuredClone }),
  compileFunction() {
    const parsingContext = vm.createContext({ structuredClone });
    return vm.compileFunction(code.replace(';', '; return'), [], { parsingContext })();
  },
  // Since Node 22.8: the context's global object itself.
  global() {
    const context = vm.createContext(vm.constants.DONT_CONTEXTIFY ?? {});
    context.structuredClone = structuredClone;
    return vm.runInContext(code, context);
  },
};
await ways[way]()(given);
