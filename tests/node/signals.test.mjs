// A signal does to a program what it would do without the profiler, and the profile is written.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-signals-'));
after(() => rmSync(folder, { recursive: true }));
const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = local('../../npm/dist/cli/main.js');
const register = local('../../npm/dist/register.js');
const idles = local('hook/idles.mjs');

/** Runs Node in a process group of its own; `act` gets its id, and the program's once it is ready. */
async function runUntilReady(args, act, cwd = folder, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (data) => {
    stderr += data;
  });
  child.stdout.setEncoding('utf8').once('data', (data) => act(child.pid, Number(data)));
  const [code, signal] = await new Promise((done) => child.on('close', (...end) => done(end)));
  return { code, signal, stderr };
}

function reportOf(path) {
  const json = runCli(['report', path, '--json']);
  assert.equal(json.status, 0, json.stderr);
  return JSON.parse(json.stdout);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  for (const to of ['the command line', 'the group']) {
    test(`${signal} to ${to}`, async () => {
      const out = join(folder, 'p.xray');
      const run = await runUntilReady([main, 'run', '--out', out, idles], (pid) =>
        process.kill(to === 'the group' ? -pid : pid, signal),
      );
      assert.deepEqual([run.code, run.signal], [null, signal], run.stderr);
      assert.match(run.stderr, /^fib +idles +177 /m);
      assert.deepEqual(reportOf(out).unseen, []);
    });
  }
}

test('a group whose first process ends before the one with wasm', async () => {
  const out = join(folder, 'p.xray');
  const parent = `require('child_process').spawn(process.execPath, [${JSON.stringify(idles)}], { stdio: 'inherit' })`;
  const args = [main, 'exec', '--out', out, '--', process.execPath, '-e', parent];
  const run = await runUntilReady(args, (pid) => process.kill(-pid, 'SIGINT'));
  assert.deepEqual([run.code, run.signal], [null, 'SIGINT'], run.stderr);
  const report = reportOf(out);
  assert.deepEqual(report.threads[0].name, 'process 1 (idles.mjs) main');
  assert.deepEqual([report.functions[0].calls, report.unseen], [177, []]);
});

test('a signal to the program alone, without the command line', async () => {
  const cwd = mkdtempSync(join(folder, 'alone-'));
  const run = await runUntilReady(
    ['--import', register, idles],
    (pid) => process.kill(pid, 'SIGTERM'),
    cwd,
  );
  assert.deepEqual([run.code, run.signal], [null, 'SIGTERM'], run.stderr);
  const profile = readdirSync(cwd).find((name) => name.endsWith('.xray'));
  assert.equal(reportOf(join(cwd, profile)).functions[0].calls, 177);
});

test('a program gets a signal once, whether sent to the group or to the command line', async () => {
  for (const sign of [-1, 1]) {
    const run = await runUntilReady([main, 'run', idles, 'counts'], (pid) =>
      process.kill(sign * pid, 'SIGINT'),
    );
    assert.deepEqual([run.code, run.signal], [1, null], run.stderr);
  }
});

test('a program that does not return to its event loop dies all the same, and is missed', async () => {
  const run = await runUntilReady([main, 'run', idles, 'loop'], async (pid) => {
    await sleep(500);
    process.kill(pid, 'SIGTERM');
  });
  assert.deepEqual([run.code, run.signal], [null, 'SIGTERM'], run.stderr);
  assert.match(run.stderr, /Not seen: main was ended by SIGTERM, and left no profile/);
});

test('a program that is killed leaves its last snapshot', async () => {
  const out = join(folder, 'snapshot.xray');
  const args = [main, 'run', '--snapshot', '100ms', '--out', out, idles, 'late'];
  const run = await runUntilReady(args, (_, program) => process.kill(program, 'SIGKILL'));
  assert.deepEqual([run.code, run.signal], [null, 'SIGKILL'], run.stderr);
  const sentence = 'main was ended by SIGKILL; its last snapshot is in the profile.';
  assert.ok(run.stderr.includes(`Not seen: ${sentence}`), run.stderr);
  const report = reportOf(out);
  assert.equal(report.functions[0].calls, 2 * 177, 'not only what was before the first snapshot');
  assert.deepEqual(report.unseen, [sentence]);
});

test('a program that is killed leaves its last snapshot without the command line, too', async () => {
  const cwd = mkdtempSync(join(folder, 'alone-'));
  const run = await runUntilReady(
    ['--import', register, idles, 'late'],
    (pid) => process.kill(pid, 'SIGKILL'),
    cwd,
    { WASM_XRAY_SNAPSHOT: '100ms' },
  );
  assert.deepEqual([run.code, run.signal, run.stderr], [null, 'SIGKILL', '']);
  const [map, profile, ...rest] = readdirSync(cwd);
  assert.deepEqual(rest, []);
  assert.ok(map.endsWith('.map.json'));
  const report = reportOf(join(cwd, profile));
  assert.equal(report.functions[0].calls, 2 * 177);
  const sentence = 'main was killed, or busy when its process ended';
  assert.deepEqual(report.unseen, [`${sentence}; its last snapshot is in the profile.`]);
});

test('a program with snapshots that ends leaves its whole profile without the command line', async () => {
  const cwd = mkdtempSync(join(folder, 'alone-'));
  const run = await runUntilReady(
    ['--import', register, idles, 'late'],
    (pid) => process.kill(pid, 'SIGTERM'),
    cwd,
    { WASM_XRAY_SNAPSHOT: '100ms' },
  );
  assert.deepEqual([run.code, run.signal], [null, 'SIGTERM'], run.stderr);
  const profile = readdirSync(cwd).find((name) => name.endsWith('.xray'));
  const report = reportOf(join(cwd, profile));
  assert.deepEqual([report.functions[0].calls, report.unseen], [2 * 177, []]);
});

test('a program that ends in time leaves its whole profile, snapshots or not', async () => {
  const out = join(folder, 'whole.xray');
  const args = [main, 'run', '--snapshot', '1m', '--out', out, idles, 'late'];
  const run = await runUntilReady(args, (_, program) => process.kill(program, 'SIGTERM'));
  assert.equal(run.signal, 'SIGTERM');
  const report = reportOf(out);
  assert.deepEqual([report.functions[0].calls, report.unseen], [2 * 177, []]);
});
