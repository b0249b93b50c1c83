// A filtered profile is the full one with what was left out taken out of every path.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';
import { cases } from './programs/cases.mjs';
import { costsOf, kinds, pathsOf, program, runCase } from './programs/run.mjs';

/** A fixed sequence of numbers below `n` each, so that every run tests the same. */
function randomFrom(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Every function left out alone, every one kept alone, and some sets. */
function* selections(names) {
  for (const name of names) {
    yield { exclude: [name] };
    yield { include: [name] };
  }
  const random = randomFrom(names.length);
  for (let i = 0; i < 6; i++) yield { exclude: names.filter(() => random(2) === 0) };
  yield { exclude: ['*'] };
}

const named = (globs) => (f) => globs?.includes('*') || globs?.includes(f.raw ?? f.name);

for (const kind of kinds) {
  for (const c of cases) {
    if (!WebAssembly.validate(program(c.program))) continue;
    test(`${c.name}, filtered (${kind.probes} probes, clock ${kind.clock})`, () => {
      const full = runCase(c, kind);
      const names = new Set(full.functions.map((f) => f.raw ?? f.name));
      for (const selection of selections([...names])) {
        const isLeftOut = selection.include
          ? (f) => !named(selection.include)(f)
          : named(selection.exclude);
        const report = runCase(c, { ...kind, ...selection });
        assert.deepEqual(pathsOf(report), pathsOf(full, isLeftOut), JSON.stringify(selection));
        if (kind.clock !== 'instructions') continue;
        assert.notEqual(costsOf(full).length, 0);
        assert.deepEqual(costsOf(report), costsOf(full, isLeftOut), JSON.stringify(selection));
      }
    });
  }
}

for (const clock of ['calls', 'wall']) {
  test(`a module instrumented beforehand with two filters is counted as each says (clock ${clock})`, () => {
    const without = (name) =>
      createProfiler({ clock, exclude: [name] }).instrument(program('two_leaves'));
    const profiler = createProfiler({ clock });
    for (const name of ['leaf', 'other']) {
      profiler.instantiateSync(without(name).bytes).instance.exports.both();
    }
    const sums = new Map();
    for (const { name, calls } of profiler.profile().report().functions) {
      sums.set(name, (sums.get(name) ?? 0) + calls);
    }
    assert.deepEqual([...sums].sort(), [
      ['both', 2],
      ['leaf', 1],
      ['other', 2],
    ]);
  });
}
