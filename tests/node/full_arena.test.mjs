// An arena of 1 MiB and far more paths than fit, through rewriter, hook and
// every format: each function's calls are exact, what was dropped is said, and
// the program's result is what it is without a profiler.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-full-'));
after(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('hook/full_arena.mjs', import.meta.url));

const digits = Array.from({ length: 10 }, (_, digit) => [`f${digit}`, 600_000]);
/** What each function is called, in truth. */
const truth = {
  recursion: { even: 50_001, odd: 50_000 },
  paths: {
    ...Object.fromEntries(digits),
    paths: 1,
    // The first digit of a million numbers, and what comes after an even one.
    direct: 1_000_000 + 2_500_000,
    indirect: 2_500_000,
    digit: 6_000_000,
  },
};

function cli(...args) {
  const { status, stdout, stderr } = runCli(args);
  assert.equal(status, 0, stderr);
  return stdout;
}

const callsOf = (functions) =>
  Object.fromEntries(functions.map(({ name, calls }) => [name, calls]));

/** Calls of all nodes that have a path, and of those that have none, in a compact file. */
function sums(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const calls = { path: 0, none: 0 };
  for (let block = 32; block < file.length; block += view.getUint32(block, true)) {
    const end = block + view.getUint32(block, true);
    for (let record = block + 16; record < end; record += 32) {
      const overflow = view.getUint32(record + 12, true) === 1;
      calls[overflow ? 'none' : 'path'] += Number(view.getBigUint64(record + 16, true));
    }
  }
  return calls;
}

const variants = {
  recursion: [[], ['--clock', 'wall']],
  paths: [[], ['--probes', 'imported']],
};

for (const [what, flags] of Object.entries(variants)) {
  for (const probes of flags) {
    test(`${what} ${probes.join(' ')}`, () => {
      const out = join(folder, 'p.xray');
      const plain = spawnSync(process.execPath, [program, what], { encoding: 'utf8' });
      assert.match(plain.stdout, /^-?\d+\n$/);
      const run = runCli(['run', '--arena', '1M', ...probes, '--out', out, program, what]);
      assert.equal(run.status, 0, run.stderr);
      assert.equal(run.stdout, plain.stdout);

      const report = JSON.parse(cli('report', out, '--json'));
      assert.deepEqual(callsOf(report.functions), truth[what]);
      const { dropped } = report;
      assert(dropped.paths > 0 && dropped.calls > 0);
      // What has a path and what was dropped is all of it.
      const all = Object.values(truth[what]).reduce((sum, calls) => sum + calls, 0);
      assert.deepEqual(sums(readFileSync(out)), {
        path: all - dropped.calls,
        none: dropped.calls,
      });

      // The table says so, after the run and whenever it is read.
      const number = (count) => count.toLocaleString('en');
      for (const text of [run.stderr, cli('report', out)]) {
        assert(text.includes(number(dropped.calls)), text);
        assert(text.includes(number(dropped.paths)), text);
      }
      if (probes.length === 0 && what === 'paths') checkFormats(out, dropped);
    });
  }
}

/** Every format says what was dropped, as far as it can, and loses no call. */
function checkFormats(profile, dropped) {
  const convert = (format) => {
    const file = join(folder, `converted.${format}`);
    cli('convert', profile, '-f', format, '-o', file);
    return file;
  };
  const text = (format) => readFileSync(convert(format), 'utf8');

  // XRay's own: the drop itself is in the map.
  const map = profile.replace(/\.xray$/, '.map.json');
  const again = JSON.parse(cli('report', convert('xray'), '--map', map, '--json'));
  assert.deepEqual(callsOf(again.functions), truth.paths);
  assert.deepEqual(again.dropped, dropped);

  const json = JSON.parse(text('json'));
  assert.deepEqual(callsOf(json.functions), truth.paths);
  assert.deepEqual(json.dropped, dropped);

  const [head, ...rows] = text('csv').trim().split('\n');
  const column = head.split(',').indexOf('calls');
  const csv = rows.map((row) => row.replaceAll('"', '').split(','));
  assert.deepEqual(
    Object.fromEntries(csv.map((row) => [row[3], Number(row[column])])),
    truth.paths,
  );

  const folded = {};
  let below = 0;
  for (const line of text('folded').trim().split('\n')) {
    const [, stack, count] = line.match(/^(.*) (\d+)$/);
    const name = stack.split(';').at(-1);
    folded[name] = (folded[name] ?? 0) + Number(count);
    if (stack.startsWith('(dropped paths);')) below += Number(count);
  }
  assert.deepEqual(folded, truth.paths);
  assert.equal(below, dropped.calls);

  assert.deepEqual(JSON.parse(text('cpuprofile')).dropped, dropped);
  const firefox = text('firefox');
  assert(firefox.includes(`"Calls without a path","value":"${dropped.calls}"`));
  assert(firefox.includes(`"Paths not recorded","value":"${dropped.paths}"`));
  const sentence = `${dropped.paths} paths were not recorded`;
  assert(gunzipSync(readFileSync(convert('pprof'))).includes(sentence));
  const callgrind = text('callgrind');
  assert(callgrind.includes(sentence) && callgrind.includes(`${dropped.calls} calls have`));
  for (const format of ['speedscope', 'svg']) assert(text(format).includes('(dropped paths)'));
}
