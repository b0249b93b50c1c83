// Jest and Vitest under the hook: what their test files load is profiled, in whatever
// process, thread or context of node:vm they run, and passes the same assertions.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const { WASM_XRAY_CACHE, XDG_CACHE_HOME } = process.env;
const cache = WASM_XRAY_CACHE ?? join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'wasm-xray');
const modules = join(cache, 'test-runners/node_modules');
const register = fileURLToPath(new URL('../../npm/dist/register.js', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-runners-'));
after(() => rmSync(folder, { recursive: true }));

/** A test file for either runner. Errors, promises and objects have to be of the file's own realm. */
const testFile = (load, program, call, result) => `
  ${load}
  const bytes = readFileSync(${JSON.stringify(join(folder, `${program}.wasm`))});
  test('${program}', async () => {
    const loading = WebAssembly.instantiate(bytes);
    expect(loading).toBeInstanceOf(Promise);
    const loaded = await loading;
    expect(loaded.module).toBeInstanceOf(WebAssembly.Module);
    expect(loaded.instance).toBeInstanceOf(WebAssembly.Instance);
    expect(loaded).toStrictEqual({ module: loaded.module, instance: loaded.instance });
    expect(WebAssembly.Module.imports(loaded.module)).toStrictEqual([]);
    expect(() => new WebAssembly.Module(bytes.subarray(0, 20))).toThrow(WebAssembly.CompileError);
    expect(loaded.instance.exports.${call}).toBe(${result});
  });`;

before(() => {
  assert.ok(existsSync(modules), 'Jest and Vitest are missing. Run scripts/setup.');
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{}');
  for (const [name, load] of [
    ['jest', `const { readFileSync } = require('node:fs');`],
    ['vitest', `import { readFileSync } from 'node:fs'; import { expect, test } from 'vitest';`],
  ]) {
    mkdirSync(join(folder, name));
    const file = (program) =>
      join(folder, name, `${program}.test.${name === 'jest' ? 'js' : 'mjs'}`);
    writeFileSync(file('fib'), testFile(load, 'fib', 'fib(10)', 55));
    writeFileSync(file('deep'), testFile(load, 'deep', 'run(10)', 10));
  }
  for (const program of ['fib', 'deep']) {
    const wasm = fileURLToPath(new URL(`../../target/programs/${program}.wasm`, import.meta.url));
    copyFileSync(wasm, join(folder, `${program}.wasm`));
  }
});

/** Calls of each function as a report has them, without those of modules that the runner itself uses. */
function callsOf(profile) {
  const json = runCli(['report', profile, '--json']);
  assert.equal(json.status, 0, json.stderr);
  const { functions, skipped } = JSON.parse(json.stdout);
  assert.deepEqual(skipped, []);
  const ours = functions.filter(({ module }) => module.endsWith('.test'));
  return ours.map(({ module, name, calls }) => `${module} ${name} ${calls}`).sort();
}

const CALLS = ['deep.test down 11', 'deep.test run 1', 'fib.test fib 177'];

for (const [runner, options] of [
  ['jest', ['--runInBand']],
  ['jest', ['--maxWorkers=2']],
  ['jest', ['--maxWorkers=2', '--workerThreads']],
  ['vitest', ['--pool=forks']],
  ['vitest', ['--pool=threads']],
  ['vitest', ['--pool=vmThreads']],
]) {
  test(`exec -- ${runner} ${options.join(' ')}`, () => {
    const args = runner === 'jest' ? ['--no-cache', 'jest'] : ['run', '--dir', 'vitest'];
    const out = join(folder, 'p.xray');
    const command = join('node_modules/.bin', runner);
    const run = runCli(
      ['exec', '--out', out, '--', command, ...args, ...options],
      {},
      { cwd: folder },
    );
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.deepEqual(callsOf(out), CALLS);
  });
}

test('node --import wasm-xray/register node_modules/.bin/jest', () => {
  const cli = join(modules, 'jest/bin/jest.js');
  const args = ['--import', register, cli, '--no-cache', '--runInBand', 'jest'];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const run = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const profile = readdirSync(folder).find((name) => /^wasm-xray-\d+\.xray$/.test(name));
  assert.deepEqual(callsOf(join(folder, profile)), CALLS);
});
