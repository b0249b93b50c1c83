// Stack traces of instrumented modules, traced back: they must be those of the original module.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { hasMultiMemory } from '../../npm/dist/core/features.js';
import { CodeOffsets, createProfiler } from '../../npm/dist/index.js';

const require = createRequire(import.meta.url);
const path = require.resolve('sql.js/dist/sql-wasm.wasm');
const loader = require.resolve('sql.js/dist/sql-wasm.js');
const bytes = readFileSync(path);
Error.stackTraceLimit = Number.POSITIVE_INFINITY;

/** Function index and offset of each wasm frame, innermost first. */
function wasmFrames(stack) {
  return [...stack.matchAll(/wasm-function\[(\d+)\]:0x([0-9a-f]+)/g)].map(([, index, offset]) => ({
    function: Number(index),
    offset: Number.parseInt(offset, 16),
  }));
}

/** The stacks with which SQLite calls its imports, in order. */
async function stacks(instantiate) {
  const seen = [];
  const record = (f) =>
    function (...args) {
      seen.push(wasmFrames(new Error().stack));
      return Reflect.apply(f, this, args);
    };
  // It keeps its instance.
  delete require.cache[loader];
  const sql = await require(loader)({
    locateFile: () => path,
    instantiateWasm(imports, done) {
      const recorded = Object.fromEntries(
        Object.entries(imports).map(([module, values]) => [
          module,
          Object.fromEntries(
            Object.entries(values).map(([name, value]) => [
              name,
              typeof value === 'function' ? record(value) : value,
            ]),
          ),
        ]),
      );
      const instance = instantiate(recorded);
      done(instance);
      return instance.exports;
    },
  });
  const db = new sql.Database();
  db.create_function('twice', (x) => 2 * x);
  db.run('create table t (x); insert into t values (1), (2), (3)');
  db.exec(
    'select twice(x), random() is null from t where x in (select twice(x) from t) order by 1',
  );
  db.exec("select datetime('now') is null, strftime('%s', 0)");
  db.close();
  return seen;
}

const plain = await stacks(
  (imports) => new WebAssembly.Instance(new WebAssembly.Module(bytes), imports),
);

test('the oracle saw deep stacks', () => {
  assert.ok(plain.length > 20, `${plain.length} calls of imports`);
  assert.ok(plain.some((frames) => frames.length > 8));
});

const kinds = [
  ...(hasMultiMemory() ? [{ clock: 'calls', probes: 'inline' }] : []),
  { clock: 'calls', probes: 'imported' },
  { clock: 'wall', probes: 'imported' },
];
for (const kind of kinds) {
  test(`every frame of every stack (${kind.probes} probes, clock ${kind.clock})`, async () => {
    const profiler = createProfiler(kind);
    const offsets = CodeOffsets.read(profiler.instrument(bytes, { offsets: true }).offsets);
    const traced = (frames) =>
      frames
        .map(({ offset }) => offsets.original(offset))
        .filter((place) => place.offset !== undefined);
    const seen = await stacks((imports) => profiler.instantiateSync(bytes, imports).instance);
    assert.deepEqual(seen.map(traced), plain);
  });
}

test('a file that is no map is refused with its offset', () => {
  assert.throws(() => CodeOffsets.read(bytes), { code: 'ERR_XRAY_MODULE', message: /offset 0x0/ });
});
