// What the clock cannot tell is marked: self times below its step.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';
import { program } from './programs/run.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-step-'));
after(() => rmSync(folder, { recursive: true }));
const golden = (name) => new URL(`../../crates/profile/tests/golden/${name}`, import.meta.url);

function report(...args) {
  const { status, stdout, stderr } = runCli(['report', ...args]);
  assert.equal(status, 0, stderr);
  return stdout;
}

test('a recorded profile has the step of its clock, if the clock has one', () => {
  for (const clock of ['wall', 'calls', 'instructions']) {
    const profiler = createProfiler({ clock, arena: '1M' });
    profiler.instantiateSync(program('fib')).instance.exports.fib(5);
    const { clockStepNs } = profiler.profile().report();
    if (clock === 'wall') assert.ok(Number.isInteger(clockStepNs) && clockStepNs > 0);
    else assert.equal(clockStepNs, undefined);
  }
});

test('self times below the step are marked, and the mark is explained', () => {
  const file = join(folder, 'wall.xray');
  writeFileSync(file, readFileSync(golden('wall.compact')));
  const map = JSON.parse(readFileSync(golden('wall.map.json'), 'utf8'));
  const written = (step) => {
    writeFileSync(join(folder, 'wall.map.json'), JSON.stringify({ ...map, ...step }));
    return file;
  };
  const { functions } = JSON.parse(report(written({}), '--json'));
  const selfs = functions.map((f) => f.self).sort((a, b) => a - b);
  const step = selfs[selfs.length >> 1];
  assert.ok(selfs[0] < step && step <= selfs.at(-1), 'some are below it and some are not');

  assert.doesNotMatch(report(file), /~/);
  const [table] = report(written({ clock_step_ns: step })).split('calls by thread');
  for (const line of table.split('\n').filter((line) => / {2,}[\d,.~]+$/.test(line))) {
    const f = functions.find(({ name }) => line.startsWith(name));
    assert.equal(line.includes('~'), f.self < step, line);
  }
  assert.match(
    table,
    new RegExp(`^~ A self time below the clock's step of ${step / 1000} µs`, 'm'),
  );
  const tree = report(file, '--tree');
  assert.match(tree, /~/);
  assert.match(tree, /The clock's step is [\d.]+ µs: a self time below it \(~\)/);
  assert.equal(JSON.parse(report(file, '--json')).clockStepNs, step);
});
