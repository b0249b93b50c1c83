// Clock `instructions`: what every function executed is what a module counts whose every
// instruction adds one to a counter.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { countsOf, executedIn } from './oracle.mjs';
import { cases } from './programs/cases.mjs';
import { pathsOf, program, runCase, supported } from './programs/run.mjs';
import { runCli } from './support.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const counting = (name) => here(`../../target/counting/${name}.wasm`);
const kinds = supported.memories ? ['inline', 'imported'] : ['imported'];

/** What a function executed since its last call is lost when an access traps: by case and function index. */
const LOST = {
  'traps, each followed by a call': { 1: 2 },
  'leaves, called in every way': { 2: 2 },
};

/** Instructions by index, as the module itself counts them. */
function counted(c) {
  const ctx = { log: [], exports: undefined };
  const module = new WebAssembly.Module(readFileSync(counting(c.program)));
  const { exports } = new WebAssembly.Instance(module, c.imports?.(ctx));
  ctx.exports = exports;
  c.run(exports, ctx);
  const counts = countsOf(exports);
  for (const [index, lost] of Object.entries(LOST[c.name] ?? {})) counts[index] -= lost;
  return counts;
}

for (const c of cases) {
  if (!WebAssembly.validate(program(c.program))) continue;
  for (const probes of kinds) {
    test(`${c.name} (${probes} probes)`, () => {
      const report = runCase(c, { clock: 'instructions', probes });
      assert.equal(report.unit, 'instructions');
      assert.deepEqual(pathsOf(report), pathsOf(runCase(c, { clock: 'calls', probes })));
      assert.deepEqual(executedIn(report), counted(c));
    });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-instructions-'));
after(() => rmSync(folder, { recursive: true }));

function run(name, ...options) {
  const out = join(folder, `${name}.xray`);
  const args = ['run', '--clock', 'instructions', ...options, '--out', out];
  const { status, stderr } = runCli([...args, here(`real/${name}.mjs`)], { SIZE: 'small' });
  assert.equal(status, 0, stderr);
  return readFileSync(out);
}

for (const name of ['sqlite', 'rollup', 'gofmt']) {
  const counts = join(folder, `${name}.json`);
  const plain = spawnSync(
    process.execPath,
    ['--import', new URL('hook/counting.mjs', import.meta.url).href, here(`real/${name}.mjs`)],
    {
      env: {
        ...process.env,
        ...{
          NODE_OPTIONS: '',
          SIZE: 'small',
          COUNTS: counts,
          COUNTING_MODULE: counting(`real-${name}`),
        },
      },
      encoding: 'utf8',
    },
  );

  test(`${name}: every function, and the same bytes from each kind of probes`, () => {
    assert.equal(plain.status, 0, plain.stderr);
    const expected = JSON.parse(readFileSync(counts, 'utf8'));
    const profiles = kinds.map((probes) => run(name, '--probes', probes));
    for (const bytes of profiles) assert.ok(bytes.equals(profiles[0]));
    const json = runCli(['report', join(folder, `${name}.xray`), '--json']);
    const report = JSON.parse(json.stdout);
    assert.equal(report.clock, 'instructions');
    assert.ok(Object.keys(expected).length > 50, 'the oracle saw the program');
    assert.deepEqual(executedIn(report), expected);
  });

  test(`${name}: what is left out is part of its caller`, () => {
    const expected = JSON.parse(readFileSync(counts, 'utf8'));
    run(name, '--min-instructions', '60');
    const json = runCli(['report', join(folder, `${name}.xray`), '--json']);
    const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);
    const all = sum(expected);
    const some = executedIn(JSON.parse(json.stdout));
    assert.ok(Object.keys(some).length < Object.keys(expected).length);
    assert.ok(sum(some) <= all && sum(some) > 0.9 * all, `${sum(some)} of ${all}`);
    for (const [index, self] of Object.entries(some)) {
      assert.ok(self >= expected[index], `function ${index}: ${self} of ${expected[index]}`);
    }
  });
}
