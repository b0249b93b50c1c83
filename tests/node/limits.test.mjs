// Functions at an engine's limits run as they were; those just below get their probes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasMultiMemory } from '../../npm/dist/core/features.js';
import { createProfiler } from '../../npm/dist/index.js';

const leb = (n) => (n < 0x80 ? [n] : [(n & 0x7f) | 0x80, ...leb(n >> 7)]);
const sized = (bytes) => [...leb(bytes.length), ...bytes];
const section = (id, bytes) => [id, ...sized(bytes)];

/** `run` calls a function with so many i32 locals, which sets and returns its last one and calls `leaf`. */
function withLocals(count) {
  const last = leb(count - 1);
  const many = [1, ...leb(count), 0x7f, 0x41, 42, 0x21, ...last, 0x10, 2, 0x20, ...last, 0x0b];
  const run = [0, 0x10, 0, 0x10, 2, 0x0b];
  const leaf = [0, 0x0b];
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, 0x60, 0, 1, 0x7f, 0x60, 0, 0]),
    ...section(3, [3, 0, 0, 1]),
    ...section(7, [2, ...sized(Buffer.from('run')), 0, 1, ...sized(Buffer.from('leaf')), 0, 2]),
    ...section(10, [3, ...sized(many), ...sized(run), ...sized(leaf)]),
  );
}

const kinds = [
  ...(hasMultiMemory() ? [{ clock: 'calls', probes: 'inline' }] : []),
  { clock: 'calls', probes: 'imported' },
  { clock: 'wall', probes: 'imported' },
];
for (const kind of kinds) {
  for (const [count, paths] of [
    [50_000, ['run', 'run > leaf', 'run > leaf']],
    [49_997, ['run', 'run > leaf', 'run > leaf']],
    [49_996, ['run', 'run > func[0]', 'run > func[0] > leaf', 'run > leaf']],
  ]) {
    test(`${count} locals (${kind.probes} probes, clock ${kind.clock})`, () => {
      const profiler = createProfiler({ ...kind, arena: '4M' });
      const { instance } = profiler.instantiateSync(withLocals(count));
      assert.equal(instance.exports.run(), 42);
      const report = profiler.profile().report({ paths: true, limit: 0 });
      const name = new Map(report.functions.map((f) => [f.id, f.name]));
      const calls = report.paths.flatMap((path) =>
        Array(path.calls).fill(path.path.map((id) => name.get(id)).join(' > ')),
      );
      assert.deepEqual(calls.sort(), paths);
      const skipped = report.skipped.map(({ reason }) => reason);
      assert.deepEqual(
        skipped,
        count > 49_996 ? [`${count} locals; probes need 4 more, engines allow 50000`] : [],
      );
    });
  }
}
