// Several modules, and several instances of one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';
import { kinds, pathsOf, program } from './programs/run.mjs';

for (const kind of kinds) {
  const title = `(${kind.probes} probes, clock ${kind.clock})`;

  test(`100,000 tail calls between modules do not grow the stack ${title}`, () => {
    const profiler = createProfiler(kind);
    const ping = profiler.instantiateSync(program('ping')).instance.exports;
    const pong = profiler.instantiateSync(program('pong'), { ping }).instance.exports;
    assert.equal(pong.run(100_000), 42);
    const { functions } = profiler.profile().report();
    const calls = Object.fromEntries(functions.map((f) => [`${f.module} ${f.name}`, f.calls]));
    // Through a table it is ping itself that is called, not pong's import of it.
    assert.deepEqual(calls, { 'pong run': 1, 'ping ping': 100_001 });
  });

  /** Links the two modules and calls `run`; the paths with the modules' names. */
  function linked(filter) {
    const profiler = createProfiler({ ...kind, ...filter });
    const side = profiler.instantiateSync(program('link_side')).instance.exports;
    let main;
    const env = { log: () => main.leaf() };
    main = profiler.instantiateSync(program('link_main'), { side, env }).instance.exports;
    assert.equal(main.run(), 42);
    const report = profiler.profile().report({ paths: true });
    for (const f of report.functions) f.name = `${f.module}!${f.name}`;
    return pathsOf(report);
  }

  test(`paths go on from module to module, by imports and by a shared table ${title}`, () => {
    assert.deepEqual(
      linked(),
      `
      main!run 1
      main!run > main!add 1
      main!run > main!add > side!add 1
      main!run > main!add > side!add > side!inner 1
      main!run > main!through 3
      main!run > main!through > side!through 3
      main!run > main!through > side!through > side!inner 1
      main!run > main!through > side!through > main!own 1
      main!run > main!through > side!through > main!own > main!leaf 1
      main!run > main!through > side!through > main!own > main!log 1
      main!run > main!through > side!through > main!own > main!log > main!leaf 1
      main!run > main!through > side!through > main!log 1
      main!run > main!through > side!through > main!log > main!leaf 1
      main!run > side!inner 1`
        .trim()
        .split('\n')
        .map((line) => line.trim())
        .sort(),
    );
  });

  test(`a function of another instance is the same in a table, a reference and an export ${title}`, () => {
    const profiler = createProfiler(kind);
    const importing = (f) => {
      const env = { tabled: f, exported: f, both: f };
      return profiler.instantiateSync(program('import_table'), { env }).instance.exports;
    };
    // A function of JavaScript becomes one of the engine's, the same in both places.
    const js = () => {};
    const first = importing(js);
    assert.equal(first.both, first.table.get(1));
    assert.notEqual(first.both, js);
    const second = importing(first.leaf);
    for (const f of [second.table.get(0), second.both, second.table.get(1), second.exported]) {
      assert.equal(f, first.leaf);
    }
    second.run();
    const calls = pathsOf(profiler.profile().report({ paths: true }));
    // Direct calls are the import's; through the table it is the other instance's function.
    assert.deepEqual(calls, [
      'run 1',
      'run > both 1',
      'run > both > leaf 1',
      'run > leaf 4',
      'run > tabled 1',
      'run > tabled > leaf 1',
    ]);
  });

  test(`a module left out is transparent to the other ${title}`, () => {
    assert.deepEqual(linked({ exclude: ['side!*', 'main!through', 'main!add'] }), [
      'main!run 1',
      'main!run > main!log 1',
      'main!run > main!log > main!leaf 1',
      'main!run > main!own 1',
      'main!run > main!own > main!leaf 1',
      'main!run > main!own > main!log 1',
      'main!run > main!own > main!log > main!leaf 1',
    ]);
    assert.deepEqual(linked({ exclude: ['main!*'] }), [
      'side!add 1',
      'side!add > side!inner 1',
      'side!inner 1',
      'side!through 3',
      'side!through > side!inner 1',
    ]);
  });

  test(`40 instances of one module are one module in the profile ${title}`, () => {
    const profiler = createProfiler(kind);
    const module = profiler.compileSync(program('direct'));
    for (let i = 0; i < 40; i++) {
      // Half of them from a module compiled again.
      const source = i % 2 === 0 ? module : program('direct');
      profiler.instantiateSync(source).instance.exports.run(1);
    }
    const report = profiler.profile().report({ paths: true });
    assert.deepEqual(pathsOf(report), [
      'run 40',
      'run > leaf 40',
      'run > middle 40',
      'run > middle > leaf 80',
    ]);
  });

  test(`60 modules keep their functions apart ${title}`, () => {
    const profiler = createProfiler(kind);
    const bytes = program('direct');
    for (let i = 0; i < 60; i++) {
      // A custom section makes it another module.
      const other = Uint8Array.of(...bytes, 0, 3, 1, 0x78, i);
      profiler.instantiateSync(other).instance.exports.run(i + 1);
    }
    const { functions } = profiler.profile().report({ by: 'calls' });
    assert.equal(new Set(functions.map((f) => f.id)).size, 180);
    const calls = (name) => functions.filter((f) => f.name === name).map((f) => f.calls);
    const counts = Array.from({ length: 60 }, (_, i) => 60 - i);
    assert.deepEqual(calls('middle'), counts);
    assert.deepEqual(
      calls('leaf'),
      counts.map((n) => 3 * n),
    );
  });
}
