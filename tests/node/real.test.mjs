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

test('two runs of a deterministic program give the same bytes', () => {
  const read = (name) => {
    const out = join(folder, name);
    const run = runCli(['run', '--out', out, join(programs, 'rollup.mjs')], { SIZE: 'small' });
    assert.equal(run.status, 0, run.stderr);
    return runCli(['report', out, '--json', '--paths']).stdout;
  };
  assert.equal(read('first.xray'), read('second.xray'));
});
