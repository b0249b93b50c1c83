// The benchmark measures what it says, in the form that its schema says.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import { deep, leaf, manyCallees, manyInTable, tree } from '../../benches/curves/module.mjs';
import { openSession } from '../../benches/overhead/session.mjs';
import '../../npm/dist/index.js'; // Gives sessions their wasm files.
import { CLOCKS } from '../../npm/dist/core/options.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-bench-'));
after(() => rmSync(cwd, { recursive: true }));
const [major] = process.versions.node.split('.');

function bench(...args) {
  const json = join(cwd, 'rows.json');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [here('../../benches/run.mjs'), '--json', json, ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, WASM_XRAY_BENCH_SCALE: '0.01', WASM_XRAY_ENGINES: undefined },
    },
  );
  return { stdout, stderr, status, read: () => JSON.parse(readFileSync(json, 'utf8')) };
}

test('rows of every clock, as the schema has them', () => {
  const args = ['--engines', major, '--workloads', 'rollup,gofmt', '--rounds', '2'];
  const { stdout, stderr, status, read } = bench(...args, '--only', 'overhead');
  assert.equal(status, 0, stderr);
  const all = read();
  const schema = JSON.parse(readFileSync(here('../../docs/bench.schema.json'), 'utf8'));
  const ajv = new Ajv({ allErrors: true });
  assert(ajv.validate(schema, all), ajv.errorsText());
  for (const workload of ['rollup', 'gofmt']) {
    const rows = all.rows.filter((row) => row.workload === workload);
    const plain = rows.find(({ clock }) => clock === 'plain');
    assert.equal(plain.ratio, 1);
    const profiled = rows.filter(({ clock }) => CLOCKS.includes(clock));
    assert.deepEqual([...new Set(profiled.map(({ clock }) => clock))].sort(), [...CLOCKS].sort());
    for (const row of profiled) {
      // Every clock counts the same calls on the same paths.
      assert.equal(row.calls, profiled[0].calls, row.clock);
      assert.equal(row.nodes, profiled[0].nodes, row.clock);
      assert(row.calls > 1000 && row.nodes > 100 && row.sizeRatio > 1, row.clock);
      const ns = ((row.ratio - 1) * plain.ms * 1e6) / row.calls;
      assert(Math.abs(ns - row.nsPerCall) <= 1e-6 * Math.abs(ns), row.clock);
    }
  }
  // A header, a rule and a row for each workload, which all have as many cells.
  const lines = stdout.split('\n').filter((line) => line.startsWith('|'));
  const first = lines.slice(0, 4).map((line) => line.split('|').length);
  assert.equal(new Set(first).size, 1, stdout);
  assert.match(lines[2], /Rollup's parser/);
});

test('the rows of a fast machine and of a native program fit the schema as well', () => {
  const schema = JSON.parse(readFileSync(here('../../docs/bench.schema.json'), 'utf8'));
  const validate = new Ajv().compile(schema);
  const row = {
    workload: 'micro/fib',
    engine: 'native, clang 14',
    time: 'cpu',
    clock: 'xray-profiling',
    probes: null,
    rounds: 9,
    ms: 20,
    ratio: 100,
    nsPerCall: 130,
    calls: 100,
    nodes: 24,
    sizeRatio: null,
  };
  const sizes = { runtime: 1, toolkit: 1 };
  const machine = { cpu: 'x', cores: 2, loadAtStart: 0 };
  const rest = { machine, rewriter: [], startup: [], profiles: [], sizes, failures: [] };
  assert(validate({ ...rest, rows: [row] }), JSON.stringify(validate.errors));
  assert(!validate({ ...rest, rows: [{ ...row, ratio: '100' }] }));
  assert(!validate({ ...rest, rows: [{ ...row, nodes: undefined }] }));
});

test('what cannot be measured is said, and the command fails', () => {
  const other = major === '22' ? '24' : '22';
  const { status, stdout, stderr, read } = bench('--engines', other, '--only', 'overhead');
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`Node ${other} is not installed`));
  assert.match(stdout, /Not measured/);
  assert(read().failures.length > 0);
});

test('wrong options are named with those that there are', () => {
  for (const [option, value] of [
    ['--engines', '23'],
    ['--workloads', 'sqlit'],
    ['--rounds', 'many'],
    ['--only', 'nothing'],
  ]) {
    const { status, stderr } = bench(option, value);
    assert.equal(status, 2);
    assert.match(stderr, new RegExp(`^bench: .*${value}`));
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('the modules of the curves make the calls that their figures are divided by', () => {
  const cases = [
    [manyCallees(5), 7, 5 * 7 + 1, 6],
    [manyInTable(5), 7, 5 * 7 + 1, 6],
    [deep(), 9, 9 + 2, 11],
    [tree(3), 3, 1 + 3 + 9 + 27, 1 + 3 + 9 + 27],
    [leaf(4), 8, 9, 2],
  ];
  for (const [bytes, argument, calls, paths] of cases) {
    const session = openSession({ clock: 'calls', arena: '1M' });
    const { run } = session.instantiate(bytes, {}).exports;
    const plain = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.run;
    session.reset();
    assert.equal(run(argument), plain(argument));
    const figures = session.figures();
    assert.deepEqual([figures.calls, figures.nodes], [calls, paths]);
  }
});
