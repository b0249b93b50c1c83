// A user's crate under `wasm-xray exec`, unchanged: in Node, in a page of Chrome and in its worker.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { root, run } from './support.mjs';

const crate = join(root, 'examples/wasm-pack-profile');
const cli = join(root, 'npm/dist/cli/main.js');
const out = mkdtempSync(join(tmpdir(), 'wasm-pack-profile-'));
after(() => rmSync(out, { recursive: true }));

/** What the crate's three tests call, by path: its functions once more, counting themselves. */
function expected() {
  const paths = {};
  const call = (caller, name) => {
    const path = caller === '' ? name : `${caller} > ${name}`;
    paths[path] = (paths[path] ?? 0) + 1;
    return path;
  };
  const next = (caller, n) => {
    const self = call(caller, 'next');
    call(self, n % 2 === 0 ? 'half' : 'triple');
    return n % 2 === 0 ? n / 2 : 3 * n + 1;
  };
  const steps = (caller, start) => {
    const self = call(caller, 'steps');
    for (let n = start; n !== 1; ) n = next(self, n);
  };
  const halvings = (caller, n) => {
    const self = call(caller, 'halvings');
    if (n % 2 !== 0) return;
    call(self, 'half');
    halvings(self, n / 2);
  };
  steps('', 27);
  const longest = call('', 'longest');
  for (let n = 1; n <= 100; n++) steps(longest, n);
  halvings('', 2 ** 20);
  return paths;
}

/** Runs wasm-pack under the profiler: calls by path, and the names of the threads. */
async function profile(name, options, wasmPack) {
  const file = join(out, `${name}.xray`);
  const exec = [cli, 'exec', ...options, '--include', 'wasm_pack_profile::*', '-o', file];
  const ran = await run(process.execPath, [...exec, '--', 'wasm-pack', 'test', ...wasmPack], crate);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /test result: ok\. 3 passed; 0 failed/);
  const reported = await run(process.execPath, [cli, 'report', file, '--json', '--paths'], crate);
  const report = JSON.parse(reported.stdout);
  const names = new Map(
    report.functions.map((f) => [f.id, f.name.replace('wasm_pack_profile::', '')]),
  );
  const paths = {};
  for (const { path, calls } of report.paths) {
    paths[path.map((id) => names.get(id)).join(' > ')] = calls;
  }
  const { unseen = [] } = JSON.parse(readFileSync(file.replace('.xray', '.map.json'), 'utf8'));
  assert.deepEqual(unseen, []);
  assert.deepEqual(report.dropped, { paths: 0, calls: 0 });
  return { paths, threads: report.threads.map((thread) => thread.name) };
}

describe('wasm-pack test under wasm-xray exec', () => {
  it('--node', async () => {
    const { paths, threads } = await profile('node', [], ['--node', '--', '--locked']);
    assert.deepEqual(paths, expected());
    assert.equal(threads.length, 1);
  });

  it('--headless --chrome', async () => {
    const test = ['--headless', '--chrome', '--', '--locked', '--test', 'browser'];
    const { paths, threads } = await profile('page', ['--chrome'], test);
    assert.deepEqual(paths, expected());
    assert.deepEqual(threads, ['process 1 (Chrome) main']);
  });

  it('--headless --chrome, in a worker of the page', async () => {
    const test = ['--headless', '--chrome', '--', '--locked', '--test', 'worker'];
    const { paths, threads } = await profile('worker', ['--chrome'], test);
    assert.deepEqual(paths, expected());
    assert.deepEqual(threads, ['process 1 (Chrome) worker 1 (worker.js)']);
  });

  it('times with --clock wall', async () => {
    const test = ['--headless', '--chrome', '--', '--locked', '--test', 'browser'];
    const { paths } = await profile('wall', ['--chrome', '--clock', 'wall'], test);
    assert.deepEqual(paths, expected());
  });
});
