// Instrumented modules on disk: found again, never trusted, bounded, and no trouble when there is none.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-cache-'));
after(() => rmSync(folder, { recursive: true }));
const cache = join(folder, 'cache');
const program = fileURLToPath(new URL('real/sqlite.mjs', import.meta.url));

// Tells whether the toolkit was read, which instruments modules.
const spy = join(folder, 'spy.mjs');
writeFileSync(
  spy,
  `import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { readFileSync } = fs;
  let toolkit = 'cached';
  fs.readFileSync = (file, ...rest) => {
    if (String(file).includes('toolkit_bg.wasm')) toolkit = 'instrumented';
    return readFileSync(file, ...rest);
  };
  syncBuiltinESMExports();
  process.on('exit', () => console.log(toolkit));`,
);

beforeEach(() => rmSync(cache, { recursive: true, force: true }));

/** @returns how the module came, and the profile */
function run(options = [], env = {}) {
  const out = join(folder, 'p.xray');
  const { stdout, stderr, status } = runCli(['run', ...options, '--out', out, program], {
    SIZE: 'small',
    WASM_XRAY_MODULE_CACHE: cache,
    NODE_OPTIONS: `--import ${spy}`,
    ...env,
  });
  assert.equal(status, 0, stderr);
  const [result, how] = stdout.trim().split('\n');
  const profile = createHash('sha256').update(readFileSync(out)).digest('hex');
  return { result, how, profile };
}

test('the second start finds the module of the first, and profiles alike', () => {
  const first = run();
  assert.equal(first.how, 'instrumented');
  assert.deepEqual(run(), { ...first, how: 'cached' });
  assert.equal(run(['--clock', 'wall']).how, 'instrumented', 'another clock is another module');
  assert.equal(run(['--exclude', 'x*']).how, 'instrumented', 'so is another filter');
  assert.equal(readdirSync(cache).length, 3);
});

test('a file that was changed or cut is made again', () => {
  const first = run();
  const [name] = readdirSync(cache);
  const file = join(cache, name);
  const bytes = readFileSync(file);
  for (const at of [0, 20, 45, 1000, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    writeFileSync(file, changed);
    assert.deepEqual(run(), first, `byte ${at}`);
    assert.ok(readFileSync(file).equals(bytes));
  }
  for (const length of [0, 10, 47, bytes.length - 1]) {
    truncateSync(file, length);
    assert.deepEqual(run(), first, `${length} bytes`);
  }
});

test('what was not used the longest goes when there is too much', () => {
  run();
  const name = (digit) => `${digit.repeat(40)}.wasm`;
  const old = join(cache, name('a'));
  const recent = join(cache, name('b'));
  const abandoned = join(cache, `${name('c')}.1-0-0`);
  const others = ['thesis.txt', 'own.wasm'];
  for (const [file, bytes, hours] of [
    [old, 700 * 1024 ** 2, 48],
    [recent, 600 * 1024 ** 2, 24],
    [abandoned, 10, 2],
    ...others.map((other) => [join(cache, other), 500 * 1024 ** 2, 99]),
  ]) {
    writeFileSync(file, '');
    truncateSync(file, bytes);
    const when = new Date(Date.now() - hours * 3_600_000);
    utimesSync(file, when, when);
  }
  assert.equal(run().how, 'cached');
  run(['--clock', 'wall']);
  const names = readdirSync(cache);
  assert.ok(!names.includes(name('a')) && names.includes(name('b')), names.join(' '));
  assert.ok(!names.includes(`${name('c')}.1-0-0`));
  for (const other of others) assert.ok(names.includes(other), 'it is not ours');
  assert.equal(names.length, 3 + others.length);
});

test('a cache that cannot be written or is switched off is none', () => {
  const first = run([], { WASM_XRAY_MODULE_CACHE: 'off' });
  assert.equal(first.how, 'instrumented');
  assert.deepEqual(run([], { WASM_XRAY_MODULE_CACHE: 'off' }), first);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  assert.deepEqual(run([], { WASM_XRAY_MODULE_CACHE: file }), first);
  assert.deepEqual(run([], { WASM_XRAY_MODULE_CACHE: file }), first);
});
