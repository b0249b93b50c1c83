// No room for the profile: the program does what it does, and the user is told what to do.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-disk-'));
after(() => rmSync(folder, { recursive: true }));
const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = local('../../npm/dist/cli/main.js');
const register = local('../../npm/dist/register.js');

const app = join(folder, 'app.mjs');
writeFileSync(
  app,
  `import { readFileSync } from 'node:fs';
  const bytes = readFileSync(${JSON.stringify(local('../../target/programs/deep.wasm'))});
  const { instance } = await WebAssembly.instantiate(bytes);
  console.log(instance.exports.run(3000));
  process.exitCode = Number(process.argv[2]);`,
);

let folders = 0;

/** Runs Node where files may have 4 KiB, a hundredth of what the profile needs. */
function runInLittle(...args) {
  const cwd = join(folder, `${folders++}`);
  const temporary = join(cwd, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const command = ['-c', 'ulimit -f 4; exec "$@"', 'bash', process.execPath, ...args];
  const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: temporary };
  const run = spawnSync('bash', command, { cwd, env, encoding: 'utf8' });
  return { ...run, cwd, temporary };
}

for (const [code, status] of [
  [0, 1],
  [7, 7],
]) {
  test(`run, when the program ends with ${code}`, () => {
    const run = runInLittle(main, 'run', app, `${code}`);
    assert.deepEqual([run.stdout, run.status], ['3000\n', status], run.stderr);
    const reason = `main could not write its part of the profile, so it is missing: EFBIG: file too large, write. Free some space in ${run.temporary}, or name another folder in TMPDIR.`;
    assert.ok(run.stderr.includes(`Not seen: ${reason}`), run.stderr);
    assert.deepEqual(readdirSync(run.temporary), [], 'nothing half done stays');
  });
}

test('register', () => {
  const run = runInLittle('--import', register, app, '7');
  assert.deepEqual([run.stdout, run.status], ['3000\n', 7], run.stderr);
  assert.match(run.stderr, /main could not write its part of the profile/);
  assert.deepEqual(readdirSync(run.cwd), ['tmp']);
  assert.deepEqual(readdirSync(run.temporary), []);
});

test('a profile that cannot be written where it should be is kept elsewhere', () => {
  const temporary = join(folder, 'elsewhere');
  mkdirSync(temporary);
  const run = runCli(['run', '--out', '/dev/full', app, '0'], { TMPDIR: temporary });
  assert.deepEqual([run.stdout, run.status], ['3000\n', 1], run.stderr);
  assert.match(run.stderr, /^error: There is no space left for \/dev\/full\. .* another path\.$/m);
  const [, path] = /^wasm-xray: wrote (\S+\.xray) and/m.exec(run.stderr);
  const report = runCli(['report', path, '--json']);
  assert.equal(JSON.parse(report.stdout).functions[0].calls, 3001);
});

test('a file that could be written in part is removed', () => {
  const profile = join(folder, 'p.xray');
  const made = runCli(['run', '--out', profile, app, '0']);
  assert.equal(made.status, 0, made.stderr);
  const out = join(folder, 'p.json');
  const run = runInLittle(main, 'convert', profile, '-f', 'json', '-o', out);
  assert.deepEqual([run.status, run.stdout], [1, ''], run.stderr);
  assert.match(run.stderr, /^error: .*p\.json: EFBIG.* choose another path\.\n$/);
  assert.ok(!existsSync(out));
});

test('without a place for temporary files nothing is profiled, and the program runs', () => {
  const env = { TMPDIR: join(folder, 'nowhere') };
  const alone = spawnSync(process.execPath, ['--import', register, app, '7'], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    encoding: 'utf8',
  });
  assert.deepEqual([alone.stdout, alone.status], ['3000\n', 7], alone.stderr);
  assert.match(alone.stderr, /^wasm-xray: WebAssembly is not profiled\. .* TMPDIR\.\n$/);
  const run = runCli(['run', app, '7'], env);
  assert.deepEqual([run.stdout, run.status], ['', 1]);
  assert.match(run.stderr, /^error: There can be no temporary files in .* TMPDIR\.\n$/);
});
