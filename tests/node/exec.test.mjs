// Every Node process that a command starts is in one profile, under a name; the command ends as ever.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-exec-'));
after(() => rmSync(folder, { recursive: true }));
const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const exits = local('hook/exits.mjs');
/** Commands find the Node that runs the tests first. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

function exec(command, options = [], env = {}, cwd = folder) {
  const out = join(folder, 'p.xray');
  rmSync(out, { force: true });
  const run = runCli(
    ['exec', '--out', out, ...options, '--', ...command],
    { PATH, ...env },
    { cwd },
  );
  const json = existsSync(out) && runCli(['report', out, '--json']);
  return { ...run, report: json ? JSON.parse(json.stdout) : undefined };
}

const names = (report) => report.threads.map(({ name }) => name);
const calls = (report, name = 'fib') => report.functions.find((f) => f.name === name).calls;

test('a command that is node itself', () => {
  const run = exec(['node', exits, 'code']);
  assert.deepEqual([run.status, run.stdout], [7, 'out\n'], run.stderr);
  assert.deepEqual(names(run.report), ['main']);
  assert.equal(calls(run.report), 177);
});

test('a shell that runs two programs, with options like ours', () => {
  const run = exec(['sh', '-c', `node ${exits} normal; node ${exits} child --out x; exit 3`]);
  assert.deepEqual([run.status, run.signal], [3, null], run.stderr);
  assert.deepEqual(names(run.report), [
    'process 1 (exits.mjs) main',
    'process 2 (exits.mjs) main',
    'process 3 (exits.mjs) main',
  ]);
  assert.equal(calls(run.report), 3 * 177);
  assert.match(run.stderr, /^fib +exits +531 /m);
});

test('a command that dies by a signal', () => {
  const run = exec(['sh', '-c', `node ${exits} normal; kill -TERM $$`]);
  assert.deepEqual([run.status, run.signal], [null, 'SIGTERM'], run.stderr);
  assert.equal(calls(run.report), 177);
});

test('commands that are none, or start nothing', () => {
  const none = exec(['no-such-command']);
  assert.equal(none.status, 1);
  assert.match(none.stderr, /^error: There is no command no-such-command\. /);
  const idle = exec(['true']);
  assert.equal(idle.status, 0);
  assert.match(idle.stderr, /loaded no WebAssembly/);
  const empty = runCli(['exec']);
  assert.deepEqual([empty.status, empty.stdout], [2, '']);
});

test('node --test', () => {
  const cwd = join(folder, 'suite');
  mkdirSync(cwd);
  const body = (n) => `
    import { readFileSync } from 'node:fs';
    import { test } from 'node:test';
    import assert from 'node:assert';
    test('fib', async () => {
      const { instance } = await WebAssembly.instantiate(readFileSync(${JSON.stringify(local('../../target/programs/fib.wasm'))}));
      assert.equal(instance.exports.fib(10), ${n});
    });`;
  writeFileSync(join(cwd, 'good.test.mjs'), body(55));
  writeFileSync(join(cwd, 'bad.test.mjs'), body(56));
  // Inside a test run, Node would not start another one.
  const run = exec(
    ['node', '--test', '--test-concurrency=1', 'good.test.mjs', 'bad.test.mjs'],
    [],
    { NODE_TEST_CONTEXT: undefined },
    cwd,
  );
  assert.equal(run.status, 1, run.stderr);
  assert.match(run.stdout, /pass 1[\s\S]*fail 1/);
  assert.equal(calls(run.report), 2 * 177);
  assert.deepEqual(
    names(run.report)
      .map((name) => /\((.*)\) main$/.exec(name)?.[1])
      .sort(),
    ['bad.test.mjs', 'good.test.mjs'],
  );
});

// From Node 24 on the file is left to itself, profiled or not, and in a loop it does not see its time-out.
const endsFiles = Number(process.versions.node.split('.')[0]) < 24;
test(`node --test ends a test that never ends (this Node does so itself: ${endsFiles})`, () => {
  if (!endsFiles) return;
  const cwd = join(folder, 'endless');
  mkdirSync(cwd);
  writeFileSync(
    join(cwd, 'endless.test.mjs'),
    `import { readFileSync } from 'node:fs';
    await WebAssembly.instantiate(readFileSync(${JSON.stringify(local('../../target/programs/fib.wasm'))}));
    for (;;);`,
  );
  const command = ['node', '--test', '--test-timeout=1000', 'endless.test.mjs'];
  const run = exec(command, [], { NODE_TEST_CONTEXT: undefined }, cwd);
  assert.equal(run.status, 1, run.stderr);
  assert.match(run.stderr, /Not seen: process \d \(endless\.test\.mjs\) main was killed/);
});

test('wasm-pack test --node', () => {
  const tools = join(
    process.env.WASM_XRAY_CACHE ??
      join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'wasm-xray'),
    'tools/bin',
  );
  assert.ok(existsSync(join(tools, 'wasm-pack')), 'wasm-pack is missing: run scripts/setup');
  const command = ['wasm-pack', 'test', '--node', '--test', 'session_in_node'];
  const run = exec(command, [], { PATH: `${tools}:${PATH}` }, local('../..'));
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /test result: ok/);
  assert.match(names(run.report)[0], /^process 1 \(.*\) main$/);
  assert.ok(run.report.functions.length > 10);
});
