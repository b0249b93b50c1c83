// The workloads by name, in Node and in a page.

import * as gofmt from './gofmt.mjs';
import * as micro from './micro.mjs';
import * as rollup from './rollup.mjs';
import * as sqlite from './sqlite.mjs';

const REAL = { sqlite, rollup, gofmt };

/** In the order of the tables, with what they are called there. */
export const WORKLOADS = {
  'micro/leaf': 'direct calls of a leaf',
  'micro/fib': 'fib(30)',
  'micro/indirect': 'calls through a table of 64',
  'micro/alternating': 'two callees in turn',
  'micro/deep': 'recursion 5,000 deep',
  sqlite: 'SQLite (sql.js, C)',
  rollup: "Rollup's parser (Rust)",
  gofmt: 'gofmt (Go, TinyGo)',
};

/**
 * @param {string} name
 * @param {(path: string) => Promise<Uint8Array>} read a file of the working tree by its path, with a leading /
 * @param {number} scale 1 for the size of the tables, less for less
 * @returns what {@link import('../overhead/measure.mjs').measure} takes
 */
export function load(name, read, scale) {
  if (!Object.hasOwn(WORKLOADS, name)) {
    throw new Error(`there is no workload ${name}; there are ${Object.keys(WORKLOADS).join(', ')}`);
  }
  const [first, kind] = name.split('/');
  return kind ? micro.load(kind, read, scale) : REAL[first].load(read, scale);
}
