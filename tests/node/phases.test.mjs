// Phases of a profiler: what was called between two marks, and nothing else.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';

const program = (name) =>
  readFileSync(new URL(`../../target/programs/${name}.wasm`, import.meta.url));

/** Calls that fib(n) makes. */
const fibCalls = (n) => (n < 2 ? 1 : 1 + fibCalls(n - 1) + fibCalls(n - 2));

/** Calls of each phase; `undefined` is what was outside of any. */
function callsByPhase({ threads, paths }) {
  return threads.map(({ id, phase }) => [
    phase ?? undefined,
    paths.filter(({ thread }) => thread === id).reduce((sum, { calls }) => sum + calls, 0),
  ]);
}

for (const clock of ['calls', 'wall']) {
  test(`marks split a profile (clock ${clock})`, () => {
    const profiler = createProfiler({ clock });
    const { fib } = profiler.instantiateSync(program('fib')).instance.exports;
    fib(5);
    profiler.mark('warm');
    fib(10);
    profiler.mark('idle');
    profiler.mark('hot');
    fib(10);
    fib(12);
    const report = profiler.profile().report({ paths: true });
    assert.deepEqual(callsByPhase(report), [
      [undefined, fibCalls(5)],
      ['warm', fibCalls(10)],
      ['idle', 0],
      ['hot', fibCalls(10) + fibCalls(12)],
    ]);
    assert.equal(
      report.functions[0].calls,
      fibCalls(5) + 2 * fibCalls(10) + fibCalls(12),
      'together they are the whole',
    );
    if (clock === 'wall') assert.ok(report.functions[0].total >= report.functions[0].self);
  });
}

test('a leaf that gets a node in a later phase is counted in each for itself', () => {
  const profiler = createProfiler();
  const { ways } = profiler.instantiateSync(program('two_leaves')).instance.exports;
  for (let i = 0; i < 5; i++) ways(0);
  profiler.mark('table');
  ways(1);
  assert.deepEqual(callsByPhase(profiler.profile().report({ paths: true })), [
    [undefined, 10],
    ['table', 3],
  ]);
});

test('what is called between stop and start is not in the profile', () => {
  const profiler = createProfiler();
  const { fib } = profiler.instantiateSync(program('fib')).instance.exports;
  profiler.stop();
  fib(7);
  profiler.start();
  fib(8);
  profiler.stop();
  profiler.stop();
  fib(9);
  assert.equal(profiler.profile().report().functions[0].calls, fibCalls(8));
  profiler.start();
  fib(6);
  assert.equal(profiler.profile().report().functions[0].calls, fibCalls(8) + fibCalls(6));
  profiler.reset();
  fib(4);
  assert.equal(profiler.profile().report().functions[0].calls, fibCalls(4));
});

test('what a running call does after a mark keeps its callers', () => {
  const profiler = createProfiler();
  const callback = () => {
    profiler.mark('late');
    return exports.leaf();
  };
  const env = { callback, quiet() {}, throws() {} };
  const { exports } = profiler.instantiateSync(program('host'), { env }).instance;
  exports.run(0);
  const { threads, functions, paths } = profiler.profile().report({ paths: true });
  const names = new Map(functions.map(({ id, name }) => [id, name]));
  const lines = threads.map(({ id, phase }) => [
    phase ?? undefined,
    paths
      .filter(({ thread, calls }) => thread === id && calls > 0)
      .map(({ path, calls }) => `${path.map((f) => names.get(f)).join(' > ')} ${calls}`)
      .sort(),
  ]);
  assert.deepEqual(lines, [
    [undefined, ['run 1', 'run > callback 1', 'run > quiet 1']],
    ['late', ['run > callback > leaf 1', 'run > leaf 1']],
  ]);
});

test('a snapshot is a copy', () => {
  const profiler = createProfiler();
  const { fib } = profiler.instantiateSync(program('fib')).instance.exports;
  fib(5);
  const { blocks, map } = profiler.snapshot();
  const before = blocks.slice();
  fib(10);
  profiler.snapshot();
  assert.deepEqual(blocks, before);
  assert.equal(JSON.parse(map).threads.length, 1);
});

test('a profile before the first module leaves the module all of the arena', () => {
  const sqlite = readFileSync(
    new URL('../../node_modules/sql.js/dist/sql-wasm.wasm', import.meta.url),
  );
  assert.throws(() => createProfiler({ arena: '64K' }).compileSync(sqlite), /do not fit/);
  const profiler = createProfiler();
  assert.deepEqual(profiler.profile().report().functions, []);
  assert.ok(profiler.compileSync(sqlite) instanceof WebAssembly.Module);
});
