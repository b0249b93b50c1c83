// The cost of one call, where there is little else: each export makes `n` calls of one kind.

import { readFileSync } from 'node:fs';

export const bytes = readFileSync(new URL('../../target/programs/micro.wasm', import.meta.url));

/** Calls per run of each export; `fib(30)` makes 1,346,269 × 2 − 1. */
export const kinds = {
  leaf: [10_000_000],
  fib: [30],
  indirect: [3_000_000],
  alternating: [5_000_000],
  deep: [5_000],
};

/** One workload per kind. */
export function create(kind) {
  return async (instantiate) => {
    const run = instantiate({}).exports[kind];
    const repeat = kind === 'deep' ? 200 : 1;
    return () => {
      let result = 0;
      for (let i = 0; i < repeat; i++) result = run(...kinds[kind]);
      return String(result);
    };
  };
}
