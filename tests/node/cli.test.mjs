// What people type: every mistake has an answer, and every answer says what to do.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CodeOffsets } from '../../npm/dist/index.js';
import { runCli } from './support.mjs';

const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-cli-'));
after(() => rmSync(cwd, { recursive: true }));
const program = (name) =>
  fileURLToPath(new URL(`../../target/programs/${name}.wasm`, import.meta.url));
const cli = (args, env) => runCli(args, env, { cwd });

before(() => {
  const hook = readFileSync(program('hook'));
  writeFileSync(join(cwd, 'empty'), '');
  writeFileSync(join(cwd, 'text'), 'Hello.\n');
  writeFileSync(join(cwd, 'cut.wasm'), hook.subarray(0, 200));
  writeFileSync(join(cwd, 'header.wasm'), hook.subarray(0, 6));
  writeFileSync(join(cwd, 'component.wasm'), Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0));
  cpSync(program('fib'), join(cwd, 'fib.wasm'));
  writeFileSync(
    join(cwd, 'app.mjs'),
    `import { readFileSync } from 'node:fs';
    const { instance } = await WebAssembly.instantiate(readFileSync('fib.wasm'));
    console.log(instance.exports.fib(10));`,
  );
  assert.equal(cli(['run', 'app.mjs']).status, 0);
  assert.equal(cli(['instrument', 'fib.wasm', '-o', 'twice.wasm']).status, 0);
  const profile = readFileSync(join(cwd, 'app.xray'));
  const copy = (name, bytes) => {
    writeFileSync(join(cwd, `${name}.xray`), bytes);
    cpSync(join(cwd, 'app.map.json'), join(cwd, `${name}.map.json`));
  };
  copy('cut', profile.subarray(0, 60));
  copy('empty', '');
  copy('text', 'Hello.\n');
  copy(
    'changed',
    profile.map((byte, i) => (i === 33 ? 0xff : byte)),
  );
  copy(
    'version',
    profile.map((byte, i) => (i === 8 ? byte + 1 : byte)),
  );
  copy('map', profile);
  writeFileSync(join(cwd, 'map.map.json'), '{"version": 1, ');
  copy('other', profile);
  writeFileSync(join(cwd, 'other.map.json'), '{"version": 1, "what": "is this"}');
  cpSync(join(cwd, 'app.xray'), join(cwd, 'alone.xray'));
});

/** Arguments, exit code, and what the message must say. */
const mistakes = [
  [[], 2, /Usage: wasm-xray/],
  [['frob'], 2, /unknown command 'frob'/],
  [['--frob'], 2, /unknown option '--frob'/],
  [['run'], 2, /missing required argument 'app'/],
  [['run', '--frob', 'app.mjs'], 2, /unknown option '--frob'/],
  [
    ['run', '--clock', 'sundial', 'app.mjs'],
    2,
    /sundial.*Allowed choices are calls, instructions, sampled, wall/,
  ],
  [['run', '--probes', 'none', 'app.mjs'], 2, /Allowed choices are inline, imported/],
  [['run', '--clock', 'wall', '--probes', 'inline', 'app.mjs'], 2, /wall needs imported probes/],
  [['run', '--arena', '1K', 'app.mjs'], 2, /too small: it must be from 64K to 4G/],
  [['run', '--arena', '0', 'app.mjs'], 2, /too small: it must be from 64K to 4G/],
  [['run', '--arena', '5G', 'app.mjs'], 2, /too large: it must be from 64K to 4G/],
  [['run', '--arena', '999999999999999999999G', 'app.mjs'], 2, /too large/],
  [['run', '--arena', '-1', 'app.mjs'], 2, /not an arena size.*such as 64M/],
  [['run', '--arena', 'much', 'app.mjs'], 2, /not an arena size.*such as 64M/],
  [['run', '--limit', '0', 'app.mjs'], 2, /whole number from 1/],
  [['run', '--snapshot', '10', 'app.mjs'], 2, /not a time between snapshots.*such as 10s/],
  [['run', '--snapshot', '1ms', 'app.mjs'], 2, /from 10ms to 24 days/],
  [['exec'], 2, /missing required argument 'command'/],
  [['exec', '--frob', '--', 'node', 'app.mjs'], 2, /unknown option '--frob'/],
  [['exec', '--', 'no-such-command'], 1, /There is no command no-such-command\. Give its path/],
  [['exec', '--', './text'], 1, /\.\/text cannot be executed\. Give a command/],
  [['doctor', 'more'], 2, /too many arguments/],
  [['run', 'none.mjs'], 1, /There is no program none\.mjs\. Name a JavaScript file/],
  [['run', '.'], 1, /\. is a directory\. Name a JavaScript file/],
  [['run', 'fib.wasm'], 1, /exports no _start, so it is a library.*Name the JavaScript program/],
  [['run', '--out', 'no/where.xray', 'app.mjs'], 1, /There is no directory .*no\. Make it/],
  [['run', '--out', '.', 'app.mjs'], 1, /\. is a directory\. Give the path of a file/],
  [['instrument', 'fib.wasm'], 2, /required option '-o, --output <file>' not specified/],
  [
    ['instrument', 'none.wasm', '-o', 'o'],
    1,
    /There is no file none\.wasm\. Give the path of a WebAssembly module/,
  ],
  [['instrument', '.', '-o', 'o'], 1, /\. is a directory, not a file/],
  [['instrument', 'empty', '-o', 'o'], 1, /empty is empty\. Give the path of a WebAssembly module/],
  [
    ['instrument', 'text', '-o', 'o'],
    1,
    /not a WebAssembly module.*Give a core WebAssembly module/,
  ],
  [['instrument', 'app.mjs', '-o', 'o'], 1, /not a WebAssembly module/],
  [['instrument', 'cut.wasm', '-o', 'o'], 1, /offset 0x.*cut short; get the whole file/],
  [['instrument', 'header.wasm', '-o', 'o'], 1, /cut short/],
  [
    ['instrument', 'component.wasm', '-o', 'o'],
    1,
    /component, not a core module; extract its core modules/,
  ],
  [
    ['instrument', 'twice.wasm', '-o', 'o'],
    1,
    /instrumented already\. Give the module that it was made from/,
  ],
  [['instrument', 'fib.wasm', '-o', 'no/where'], 1, /There is no directory/],
  [['report'], 2, /missing required argument 'profile'/],
  [['report', 'app.xray', 'more'], 2, /too many arguments/],
  [['report', 'app.xray', '--by', 'name'], 2, /Allowed choices are self, total, calls, average/],
  [['report', 'app.xray', '--paths'], 2, /--paths needs --json/],
  [['report', 'app.xray', '--invert'], 2, /--invert needs --tree/],
  [['report', 'app.xray', '--group', 'color'], 2, /Allowed choices are module, crate, file/],
  [['report', 'app.xray', '--prune', 'half'], 2, /percentage from 0 to 100, such as 0\.5%/],
  [
    ['report', 'app.xray', '--focus', 'none'],
    1,
    /no function that was called has "none".*there are/,
  ],
  [['report', 'app.xray', '--thread', 'none'], 1, /no thread has "none".*there are main/],
  [['report', 'app.xray', '--callers', 'none'], 1, /no function that was called has "none"/],
  [['report', 'none.xray'], 1, /There is no file none\.xray\. Give the path of a profile/],
  [['report', '.'], 1, /\. is a directory/],
  [
    ['report', 'fib.wasm'],
    1,
    /not a profile: it is a WebAssembly module; profile it with `wasm-xray run`/,
  ],
  [['report', 'app.map.json'], 1, /looks like JSON.*the \.xray file beside the map/],
  [['report', 'empty.xray'], 1, /empty\.xray is empty/],
  [['report', 'text.xray'], 1, /not a profile/],
  [['report', 'cut.xray'], 1, /truncated \(at byte \d+\)/],
  [['report', 'changed.xray'], 1, /changed\.xray cannot be read as a profile/],
  [['report', 'version.xray'], 1, /version.*use the wasm-xray that wrote it/],
  [['report', 'map.xray'], 1, /function map is not valid/],
  [['report', 'other.xray'], 1, /function map is not valid/],
  [['report', 'alone.xray'], 1, /There is no map alone\.map\.json.*Name it with --map/],
  [['report', 'app.xray', '--map', 'none'], 1, /There is no file none/],
  [['convert', 'app.xray'], 2, /required option '-f, --format <format>' not specified/],
  [['convert', 'app.xray', '-f', 'pdf'], 2, /Allowed choices are speedscope, .*json/],
  [['convert', 'cut.xray', '-f', 'svg'], 1, /truncated/],
  [['convert', 'app.xray', '-f', 'svg', '-o', 'no/where.svg'], 1, /There is no directory/],
];
for (const [args, status, message] of mistakes) {
  test(`wasm-xray ${args.join(' ')}`, () => {
    const before = readdirSync(cwd);
    const run = cli(args);
    assert.equal(run.status, status, run.stderr);
    assert.match(run.stderr, message);
    assert.doesNotMatch(run.stderr, /^\s+at |node:internal|panicked|RuntimeError/m, 'no stack');
    assert.equal(run.stdout, '');
    assert.deepEqual(readdirSync(cwd), before, 'nothing was written');
  });
}

test('run prints the table on standard error and the program on standard output', () => {
  const run = cli(['run', '--out', 'table.xray', 'app.mjs']);
  assert.equal(run.stdout, '55\n');
  assert.match(run.stderr, /^function +module +calls +self +total\nfib +app +177 +- +-$/m);
  assert.match(run.stderr, /wrote table\.xray and table\.map\.json/);
  const wall = cli(['run', '--clock', 'wall', '--out', 'table.xray', 'app.mjs']);
  assert.match(
    wall.stderr,
    /^function +module +calls +self (ms|µs) +total \1\nfib +\S+ +177 +[\d.]+ +[\d.]+$/m,
  );
});

test('report, convert and instrument work on what run wrote', () => {
  assert.match(cli(['report', 'app.xray']).stdout, /^fib +app +177 /m);
  assert.equal(
    JSON.parse(cli(['report', 'app.xray', '--json', '--by', 'calls']).stdout).functions[0].calls,
    177,
  );
  const folded = cli(['convert', 'app.xray', '-f', 'folded']);
  assert.match(folded.stdout, /^fib;fib;fib 4$/m);
  for (const format of ['speedscope', 'svg', 'xray', 'json', 'folded']) {
    assert.equal(cli(['convert', 'app.xray', '-f', format, '-o', `app.${format}`]).status, 0);
  }
  assert.match(readFileSync(join(cwd, 'app.svg'), 'utf8'), /<svg/);
  assert.ok(JSON.parse(readFileSync(join(cwd, 'app.speedscope'), 'utf8')).profiles.length > 0);
  const xray = cli(['report', 'app.xray', '--json', '--map', 'app.map.json']);
  assert.equal(xray.status, 0);
  const beside = ['--map', 'made.json', '--offsets', 'made.offsets'];
  const made = cli(['instrument', 'fib.wasm', '-o', 'made.wasm', ...beside]);
  assert.match(made.stderr, /^Wrote made\.wasm with (inline|imported) probes/);
  assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'made.json'), 'utf8')).names, ['fib']);
  const offsets = CodeOffsets.read(readFileSync(join(cwd, 'made.offsets')));
  assert.equal(offsets.original(offsets.codeStarts.instrumented + 8)?.function, 0);
});

test('profiles of other tools are read as ours are', () => {
  writeFileSync(join(cwd, 'other.folded'), 'main;parse 30\nmain;render;draw 70\n');
  const { stdout } = cli(['report', 'other.folded', '--by', 'total'], { COLUMNS: '80' });
  assert.match(stdout, /^function +module +calls +self samples +total samples$/m);
  assert.match(stdout, /^main +0 +0 +100$/m);
  assert.match(stdout, /Not seen: calls: the profile is one of samples/);
  for (const format of ['cpuprofile', 'pprof']) {
    const written = cli(['convert', 'app.xray', '-f', format, '-o', `back.${format}`]);
    assert.equal(written.status, 0, written.stderr);
    const same = cli(['diff', 'app.xray', `back.${format}`]);
    assert.equal(same.status, 0, same.stderr);
    assert.match(same.stdout, /No path changed, \d+ the same\./);
  }
});

test('report and convert take the same views', () => {
  const report = (...options) => cli(['report', 'app.xray', ...options], { COLUMNS: '80' }).stdout;
  // fib(10) is ten deep: 1 + 2 + 4 … calls, until branches end.
  const deep = report('--tree').match(/^ *\d+ .* fib$/gm);
  assert.equal(deep.length, 10);
  assert.match(report('--tree', '--collapse-recursion'), /^ *177 +100\.00 +177 +100\.00 +fib$/m);
  assert.match(report('--tree', '--invert', '--prune', '50%'), /fib\n/);
  assert.match(report('--callers', 'fib'), /^ *1 +0\.56 +177 +100\.00 +\(host\)$/m);
  assert.match(report('--callees', 'fib', '--by', 'average'), /a call +Callees of fib/);
  assert.match(report('--group', 'module'), /^app +177 +- +-$/m);
  assert.match(report('--prune', '100%', '--tree'), /\(other\)|fib/);
  assert.match(
    report('--ignore', 'fib'),
    /No function was called\.[\s\S]*paths with fib: filtered out/,
  );
  const folded = cli(['convert', 'app.xray', '-f', 'folded', '--collapse-recursion']).stdout;
  assert.equal(folded, 'fib 177\n');
});

test('a module instrumented beforehand is profiled, too', () => {
  writeFileSync(
    join(cwd, 'made.mjs'),
    `import { readFileSync } from 'node:fs';
    const { instance, module } = await WebAssembly.instantiate(readFileSync('twice.wasm'));
    console.log(instance.exports.fib(10), WebAssembly.Module.imports(module));`,
  );
  const run = cli(['run', 'made.mjs']);
  assert.equal(run.stdout, '55 []\n', run.stderr);
  assert.match(run.stderr, /^fib +made +177 /m);
});

test('colours are for terminals, and for those who ask', () => {
  const report = (env) => cli(['report', 'app.xray'], env).stdout;
  const colour = '\x1b';
  assert.ok(!report({}).includes(colour));
  assert.ok(report({ FORCE_COLOR: '1', NO_COLOR: '' }).includes(colour));
  assert.ok(!report({ FORCE_COLOR: '1', NO_COLOR: '1' }).includes(colour));
});

test('help is as wide as the terminal at most', () => {
  const { stdout } = cli(['--help'], { COLUMNS: '80' });
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*\[options\]/gm)].map(([, name]) => name);
  assert.ok(commands.length >= 9, stdout);
  for (const args of [[], ...commands.map((name) => [name])]) {
    const help = cli([...args, '--help'], { COLUMNS: '80' });
    assert.deepEqual([help.status, help.stderr], [0, '']);
    const wide = help.stdout.split('\n').filter((line) => line.length > 80);
    assert.deepEqual(wide, [], args.join());
  }
});

test('a table is as wide as the terminal at most', () => {
  const map = readFileSync(join(cwd, 'app.map.json'), 'utf8');
  const name = `start_${'x'.repeat(300)}\u001b[31m_end`;
  writeFileSync(join(cwd, 'long.map.json'), map.replace('"fib"', JSON.stringify(name)));
  const { stdout } = cli(['report', 'app.xray', '--map', 'long.map.json'], { COLUMNS: '60' });
  const row = stdout.split('\n')[1];
  assert.match(row, /^start_x+…x*.*_end +app +177 +- +-$/);
  assert.ok(row.length <= 60, row);
  assert.ok(!stdout.includes('\u001b'), 'names bring no control characters to the terminal');
});
