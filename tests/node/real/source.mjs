// Deterministic inputs for the real programs.

import crypto, { createHash } from 'node:crypto';

/** `small` keeps the number of calls low enough for V8's trace of every one of them. */
export const small = process.env.SIZE === 'small';

// The same paths in every run: SQLite draws random numbers, and how it draws them depends on the numbers.
if (small) {
  Math.random = () => 0.5;
  Date.now = () => 1_700_000_000_000;
  const zeros = (view) => view.fill(0);
  crypto.randomFillSync = zeros;
  globalThis.crypto.getRandomValues = zeros;
}

/** Prints what must not change when the program is profiled. */
export function result(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  console.log(
    `RESULT ${createHash('sha256').update(text).digest('hex').slice(0, 16)} ${text.length}`,
  );
}

/** TypeScript (or JavaScript) with `n` functions. */
export function source(n, types = '') {
  let out = '';
  for (let i = 0; i < n; i++) {
    out += `export function f${i}(a${types}, b${types} = ${i}) {
	let sum = 0;
	for (let i = 0; i < a; i++) if (i % ${(i % 7) + 2} === 0) sum += b * i; else sum ^= i << ${i % 5};
	const o = { k${i}: sum, get v() { return \`x\${sum}\`; }, ...(sum > 3 ? { z: [1, 2, ...[sum]] } : {}) };
	return o.k${i} + ${i ? `f${i - 1}(a - 1)` : '0'};
}
`;
  }
  return out;
}
