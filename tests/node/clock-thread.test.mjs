// Clock `wall` with a thread that keeps the time: the same counts, and times that are right.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProfiler } from '../../npm/dist/index.js';
import { program } from './programs/run.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-clock-thread-'));
after(() => rmSync(folder, { recursive: true }));
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Of ten parts of the time; what `programs/shares.wat` does. */
const SHARES = { plainly: 4, after_call: 3, after_table: 2, after_import: 1 };
/** Some ms of work. */
const PART = 300_000;
/** A run that is still wrong by then, in ms, is wrong: on a busy machine the clock may stand still for long. */
const PATIENCE_MS = 120_000;

test('known shares of the time are within two points, and times add up to the time that passed', () => {
  const profiler = createProfiler({ clock: 'wall', clockThread: true });
  const { instance } = profiler.instantiateSync(program('shares'), { host: { tick() {} } });
  const { run } = instance.exports;
  for (let i = 0; i < 20; i++) run(PART);
  profiler.reset();
  const started = performance.now();
  let [calls, elapsedMs] = [0, 0];
  for (;;) {
    const from = performance.now();
    for (; performance.now() - from < 1000; calls++) run(PART);
    elapsedMs += performance.now() - from;
    const { functions } = profiler.profile().report({ limit: 0 });
    const whole = functions.reduce((sum, { self }) => sum + self, 0);
    const shares = Object.keys(SHARES).map((name) => {
      const { self } = functions.find((f) => f.name === name);
      return [name, (10 * self) / whole];
    });
    const wrong = shares.filter(([name, share]) => Math.abs(share - SHARES[name]) > 0.2);
    const sumIsRight = Math.abs(whole / 1e6 / elapsedMs - 1) < 0.05;
    if (wrong.length > 0 || !sumIsRight) {
      const late = performance.now() - started > PATIENCE_MS;
      assert.ok(!late, `${JSON.stringify(shares)}, ${whole} ns in ${elapsedMs} ms`);
      continue;
    }
    const counts = Object.fromEntries(functions.map(({ name, calls }) => [name, calls]));
    const each = Object.fromEntries(Object.keys(SHARES).map((name) => [name, calls]));
    assert.deepEqual(counts, { ...each, run: calls, tiny: 2 * calls, tick: calls });
    return;
  }
});

test('the profile knows the step of the clock, and nothing of probe costs', () => {
  const profiler = createProfiler({ clock: 'wall', clockThread: true });
  const { instance } = profiler.instantiateSync(program('fib'));
  for (let i = 0; i < 50; i++) instance.exports.fib(20);
  const report = profiler.profile().report();
  assert.equal(report.functions[0].calls, 50 * 21_891);
  assert.ok(report.clockStepNs > 0 && report.clockStepNs < 1e6, `${report.clockStepNs} ns`);
  assert.equal(report.probeCostPs, undefined);
});

test('run: threads keep their names, and the program ends as ever', () => {
  const workers = here('hook/workers.mjs');
  const kinds = ['posted', 'own', 'waits', 'nested'];
  const plain = spawnSync(process.execPath, [workers, ...kinds], { encoding: 'utf8' });
  const out = join(folder, 'workers.xray');
  const run = runCli(['run', '--clock', 'wall', '--clock-thread', '--out', out, workers, ...kinds]);
  // The thread has a number of Node's, so those of the workers differ.
  const values = (text) => text.replaceAll(/worker \d+/g, 'worker');
  assert.equal(values(run.stdout), values(plain.stdout), run.stderr);
  assert.equal(run.status, 0);
  const report = JSON.parse(runCli(['report', out, '--json']).stdout);
  assert.deepEqual(
    report.threads.map(({ name }) => name),
    ['worker 1', 'worker 2', 'worker 3', 'worker 5'],
  );
  assert.equal(report.functions[0].calls, 15 + 25 + 177 + 753);
});

for (const options of [
  ['--clock', 'wall', '--clock-thread'],
  ['--clock', 'sampled'],
]) {
  test(`a program neither sees the thread nor is kept by it (${options.join(' ')})`, () => {
    const program = join(folder, 'app.mjs');
    const wasm = here('../../target/programs/fib.wasm');
    writeFileSync(
      program,
      `import { readFileSync } from 'node:fs';
      process.on('worker', () => console.log('a worker'));
      const { instance } = await WebAssembly.instantiate(readFileSync(${JSON.stringify(wasm)}));
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(instance.exports.fib(10));`,
    );
    const run = runCli(['run', ...options, '--out', join(folder, 'app.xray'), program]);
    assert.equal(run.stdout, '55\n');
    assert.equal(run.status, 0, run.stderr);
  });
}

test('where there can be none, the reason is given', () => {
  const run = runCli(['run', '--clock-thread', here('hook/workers.mjs')]);
  assert.equal(run.status, 2);
  assert.match(run.stderr, /is for the clock wall, and this is the clock calls\. Leave it out/);
  const script = `
    import { startThreadsWith } from ${JSON.stringify(here('../../npm/dist/core/threads.js'))};
    import { createProfiler } from ${JSON.stringify(here('../../npm/dist/index.js'))};
    startThreadsWith({ startsAtOnce: true, processors: 1, start() {} });
    try {
      createProfiler({ clock: 'wall', clockThread: true });
    } catch ({ code, message }) {
      console.log(code, message);
    }`;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.match(stdout, /^ERR_XRAY_ENGINE .* this machine has one in all/);
});
