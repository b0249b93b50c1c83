// Stacks that wait for a promise while others run: JavaScript Promise Integration, from Node 24 on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';
import { kinds, pathsOf, program } from './programs/run.mjs';

const suspends = 'Suspending' in WebAssembly;

/** Two calls of `run` that wait for the host and go on in the opposite order, with calls in between. */
async function interleaved(options) {
  const profiler = createProfiler(options);
  const answers = [];
  let leaf;
  const wait = profiler.suspending(() => {
    leaf();
    return new Promise((resolve) => answers.push(resolve));
  });
  const { exports } = profiler.instantiateSync(program('hook_suspend'), { env: { wait } }).instance;
  leaf = exports.leaf;
  const run = WebAssembly.promising(exports.run);
  const results = [run(), run()];
  leaf();
  await null;
  leaf();
  answers[1](20);
  await results[1];
  leaf();
  answers[0](10);
  assert.deepEqual(await Promise.all(results), [11, 21]);
  leaf();
  return pathsOf(profiler.profile().report({ paths: true }));
}

test('an engine without suspension says so', () => {
  assert.equal(suspends, Number(process.versions.node.split('.')[0]) >= 24);
  if (suspends) return;
  assert.throws(() => createProfiler().suspending(() => {}), /Node 24/);
});

for (const kind of suspends ? kinds : []) {
  test(`stacks that interleave keep to themselves (${kind.probes} probes, clock ${kind.clock})`, async () => {
    assert.deepEqual(await interleaved(kind), [
      'leaf 4',
      'run 2',
      'run > leaf 2',
      'run > wait 2',
      'run > wait > leaf 2',
    ]);
    const exclude = (...globs) => interleaved({ ...kind, exclude: globs });
    assert.deepEqual(await exclude('*wait'), ['leaf 4', 'run 2', 'run > leaf 4']);
    assert.deepEqual(await exclude('run'), ['leaf 6', 'wait 2', 'wait > leaf 2']);
    assert.deepEqual(await exclude('run', '*wait'), ['leaf 8']);
    assert.deepEqual(await exclude('leaf'), ['run 2', 'run > wait 2']);
  });
}
