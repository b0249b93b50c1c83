// Runs the small programs, with every kind of probe that the engine takes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createProfiler } from '../../../npm/dist/index.js';
import { watchInsteadOfSampling } from '../watch.mjs';

export const program = (name) =>
  readFileSync(new URL(`../../../target/programs/${name}.wasm`, import.meta.url));

/** What this engine can run, found by asking it to validate a program that needs it. */
export const supported = {
  exnref: WebAssembly.validate(program('exceptions')),
  gc: WebAssembly.validate(program('reference')),
  memories: WebAssembly.validate(program('two_memories')),
};

/** @type {import('../../../npm/dist/index.js').ProfilerOptions[]} */
export const kinds = [
  ...(supported.memories
    ? [
        { clock: 'calls', probes: 'inline' },
        { clock: 'instructions', probes: 'inline' },
        { clock: 'sampled', probes: 'inline' },
      ]
    : []),
  { clock: 'calls', probes: 'imported' },
  { clock: 'instructions', probes: 'imported' },
  { clock: 'sampled', probes: 'imported' },
  { clock: 'wall', probes: 'imported' },
];

/**
 * Runs a case of `cases.mjs` and checks its result.
 * @param {any} c
 * @param {import('../../../npm/dist/index.js').ProfilerOptions} options
 * @returns its report with paths
 */
export function runCase(c, options) {
  const profiler = createProfiler({ arena: '8M', ...options });
  const ctx = { log: [], exports: undefined };
  const watch = options.clock === 'sampled' ? watchInsteadOfSampling() : undefined;
  const imports = c.imports?.(ctx);
  const { instance } = profiler.instantiateSync(
    program(c.program),
    watch ? watch.watched(imports) : imports,
  );
  ctx.exports = instance.exports;
  const value = c.run(instance.exports, ctx);
  // What the host catches leaves the function that threw running until the next call returns.
  if (!String(c.run).includes('throws(')) watch?.assertHostRuns();
  if ('result' in c) assert.deepEqual(value, c.result);
  return profiler.profile().report({ paths: true, limit: 0 });
}

/**
 * `a > b 3` for each path that was called, sorted.
 * @param {any} report
 * @param {(f: any) => boolean} [isLeftOut] functions to take out of every path, as a filter would have
 */
export function pathsOf(report, isLeftOut = () => false) {
  const byId = new Map(report.functions.map((f) => [f.id, f]));
  const counts = new Map();
  for (const { path, calls } of report.paths) {
    const functions = path.map((id) => byId.get(id));
    if (calls === 0 || isLeftOut(functions.at(-1))) continue;
    const kept = functions.filter((f) => !isLeftOut(f));
    // Two functions may have the same name.
    const key = kept.map((f) => f.id).join(' ');
    const text = kept.map((f) => f.name).join(' > ');
    counts.set(key, { text, calls: (counts.get(key)?.calls ?? 0) + calls });
  }
  return [...counts.values()].map(({ text, calls }) => `${text} ${calls}`).sort();
}

/**
 * The self cost of each path, sorted; what a function left out costs is its nearest caller's that is not.
 * @param {any} report
 * @param {(f: any) => boolean} [isLeftOut]
 */
export function costsOf(report, isLeftOut = () => false) {
  const byId = new Map(report.functions.map((f) => [f.id, f]));
  const costs = new Map();
  for (const { path, self } of report.paths) {
    const kept = path.filter((id) => !isLeftOut(byId.get(id))).join(' ');
    // Without a caller it is the host's.
    if (kept && self > 0) costs.set(kept, (costs.get(kept) ?? 0) + self);
  }
  return [...costs].map(([path, self]) => `${path}: ${self}`).sort();
}
