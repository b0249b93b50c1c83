// With clock wall a profile knows what a probe costs, and can be read without it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createProfiler, Profile } from '../../npm/dist/index.js';
import { serveView } from '../browser/serve-view.mjs';
import { program } from './programs/run.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-probe-cost-'));
after(() => rmSync(folder, { recursive: true }));

function record(clock, name = 'equal_work') {
  const profiler = createProfiler({ clock, arena: '1M' });
  profiler.instantiateSync(program(name)).instance.exports[name === 'fib' ? 'fib' : 'run'](5);
  return profiler.snapshot();
}

function write(name, { blocks, map }) {
  const file = join(folder, `${name}.xray`);
  writeFileSync(file, blocks);
  writeFileSync(join(folder, `${name}.map.json`), map);
  return file;
}

/** A profile whose probe cost is a round number: 7 ns in the callee, 11 in the caller. */
function priced() {
  const { blocks, map } = record('wall');
  const known = { ...JSON.parse(map), probe_cost: { inner_ps: 7000, outer_ps: 11_000 } };
  return { blocks, map: JSON.stringify(known) };
}

/** Self times by name. */
const selfs = ({ functions }) => Object.fromEntries(functions.map((f) => [f.name, f.self]));

/** What is left of self times that are large enough for it: `few` is called 5 times, `many` 2,000. */
function expected(raw) {
  return {
    run: Math.max(raw.run - 7 - 11 * 2_005, 0),
    few: Math.max(raw.few - 7 * 5, 0),
    many: Math.max(raw.many - 7 * 2_000, 0),
  };
}

test('only profiles with times know what a probe costs, and it is more than nothing', () => {
  for (const clock of ['calls', 'instructions', 'wall']) {
    const { map } = record(clock, 'fib');
    const cost = JSON.parse(map).probe_cost;
    if (clock !== 'wall') {
      assert.equal(cost, undefined, clock);
      continue;
    }
    assert(Number.isInteger(cost.inner_ps) && Number.isInteger(cost.outer_ps));
    assert(cost.inner_ps + cost.outer_ps > 0);
  }
});

test('measuring it leaves no trace among the calls', () => {
  const { blocks, map } = record('wall');
  const { functions } = Profile.read(blocks, map).report();
  const calls = Object.fromEntries(functions.map((f) => [f.name, f.calls]));
  assert.deepEqual(calls, { run: 1, few: 5, many: 2_000 });
  assert.equal(JSON.parse(map).modules.length, 1);
});

test('shares of functions that do equal work are nearer the truth without the probes', () => {
  const profiler = createProfiler({ clock: 'wall', arena: '1M' });
  const { run } = profiler.instantiateSync(program('equal_work')).instance.exports;
  for (let i = 0; i < 50; i++) run();
  const shares = { raw: [], without: [] };
  // Each run is short, so that most of them are not disturbed.
  for (let i = 0; i < 101; i++) {
    profiler.reset();
    run();
    const profile = profiler.profile();
    for (const [kind, one] of Object.entries({
      raw: profile,
      without: profile.transform({ subtractProbeCost: true }),
    })) {
      const { few, many } = selfs(one.report());
      shares[kind].push(many / (few + many));
    }
  }
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const [raw, without] = [median(shares.raw), median(shares.without)];
  // Both do the same; only the probes of 2,000 calls are in one of them.
  const off = (share) => Math.abs(share - 0.5);
  assert(off(without) < off(raw), `${raw} became ${without}`);
});

test('every command shows times without the probes, and says so', async () => {
  const file = write('priced', priced());
  const json = (...args) => {
    const { status, stdout, stderr } = runCli(args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const raw = selfs(JSON.parse(json('report', file, '--json')));
  const without = JSON.parse(json('report', file, '--json', '--subtract-probe-cost'));
  assert.deepEqual(selfs(without), expected(raw));
  assert.match(
    without.unseen[0],
    /were subtracted, for each call 7\.000 ns from itself and 11\.000/,
  );
  assert.match(json('report', file, '--subtract-probe-cost'), /Not seen: probes: [\d.,]+ of/);

  const converted = json('convert', file, '-f', 'json', '--subtract-probe-cost');
  assert.deepEqual(selfs(JSON.parse(converted)), expected(raw));

  const changes = JSON.parse(json('diff', file, file, '--json', '--subtract-probe-cost'));
  const many = changes.functions.find(({ name }) => name === 'many');
  assert.deepEqual(many.self, [expected(raw).many, expected(raw).many]);

  const server = await serveView('--subtract-probe-cost', file);
  try {
    const { url } = await fetch(server.address);
    const read = async (name) => (await fetch(new URL(name, url))).arrayBuffer();
    const map = new TextDecoder().decode(await read('profiles/0.map'));
    const served = Profile.read(new Uint8Array(await read('profiles/0.xray')), map);
    assert.deepEqual(selfs(served.report()), expected(raw));
  } finally {
    await server.close();
  }
});

test('where it is not known it is not subtracted, and the command says what to do', () => {
  const counted = write('counted', record('calls'));
  const { blocks, map } = priced();
  const { probe_cost: _, ...old } = JSON.parse(map);
  const unknown = write('unknown', { blocks, map: JSON.stringify(old) });
  for (const [file, message] of [
    [counted, /the profile's clock is calls/],
    [unknown, /does not say what a probe costs.*record it again with --clock wall/],
  ]) {
    for (const args of [
      ['report', file],
      ['convert', '-f', 'json', file],
      ['diff', file, file],
      ['view', '--no-open', file],
    ]) {
      const { status, stderr } = runCli([...args, '--subtract-probe-cost']);
      assert.equal(status, 1, args[0]);
      assert.match(stderr, message, args[0]);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  }
});

test('a clock that stands still is no fault: the cost is unknown then', () => {
  const still = join(folder, 'still.mjs');
  const index = new URL('../../npm/dist/index.js', import.meta.url);
  writeFileSync(
    still,
    `performance.now = () => 5;
    const { createProfiler } = await import(${JSON.stringify(index.href)});
    const { readFileSync } = await import('node:fs');
    const profiler = createProfiler({ clock: 'wall', arena: '1M' });
    profiler.instantiateSync(readFileSync(process.argv[2])).instance.exports.run();
    console.log(profiler.map());`,
  );
  const wasm = join(folder, 'work.wasm');
  writeFileSync(wasm, program('equal_work'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [still, wasm], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const map = JSON.parse(stdout);
  assert.equal(map.clock, 'wall');
  assert.equal(map.probe_cost, undefined);
});

test('programs under the hook record it as well', () => {
  const script = join(folder, 'app.mjs');
  writeFileSync(join(folder, 'work.wasm'), program('equal_work'));
  writeFileSync(
    script,
    `import { readFileSync } from 'node:fs';
    const bytes = readFileSync(new URL('work.wasm', import.meta.url));
    new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.run();`,
  );
  const out = join(folder, 'app.xray');
  const { status, stderr } = runCli(['run', '--clock', 'wall', '--out', out, script]);
  assert.equal(status, 0, stderr);
  const { probe_cost: cost } = JSON.parse(readFileSync(join(folder, 'app.map.json'), 'utf8'));
  assert(cost.inner_ps + cost.outer_ps > 0);
});
