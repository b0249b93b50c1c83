// A program notices nothing of the hook, and everything that it loads is profiled.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-hook-'));
after(() => rmSync(folder, { recursive: true }));
const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const register = local('../../npm/dist/register.js');
const multiMemory = Number(process.versions.node.split('.')[0]) >= 22;

/** Runs a program plainly. */
const runPlain = (file, ...args) =>
  spawnSync(process.execPath, [local(`hook/${file}`), ...args], { encoding: 'utf8' });

/** Runs a program with the command line; `calls` are those of each function. */
function profile(file, args = [], options = []) {
  const out = join(folder, 'p.xray');
  const run = runCli(['run', '--out', out, ...options, local(`hook/${file}`), ...args]);
  const json = runCli(['report', out, '--json', '--paths']);
  assert.equal(json.status, 0, run.stderr + json.stderr);
  return { ...run, report: JSON.parse(json.stdout) };
}

/** `a > b 3` for each path that was called, sorted. */
function pathsOf(report) {
  const names = new Map(report.functions.map((f) => [f.id, f.name]));
  return report.paths
    .map(({ path, calls }) => `${path.map((id) => names.get(id)).join(' > ')} ${calls}`)
    .sort();
}

const kinds = [
  ['--probes', 'imported'],
  ['--clock', 'wall'],
  ...(multiMemory ? [['--probes', 'inline']] : []),
];
for (const options of kinds) {
  test(`nothing about WebAssembly looks different (${options.join(' ')})`, () => {
    const plain = runPlain('fidelity.mjs');
    assert.equal(plain.status, 0, plain.stderr);
    const profiled = profile('fidelity.mjs', [], options);
    assert.deepEqual(profiled.stdout.split('\n'), plain.stdout.split('\n'));
    assert.deepEqual(profiled.report.skipped, [], 'everything that is a module was instrumented');
    const own = profiled.report.functions.find((f) => f.name === 'own');
    assert.ok(own.calls > 0);
  });
}

for (const way of ['createContext', 'runInNewContext', 'Script', 'compileFunction', 'global']) {
  test(`nor in a context of node:vm (${way})`, () => {
    const plain = runPlain('context.mjs', way);
    assert.equal(plain.status, 0, plain.stderr);
    const profiled = profile('context.mjs', [way]);
    assert.deepEqual(profiled.stdout.split('\n'), plain.stdout.split('\n'));
    assert.deepEqual(profiled.report.skipped, []);
    assert.ok(profiled.report.functions.find((f) => f.name === 'own').calls > 0);
  });
}

test('contexts with a WebAssembly that is not their own are left alone', () => {
  const plain = runPlain('contexts.mjs');
  const profiled = profile('contexts.mjs');
  assert.deepEqual(profiled.stdout.split('\n'), plain.stdout.split('\n'));
  const { module, calls } = profiled.report.functions.find(({ name }) => name === 'fib');
  assert.deepEqual([module, calls], ['contexts', 2 * 177]);
});

test('what the engine does not take with probes runs as it was, and is listed', () => {
  if (multiMemory) return;
  const plain = runPlain('fidelity.mjs');
  const profiled = profile('fidelity.mjs', [], ['--probes', 'inline']);
  assert.deepEqual(profiled.stdout.split('\n'), plain.stdout.split('\n'));
  assert.match(
    profiled.stderr,
    /Not instrumented: module \w+ \([0-9a-f]{8}\)\. This engine does not take it/,
  );
  assert.ok(profiled.report.skipped.length > 0);
});

test('a module that does not fit into the arena runs as it was, and advice is given', () => {
  const { stdout, stderr, report } = profile('many.mjs', [], ['--arena', '64K']);
  assert.equal(stdout, '3000\n');
  assert.match(
    stderr,
    /Its 3001 functions do not fit into the arena of 64K\. Give more room, such as --arena 256K\./,
  );
  assert.deepEqual(report.functions, []);
});

test('a module whose memory cannot be made runs as it was', () => {
  const kind = multiMemory ? ['--probes', 'inline'] : [];
  const { stdout, stderr } = profile('no_memory.mjs', [], kind);
  assert.equal(stdout, '3 3 4\n', 'and its imports are read once');
  if (multiMemory) assert.match(stderr, /Not instrumented: module no_memory\. .*no memory/);
});

test('a function reached through a thunk of JavaScript calls back under its caller', () => {
  const { report } = profile('thunk.mjs');
  assert.deepEqual(pathsOf(report), ['leaf 1', 'run 1', 'run > leaf 2']);
});

// JavaScript Promise Integration came with Node 24.
const suspends = Number(process.versions.node.split('.')[0]) >= 24;
test(`calls made while a stack waits for the host are not its own (JSPI here: ${suspends})`, () => {
  assert.equal('Suspending' in WebAssembly, suspends);
  if (!suspends) return;
  const { stdout, report } = profile('suspend.mjs');
  assert.equal(stdout, '[ 11, 21 ]\n');
  assert.deepEqual(pathsOf(report), [
    'leaf 2',
    'run 2',
    'run > leaf 2',
    'run > wait 2',
    'run > wait > leaf 2',
  ]);
});

test('a streamed module is named after its address', () => {
  const { stdout, report } = profile('stream.mjs');
  assert.equal(stdout, '55 55\n');
  // fetch of Node 20 and 22 loads a module of its own.
  const { module, calls } = report.functions.find(({ name }) => name === 'fib');
  assert.deepEqual([module, calls], ['small fib.wasm', 354]);
});

test('the hook works without the command line', () => {
  for (const option of ['--import', '--require']) {
    const cwd = mkdtempSync(join(folder, 'alone-'));
    const run = spawnSync(process.execPath, [option, register, local('hook/exits.mjs'), 'exit'], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    assert.equal(run.status, 5, run.stderr);
    assert.equal(run.stdout, 'out\n');
    assert.match(run.stderr, /^err\nwasm-xray: wrote .*wasm-xray-\d+\.xray; read it with:/);
    const [map, xray] = readdirSync(cwd);
    assert.match(map, /^wasm-xray-\d+\.map\.json$/);
    const json = runCli(['report', join(cwd, xray), '--json']);
    assert.equal(JSON.parse(json.stdout).functions[0].calls, 177);
  }
});

test('a program without wasm leaves no trace', () => {
  const cwd = mkdtempSync(join(folder, 'none-'));
  const program = local('hook/none.mjs');
  const run = runCli(['run', program, 'a', '--limit', 'b'], {}, { cwd });
  assert.equal(run.stdout, 'a --limit b\n');
  assert.match(run.stderr, /loaded no WebAssembly/);
  assert.equal(run.status, 0);
  const alone = spawnSync(process.execPath, ['--import', register, program, 'a'], {
    cwd,
    encoding: 'utf8',
  });
  assert.deepEqual([alone.stdout, alone.stderr, alone.status], ['a\n', '', 0]);
  assert.deepEqual(readdirSync(cwd), []);
});
