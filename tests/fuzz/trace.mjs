// What V8 prints about the calls of the original modules.

import { countPaths } from '../node/oracle.mjs';

/** Index of a function that no generated module has: its call ends the trace of a module. */
export const SEPARATOR_FUNCTION = 1000;

/** @returns calls by path of each module, in the order in which they ran */
export function tracedModules(trace) {
  const separators = new RegExp(`^ *1: *.wasm-function\\[${SEPARATOR_FUNCTION}\\].*$`, 'm');
  return trace.split(separators).map((part) => Object.fromEntries(countPaths(part)));
}
