// A native program, built and run now: clang instruments it, LLVM's runtime writes
// its profile, llvm-xray the map, and the command line reads both.
//
// scripts/test runs this as the suite `native` where scripts/setup could get clang 14.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkReport } from '../node/native_calls.mjs';
import { runCli } from '../node/support.mjs';

const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-native-'));
after(() => rmSync(cwd, { recursive: true }));
const source = fileURLToPath(
  new URL('../../crates/profile/tests/data/threads.cpp', import.meta.url),
);
const run = (command, ...args) => execFileSync(command, args, { cwd, encoding: 'utf8' });

function report(workers, flags) {
  const name = `threads-${workers}`;
  const xray = ['-fxray-instrument', '-fxray-modes=xray-profiling'];
  const defines = [`-DWORKERS=${workers}`, `-DFLAGS="${flags}"`];
  run('clang++-14', '-O1', '-fno-inline', ...xray, ...defines, source, '-o', name, '-lpthread');
  run(`./${name}`);
  // Each run has a file of its own: xray-log.PROGRAM.RANDOM.
  const [log, ...others] = readdirSync(cwd).filter((file) => file.startsWith(`xray-log.${name}.`));
  assert(log, 'the program wrote no log');
  assert.deepEqual(others, []);
  writeFileSync(join(cwd, `${name}.yaml`), run('llvm-xray-14', 'extract', '--symbolize', name));
  const args = ['report', log, '--map', `${name}.yaml`, '--json', '--paths'];
  const { status, stdout, stderr } = runCli(args, {}, { cwd });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('one worker, with the flags that XRay has', () => {
  checkReport(report(1, ''), 1);
});

test('six workers, with larger arenas', () => {
  checkReport(report(6, 'per_thread_allocator_max=8388608:stack_allocator_max=1048576'), 6);
});
