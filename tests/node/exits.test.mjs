// However a program ends, it ends as it would without the profiler, and its profile is whole.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-exits-'));
after(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('hook/exits.mjs', import.meta.url));
const main = fileURLToPath(new URL('../../npm/dist/cli/main.js', import.meta.url));

/** Calls of fib in the end; undefined: no profile. */
const ways = {
  normal: 177,
  code: 177,
  exit: 177,
  throw: 177,
  reject: 177,
  'listener calls': 2 * 177,
  'listener added late': 2 * 177,
  'listener exits': 2 * 177,
  'listener throws': 2 * 177,
  'own emit': 177,
  'handles signal': 177,
  child: 2 * 177,
  children: 3 * 177,
  terminated: 177,
  'terminated while busy': 2 * 177,
  'terminated by its child': 177,
  'terminated by itself': 177,
  'kills itself': 177,
  'no listener left': 177,
  'listens once': 177,
  'sees no listeners': 177,
  killed: undefined,
};

/** Ways that a sampler's thread might get into. */
const sampledWays = [
  ...['normal', 'exit', 'throw', 'listener exits', 'handles signal', 'children'],
  ...['terminated while busy', 'terminated by itself'],
];
const runs = [
  ...Object.keys(ways).map((way) => ({ way, clock: 'calls' })),
  ...sampledWays.map((way) => ({ way, clock: 'sampled' })),
];
for (const { way, clock } of runs) {
  const calls = ways[way];
  test(`a program that ends in the way "${way}" (clock ${clock})`, () => {
    const plain = spawnSync(process.execPath, [program, way], { encoding: 'utf8' });
    const out = join(folder, `${way}.xray`);
    const run = runCli(['run', '--clock', clock, '--out', out, program, way]);
    assert.equal(run.stdout, plain.stdout);
    assert.ok(run.stderr.startsWith(plain.stderr.slice(0, 40)), run.stderr);
    assert.deepEqual([run.status, run.signal], [plain.status, plain.signal], run.stderr);
    if (calls === undefined) {
      assert.match(
        run.stderr,
        /there is no profile\.\nNot seen: main was ended by SIGKILL, and left no/,
      );
      assert.ok(!existsSync(out));
      return;
    }
    const json = runCli(['report', out, '--json']);
    const report = JSON.parse(json.stdout);
    assert.equal(report.functions[0].calls, calls);
    const threads = { child: ['main', 'process 2 (exits.mjs) main'] };
    threads.children = [...threads.child, 'process 4 (exits.mjs) main'];
    assert.deepEqual(
      report.threads.map(({ name }) => name),
      threads[way] ?? ['main'],
    );
    if (way === 'children')
      assert.match(
        run.stderr,
        /Not seen: process 3 \(exits\.mjs\) main was killed, .* left no profile/,
      );
    else assert.deepEqual(report.unseen, []);
  });
}

test('signals to the command line reach the program', async () => {
  const out = join(folder, 'signal.xray');
  const waiting = fileURLToPath(new URL('hook/waits.mjs', import.meta.url));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    const child = spawn(process.execPath, [main, 'run', '--out', out, waiting], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (data) => {
      text += data;
      if (data.includes('ready')) child.kill(signal);
    });
    child.stderr.resume();
    const [code] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)));
    assert.equal(text, `ready\n${signal}\n`);
    assert.equal(code, 6);
    const json = runCli(['report', out, '--json']);
    assert.equal(JSON.parse(json.stdout).functions[0].calls, 177);
  }
});
