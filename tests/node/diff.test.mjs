// `wasm-xray diff` and the formats of `convert`, on profiles of real runs.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { runCli } from './support.mjs';

const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-diff-'));
after(() => rmSync(cwd, { recursive: true }));
const cli = (args) => runCli(args, {}, { cwd });

before(() => {
  cpSync(
    fileURLToPath(new URL('../../target/programs/fib.wasm', import.meta.url)),
    join(cwd, 'fib.wasm'),
  );
  writeFileSync(
    join(cwd, 'app.mjs'),
    `import { readFileSync } from 'node:fs';
    const { instance } = await WebAssembly.instantiate(readFileSync('fib.wasm'));
    instance.exports.fib(Number(process.argv[2]));`,
  );
  const record = (name, n, clock) =>
    assert.equal(cli(['run', '--clock', clock, '-o', name, 'app.mjs', n]).status, 0);
  record('ten.xray', '10', 'calls');
  record('again.xray', '10', 'calls');
  record('eleven.xray', '11', 'calls');
  record('wall.xray', '10', 'wall');
});

test('two runs of one program with clock calls are the same', () => {
  const run = cli(['diff', 'ten.xray', 'again.xray', '--fail-above', '0']);
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^calls: 177 → 177 \(0%\)\n\nNo function changed, 1 the same/);
  assert.match(run.stdout, /No path changed/);
});

test('several runs of each side, and a page', () => {
  const run = cli([
    ...['diff', 'ten.xray', 'eleven.xray', '--before', 'again.xray', '--after', 'ten.xray'],
    ...['--html', 'diff.html'],
  ]);
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /runs of the second side are not the same/);
  const page = readFileSync(join(cwd, 'diff.html'), 'utf8');
  assert.match(page, /<title>ten\.xray → eleven\.xray<\/title>/);
  const other = cli(['diff', 'ten.xray', 'ten.xray', '--after', 'wall.xray']);
  assert.equal(other.status, 1);
  assert.match(other.stderr, /clock wall.*record both with the same --clock/);
});

test('what changed is printed, exactly', () => {
  const run = cli(['diff', 'ten.xray', 'eleven.xray']);
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^calls: 177 → 287 \(\+62\.15%\)$/m);
  assert.match(run.stdout, /^ *287 +\+110 +\+62\.15% +fib \(/m);
  const { whole, functions, paths, exact } = JSON.parse(
    cli(['diff', 'ten.xray', 'eleven.xray', '--json']).stdout,
  );
  assert.equal(exact, true);
  assert.deepEqual(whole.calls, [177, 287]);
  assert.deepEqual(functions[0].calls, [177, 287]);
  const change = (rows) => rows.reduce((sum, { calls: [a, b] }) => sum + b - a, 0);
  assert.equal(change(paths), 110);
  const short = JSON.parse(
    cli(['diff', 'ten.xray', 'eleven.xray', '--json', '--limit', '2']).stdout,
  );
  assert.equal(short.paths.length, 2);
  assert.equal(short.morePaths, paths.length - 2);
});

/** Arguments after `diff`, exit code, and what the message must say. */
const endings = [
  [['ten.xray', 'eleven.xray', '--fail-above', '62%'], 3, /eleven\.xray grew by more than 62%/],
  [['ten.xray', 'eleven.xray', '--fail-above', '62.2'], 0, /^$/],
  [['eleven.xray', 'ten.xray', '--fail-above', '0%'], 0, /^$/],
  [['ten.xray', 'wall.xray'], 1, /clock calls, the second wall: record both/],
  [['ten.xray', 'none.xray'], 1, /There is no file none\.xray/],
  [['ten.xray'], 2, /missing required argument 'after'/],
  [['ten.xray', 'eleven.xray', '--fail-above', 'much'], 2, /It must be a percentage, such as 5%/],
  [['ten.xray', 'eleven.xray', '--fail-above', '-1'], 2, /percent/],
  [['ten.xray', 'eleven.xray', '--limit', '0'], 2, /whole number from 1/],
];
for (const [args, status, message] of endings) {
  test(`wasm-xray diff ${args.join(' ')}`, () => {
    const run = cli(['diff', ...args]);
    assert.equal(run.status, status, run.stderr);
    assert.match(run.stderr, message);
    assert.doesNotMatch(run.stderr, /^\s+at |panicked|RuntimeError/m, 'no stack');
  });
}

/** The calls of a file in each format of other tools. */
const formats = {
  cpuprofile: (text) => JSON.parse(text).nodes.reduce((sum, { calls = 0 }) => sum + calls, 0),
  firefox: (text) => JSON.parse(text).threads[0].samples.weight.reduce((a, b) => a + b),
  callgrind: (text) => Number(/^totals: (\d+)$/m.exec(text)[1]),
  csv: (text) => Number(/^\d+,"[^"]+",0,"fib","fib",wasm,(\d+),/m.exec(text)[1]),
};
for (const [format, calls] of Object.entries(formats)) {
  test(`convert -f ${format} keeps the calls`, () => {
    assert.equal(cli(['convert', 'ten.xray', '-f', format, '-o', format]).status, 0);
    assert.equal(calls(readFileSync(join(cwd, format), 'utf8')), 177);
  });
}

test('convert -f pprof writes gzip', () => {
  assert.equal(cli(['convert', 'ten.xray', '-f', 'pprof', '-o', 'p.pb.gz']).status, 0);
  const proto = gunzipSync(readFileSync(join(cwd, 'p.pb.gz')));
  assert.ok(proto.includes('fib') && proto.includes('calls'));
});
