// Clock `sampled`: exact counts, and times that are as good as they say.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProfiler } from '../../npm/dist/index.js';
import { program } from './programs/run.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-sampled-'));
after(() => rmSync(folder, { recursive: true }));
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Of ten parts of the time; what `programs/shares.wat` does. */
const SHARES = { plainly: 4, after_call: 3, after_table: 2, after_import: 1 };
/** Some ms of work. */
const PART = 300_000;
/** So often in turn, with a second more of work each time, the shares must be right: once may be luck. */
const LOOKS = 2;
/** A run that is still wrong by then, in ms, is wrong. */
const PATIENCE_MS = 120_000;

test('known shares of the time are within two points', () => {
  const profiler = createProfiler({ clock: 'sampled' });
  const { instance } = profiler.instantiateSync(program('shares'), { host: { tick() {} } });
  const { run } = instance.exports;
  for (let i = 0; i < 20; i++) run(PART);
  profiler.reset();
  const start = performance.now();
  let calls = 0;
  let right = 0;
  while (right < LOOKS) {
    const from = performance.now();
    for (; performance.now() - from < 1000; calls++) run(PART);
    const report = profiler.profile().report({ limit: 0 });
    const { maxErrorPoints = 100 } = report.sampling;
    // A busy machine runs the program in few long slices, which the bar knows nothing of.
    const isLate = performance.now() - start > PATIENCE_MS;
    if (maxErrorPoints > 1 && !isLate) continue;
    right = worstError(report) <= 2 ? right + 1 : 0;
    if (right === LOOKS || isLate) check(report, calls);
    if (isLate) break;
  }
  profiler.stop();
});

function worstError(report) {
  const whole = report.functions.reduce((sum, { self }) => sum + self, 0);
  const errors = Object.entries(SHARES).map(([name, share]) => {
    const { self } = report.functions.find((f) => f.name === name);
    return Math.abs((100 * self) / whole - 10 * share);
  });
  return Math.max(...errors);
}

function check(report, calls) {
  assert.equal(report.clock, 'sampled');
  assert.equal(report.unit, 'ns');
  assert.ok(worstError(report) <= 2, JSON.stringify(report, null, 1));
  const counts = Object.fromEntries(report.functions.map(({ name, calls }) => [name, calls]));
  assert.deepEqual(counts, {
    ...Object.fromEntries(Object.keys(SHARES).map((name) => [name, calls])),
    run: calls,
    tiny: 2 * calls,
    tick: calls,
  });
  for (const { self, selfError } of report.functions) {
    assert.ok(Number.isInteger(selfError) && selfError > 0, `± ${selfError}`);
    if (self < report.clockStepNs) assert.ok(selfError >= self, `${self} ± ${selfError}`);
  }
  assert.ok(report.sampling.samples > 100 && report.sampling.perSecond > 0);
}

test('what is stopped takes no time, and goes on where it was', () => {
  const profiler = createProfiler({ clock: 'sampled' });
  const { instance } = profiler.instantiateSync(program('shares'), { host: { tick() {} } });
  const { run } = instance.exports;
  const work = () => {
    for (let i = 0; i < 20; i++) run(PART);
  };
  const sum = ({ functions }) => functions.reduce((sum, { self }) => sum + self, 0);
  work();
  profiler.stop();
  const stopped = profiler.profile().report();
  work();
  assert.deepEqual(profiler.profile().report(), stopped);
  profiler.start();
  work();
  profiler.stop();
  const whole = profiler.profile().report();
  assert.equal(whole.functions.find((f) => f.name === 'plainly').calls, 40);
  assert.ok(sum(whole) > sum(stopped) && whole.sampling.samples > stopped.sampling.samples);
  assert.deepEqual(whole.unseen, []);
});

test('a module for another clock runs, and is listed', () => {
  for (const [made, used] of [
    ['sampled', 'calls'],
    ['calls', 'sampled'],
  ]) {
    const { bytes } = createProfiler({ clock: made }).instrument(program('fib'));
    const profiler = createProfiler({ clock: used });
    const { instance } = profiler.instantiateSync(bytes);
    assert.equal(instance.exports.fib(10), 55);
    const { functions, skipped } = profiler.profile().report();
    assert.deepEqual(functions, []);
    assert.match(skipped[0].reason, new RegExp(`for the clock ${made}, and this run .*${used}`));
    profiler.stop();
  }
});

test('the counts of clock calls on every path of a real program, and times in the tables', () => {
  const record = (clock) => {
    const out = join(folder, `${clock}.xray`);
    const args = ['run', '--clock', clock, '--out', out, here('real/rollup.mjs')];
    const run = runCli(args, { SIZE: 'small' });
    assert.equal(run.status, 0, run.stderr);
    return { run, report: JSON.parse(runCli(['report', out, '--json', '--paths']).stdout), out };
  };
  const [calls, sampled] = [record('calls'), record('sampled')];
  assert.equal(sampled.run.stdout, calls.run.stdout);
  // Leaves that are counted without nodes of their own come in another order.
  const counted = ({ paths }) => paths.map(({ path, calls }) => `${path}: ${calls}`).sort();
  assert.deepEqual(counted(sampled.report), counted(calls.report));
  // It runs for some 20 ms, in which a busy machine may find no time for the sampler.
  const isSeen = sampled.report.sampling.samples > 0;
  const sentence = isSeen
    ? /Times are estimates from [\d,]+ samples?, [\d,]+ a second/
    : /No sample was taken while WebAssembly ran/;
  assert.match(sampled.run.stderr, sentence);
  const { stdout } = runCli(['report', sampled.out]);
  assert.match(stdout, sentence);
  if (!isSeen) return;
  assert.match(stdout, /^function +module +calls +self [mµ]s +total [mµ]s$/m);
  assert.match(stdout, / ~?[\d.]+ ±[\d.]+ +[\d.]+$/m);
});

test('where no thread can be started the program runs, and calls are counted', () => {
  const script = `
    import threads from 'node:worker_threads';
    import { readFileSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    threads.Worker = class { constructor() { throw new Error('threads are forbidden'); } };
    syncBuiltinESMExports();
    const { createProfiler } = await import(${JSON.stringify(new URL('../../npm/dist/index.js', import.meta.url).href)});
    const profiler = createProfiler({ clock: 'sampled' });
    const fib = readFileSync(${JSON.stringify(here('../../target/programs/fib.wasm'))});
    profiler.instantiateSync(fib).instance.exports.fib(10);
    const { functions, unseen } = profiler.profile().report();
    console.log(JSON.stringify({ calls: functions[0].calls, unseen }));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(run.status, 0, String(run.stderr));
  assert.deepEqual(JSON.parse(String(run.stdout)), {
    calls: 177,
    unseen: [
      'times of main: there is no sampler, as no thread could be started: threads are forbidden.',
    ],
  });
});
