// Counts and paths computed by hand, the same from every kind of probe.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';
import { cases } from './programs/cases.mjs';
import { kinds, pathsOf, runCase, supported } from './programs/run.mjs';

const program = (name) =>
  readFileSync(new URL(`../../target/programs/${name}.wasm`, import.meta.url));

for (const kind of kinds) {
  for (const c of cases) {
    if (!WebAssembly.validate(program(c.program))) continue;
    test(`${c.name} (${kind.probes} probes, clock ${kind.clock})`, () => {
      const report = runCase(c, kind);
      const expected = c.expect
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
        .sort();
      assert.deepEqual(pathsOf(report), expected);
      assert.equal(report.dropped.calls, 0);
      for (const f of report.functions) {
        const calls = report.paths.filter(({ path }) => path.at(-1) === f.id);
        assert.equal(
          f.calls,
          calls.reduce((sum, path) => sum + path.calls, 0),
        );
      }
      if (kind.clock === 'wall') checkTimes(report);
    });
  }
}

/** Times are integers, never negative, and no function's total exceeds the whole. */
function checkTimes(report) {
  const whole = report.functions.reduce((sum, f) => sum + f.self, 0);
  for (const f of report.functions) {
    assert.ok(Number.isInteger(f.self) && f.self >= 0, `self ${f.self}`);
    assert.ok(Number.isInteger(f.total) && f.total >= f.self, `total ${f.total} self ${f.self}`);
    assert.ok(f.total <= whole, `total ${f.total} of ${whole}`);
  }
}

test('engines of the test suite run what they are there for', () => {
  const major = Number(process.versions.node.split('.')[0]);
  assert.equal(supported.memories, major >= 22);
  assert.equal(supported.gc, major >= 22);
});

test('a view taken early is attached and right after the run', () => {
  const profiler = createProfiler({ arena: '1M' });
  const { instance } = profiler.instantiateSync(program('fib'));
  const [header] = profiler.blocks();
  const before = header.buffer.byteLength;
  instance.exports.fib(20);
  assert.equal(header.buffer.byteLength, before, 'not detached, and the memory did not grow');
  const report = profiler.profile().report();
  assert.equal(report.functions[0].calls, 21891);
});

test('a small arena loses paths, not calls, and says so', () => {
  for (const probes of supported.memories ? ['inline', 'imported'] : ['imported']) {
    const profiler = createProfiler({ arena: '64K', probes });
    const { instance } = profiler.instantiateSync(program('deep'));
    assert.equal(instance.exports.run(9000), 9000);
    const report = profiler.profile().report();
    const down = report.functions.find((f) => f.name === 'down');
    assert.equal(down.calls, 9001, probes);
    assert.ok(report.dropped.calls > 0 && report.dropped.paths > 0);
  }
});

test('what is out of range in the original stays refused, though the probes have such an index', () => {
  const module = (...code) =>
    Uint8Array.of(
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, 5, 1, 0x60, 0, 1, 0x7f], // type: () → i32
      ...[3, 2, 1, 0],
      ...[10, code.length + 4, 1, code.length + 2, 0, ...code, 0x0b],
    );
  const broken = {
    'a local': module(0x20, 1),
    'a global': module(0x23, 0),
    'a memory': module(0x41, 0, 0x28, 2, 0),
    'a function': module(0x10, 1),
    'a type': module(0x41, 0, 0x11, 1, 0),
  };
  for (const probes of supported.memories ? ['inline', 'imported'] : ['imported']) {
    const profiler = createProfiler({ arena: '64K', probes });
    for (const [what, bytes] of Object.entries(broken)) {
      assert.throws(() => profiler.instantiateSync(bytes), { code: 'ERR_XRAY_MODULE' }, what);
    }
    assert.equal(
      profiler.instantiateSync(module(0x41, 7)).instance instanceof WebAssembly.Instance,
      true,
    );
  }
});
