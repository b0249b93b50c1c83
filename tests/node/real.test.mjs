// Real programs from npm print the same when they are profiled.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-real-'));
after(() => rmSync(folder, { recursive: true }));
const programs = fileURLToPath(new URL('real/', import.meta.url));

for (const file of readdirSync(programs).filter((name) => name !== 'source.mjs')) {
  test(`${file} gives the same result`, () => {
    const program = join(programs, file);
    const plain = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    assert.match(plain.stdout, /^RESULT /);
    const profiled = runCli(['run', '--out', join(folder, `${file}.xray`), program]);
    assert.equal(profiled.stdout, plain.stdout, profiled.stderr);
    assert.equal(profiled.status, 0, profiled.stderr);
  });
}

const threadsOf = (file) => {
  const report = JSON.parse(
    runCli(['report', join(folder, `${file}.xray`), '--json', '--paths']).stdout,
  );
  assert.deepEqual(report.unseen, []);
  const calls = new Map(report.threads.map(({ id }) => [id, 0]));
  for (const path of report.paths) calls.set(path.thread, calls.get(path.thread) + path.calls);
  return report.threads.map(({ id, name }) => ({ name, calls: calls.get(id) }));
};

test("oxc's workers, which wait for more work when the program ends, are threads of the profile", () => {
  const [main, ...workers] = threadsOf('oxc.mjs');
  assert.equal(main.name, 'main');
  assert.ok(workers.length >= 1);
  for (const { name, calls } of workers) {
    assert.match(name, /^worker \d$/);
    assert.ok(calls > 0, `${name}: ${calls} calls`);
  }
});

test("esbuild's service, which the program ends as it ends, is a process of the profile", () => {
  const [service, ...others] = threadsOf('esbuild-service.mjs');
  assert.equal(service.name, 'process 2 (esbuild) main');
  assert.ok(service.calls > 100_000);
  assert.deepEqual(others, []);
});

test('two runs of a deterministic program give the same bytes', () => {
  const read = (name) => {
    const out = join(folder, name);
    const run = runCli(['run', '--out', out, join(programs, 'rollup.mjs')], { SIZE: 'small' });
    assert.equal(run.status, 0, run.stderr);
    return runCli(['report', out, '--json', '--paths']).stdout;
  };
  assert.equal(read('first.xray'), read('second.xray'));
});
