// What a large module waits for is told at a terminal, and nowhere else.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-progress-'));
after(() => rmSync(folder, { recursive: true }));

/** fib with a custom section that makes it some bytes larger. */
function write(name, size) {
  const code = readFileSync(local('../../target/programs/fib.wasm'));
  const leb = Array.from({ length: 5 }, (_, i) => ((size >>> (7 * i)) & 127) | (i < 4 ? 128 : 0));
  const padding = Buffer.alloc(size);
  padding.set([1, 97]);
  writeFileSync(
    join(folder, `${name}.wasm`),
    Buffer.concat([code, Buffer.from([0, ...leb]), padding]),
  );
  writeFileSync(
    join(folder, `${name}.mjs`),
    `import { readFileSync } from 'node:fs';
    const bytes = readFileSync('${name}.wasm');
    console.log(String((await WebAssembly.instantiate(bytes)).instance.exports.fib(10)));`,
  );
}
write('large', 17 << 20);
write('small', 1 << 20);

const env = { ...process.env, NODE_OPTIONS: '', WASM_XRAY_MODULE_CACHE: 'off' };
const args = (name) => ['--import', local('../../npm/dist/register.js'), `${name}.mjs`];

/** Runs a program at a pseudo-terminal. */
function atTerminal(name) {
  const command = [process.execPath, ...args(name)].map((word) => `'${word}'`).join(' ');
  const run = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stdout);
  assert.match(run.stdout, /^55\r?$/m);
  return run.stdout;
}

test('a large module at a terminal', () => {
  assert.match(atTerminal('large'), /wasm-xray: instrumenting \S+ \(18 MB\) … \d+\.\d s\r?\n/);
});

test('a small module, and a large one without a terminal', () => {
  assert.doesNotMatch(atTerminal('small'), /instrumenting/);
  const run = spawnSync(process.execPath, args('large'), { cwd: folder, env, encoding: 'utf8' });
  assert.deepEqual([run.status, run.stdout], [0, '55\n'], run.stderr);
  assert.doesNotMatch(run.stderr, /instrumenting/);
});
