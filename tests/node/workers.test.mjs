// Threads, however they are started and ended, are in the profile under their names.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-workers-'));
after(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('hook/workers.mjs', import.meta.url));
const register = fileURLToPath(new URL('../../npm/dist/register.js', import.meta.url));

/** Calls that fib(n) makes, by the kind of worker; `hook/workers.mjs` has the n. */
const calls = {
  posted: 15,
  own: 25,
  environment: 41,
  'no options': 67,
  neither: 109,
  strict: 9,
  exits: 5,
  idle: 3,
  terminated: 1,
  waits: 177,
  busy: 287,
  'terminated while busy': 465,
  nested: 753,
};
const kinds = Object.keys(calls);

for (const clock of ['calls', 'sampled']) {
  for (const kind of kinds) {
    test(`a worker of the kind "${kind}" (clock ${clock})`, () => {
      const out = join(folder, 'p.xray');
      const plain = spawnSync(process.execPath, [program, kind], { encoding: 'utf8' });
      const run = runCli(['run', '--clock', clock, '--out', out, program, kind]);
      assert.equal(run.stdout, plain.stdout);
      assert.equal(run.status, plain.status);
      const report = JSON.parse(runCli(['report', out, '--json']).stdout);
      assert.deepEqual(report.unseen, []);
      assert.deepEqual(report.threads, [
        { id: 1, name: kind === 'nested' ? 'worker 2' : 'worker 1' },
      ]);
      assert.equal(report.functions[0].calls, calls[kind]);
      assert.equal(report.functions[0].module, 'workers', 'also where it was only posted');
    });
  }

  test(`all of them in one profile, twice the same (clock ${clock})`, () => {
    const read = (name) => {
      const out = join(folder, name);
      const run = runCli(['run', '--clock', clock, '--out', out, program, ...kinds]);
      assert.equal(run.status, 0, run.stderr);
      return JSON.parse(runCli(['report', out, '--json', '--paths']).stdout);
    };
    const counted = ({ functions, threads, paths }) => ({
      functions: functions.map(({ name, calls }) => ({ name, calls })),
      threads,
      paths: paths.map(({ thread, path, calls }) => ({ thread, path, calls })),
    });
    const report = read('a.xray');
    assert.deepEqual(counted(report), counted(read('b.xray')));
    assert.equal(report.functions.length, 1, 'one module, wherever it was instantiated');
    assert.deepEqual(
      report.threads.map(({ name }) => name),
      // The one that only starts another has no wasm.
      kinds.map((kind, i) => `worker ${i + (kind === 'nested' ? 2 : 1)}`),
    );
  });
}

test('workers have the hook when it stands on the command line', () => {
  for (const option of ['--import', '--require']) {
    const args = [option, register, program, ...kinds];
    const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } };
    const run = spawnSync(process.execPath, args, options);
    assert.equal(run.status, 0, run.stderr);
    const path = /wrote (.*\.xray);/.exec(run.stderr)?.[1];
    const report = JSON.parse(runCli(['report', path, '--json']).stdout);
    const sum = Object.values(calls).reduce((a, b) => a + b);
    assert.equal(report.functions[0].calls, sum, option);
  }
});
