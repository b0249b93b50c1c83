// A trap in a profiled run, translated, reads as the one in a plain run.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasMultiMemory } from '../../npm/dist/core/features.js';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-traces-'));
after(() => rmSync(folder, { recursive: true }));
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = here('hook/traps.mjs');
const module = here('../../target/programs/stack_trace.wasm');
const other = here('../../target/programs/fib.wasm');

/** What a run says on standard error until it has said what the error is. */
const told = (run) => run.stderr.slice(0, run.stderr.indexOf('\nNode.js v'));
const translate = (text, ...args) => {
  const run = runCli(['symbolize', '--trace', '-', '--with', ...args], {}, { input: text });
  assert.equal(run.status, 0, run.stderr);
  return run;
};
/** A plain run's text, with the file's name for the engine's address. */
const plain = (how) => {
  const text = told(spawnSync(process.execPath, [program, how], { encoding: 'utf8' }));
  return text.replaceAll(/wasm:\/\/wasm\/[^:]*/g, 'stack_trace.wasm');
};

const kinds = [
  ...(hasMultiMemory()
    ? [
        ['--clock', 'calls', '--probes', 'inline'],
        ['--clock', 'instructions', '--probes', 'inline'],
        ['--clock', 'sampled', '--probes', 'inline'],
      ]
    : []),
  ['--clock', 'calls', '--probes', 'imported'],
  ['--clock', 'instructions', '--probes', 'imported'],
  ['--clock', 'sampled', '--probes', 'imported'],
  ['--clock', 'wall'],
];
for (const kind of kinds) {
  test(`traps of three kinds (${kind.join(' ')})`, () => {
    for (const how of ['1', '2', '3']) {
      const expected = plain(how);
      const out = join(folder, 'p.xray');
      const run = runCli(['run', ...kind, '--out', out, program, how]);
      assert.notEqual(told(run), expected);
      const found = translate(told(run), module, other);
      assert.equal(found.stdout, expected);
      assert.equal(found.stderr, '');
      // And if it is said how the run was made.
      assert.equal(translate(told(run), module, ...kind).stdout, expected);
    }
  });

  test(`functions left out (${kind.join(' ')})`, () => {
    const out = join(folder, 'p.xray');
    const filter = ['--exclude', 'middle', '--exclude', 'bottom', '--min-instructions', '3'];
    const run = runCli(['run', ...kind, ...filter, '--out', out, program, '1']);
    assert.equal(translate(told(run), module, ...filter).stdout, plain('1'));
  });
}

test('a stack that is full in a function of ours', () => {
  const traps = here('../../target/programs/traps.wasm');
  const script = join(folder, 'overflow.mjs');
  writeFileSync(
    script,
    `import { readFileSync } from 'node:fs';
    const { instance } = await WebAssembly.instantiate(readFileSync(${JSON.stringify(traps)}));
    try { instance.exports.overflow(); } catch (error) { console.error(error.stack); }`,
  );
  for (const kind of kinds) {
    const run = runCli(['run', ...kind, '--out', join(folder, 'p.xray'), script]);
    const { stdout } = translate(run.stderr, traps);
    // The runtime's frames stay.
    const frames = stdout.split('\n').filter((line) => /^ +at (?!wasm:).*wasm-function/.test(line));
    assert.ok(frames.length > 0, stdout);
    for (const frame of frames) assert.match(frame, /at forever \(traps\.wasm:wasm-function\[5\]:/);
  }
});

test('a trace of a plain run stays as it is', () => {
  const { stdout, stderr } = translate(plain('1'), module);
  assert.deepEqual([stdout, stderr], [plain('1'), '']);
});

test('what is of no module given stays as it is, and is told', () => {
  const text = 'x\n    at f (wasm://wasm/0badcafe:wasm-function[3]:0x12345)\n';
  const { stdout, stderr } = translate(text, module);
  assert.equal(stdout, text);
  assert.match(stderr, /^The frames of wasm:\/\/wasm\/0badcafe were left as they are: they fit no/);
});

test('a frame that fits more than one way is left, and both ways are told', () => {
  // The same module twice, under two names.
  const copy = join(folder, 'copy.wasm');
  writeFileSync(copy, readFileSync(module));
  const run = runCli(['run', '--out', join(folder, 'p.xray'), program, '1']);
  const { stdout, stderr } = translate(told(run), module, copy);
  assert.match(stdout, /wasm:\/\/wasm\//);
  assert.match(
    stderr,
    /they fit stack_trace\.wasm \(clock calls .*\) and copy\.wasm \(clock calls/,
  );
});

test('every mistake has an answer', () => {
  const instrumented = join(folder, 'instrumented.wasm');
  assert.equal(runCli(['instrument', module, '-o', instrumented]).status, 0);
  for (const [args, message] of [
    [['--with', module], /Give a profile to add symbols to, or --trace/],
    [['p.xray', '--trace', 'x', '--with', module], /Give a profile to add symbols to, or --trace/],
    [['--trace', 'nowhere.txt', '--with', module], /There is no file nowhere\.txt/],
    [['--trace', '-', '--with', instrumented], /is instrumented\. Give the module/],
    [['--trace', '-', '--with', program], /holds no symbols/],
  ]) {
    const run = runCli(['symbolize', ...args], {}, { cwd: folder, input: 'x' });
    assert.notEqual(run.status, 0, args.join(' '));
    assert.match(run.stderr, message);
  }
});

test('a debug build has names, files and lines of its frames', () => {
  const treeSitter = dirname(createRequire(import.meta.url).resolve('web-tree-sitter'));
  const script = join(folder, 'debug.mjs');
  // Parsing reads its input by way of the host, which throws.
  writeFileSync(
    script,
    `import { Language, Parser } from ${JSON.stringify(pathToFileURL(join(treeSitter, 'debug/web-tree-sitter.js')).href)};
    Error.stackTraceLimit = 50;
    await Parser.init();
    const parser = new Parser();
    parser.setLanguage(await Language.load(${JSON.stringify(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm'))}));
    parser.parse(() => { console.error(new Error('here').stack); return null; });`,
  );
  const wasm = join(treeSitter, 'debug/web-tree-sitter.wasm');
  const trace = (text) => text.slice(text.indexOf('Error: here')).split('\n\n')[0];
  const original = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  const run = runCli(['run', '--out', join(folder, 'p.xray'), script]);
  const [expected, found] = [original, run].map((run) => translate(trace(run.stderr), wasm).stdout);
  const frames = (text) => text.split('\n').filter((line) => line.includes('wasm-function['));
  assert.deepEqual(frames(found), frames(expected));
  const parser = frames(found).filter((line) => / \/src\/lib\/src\/parser\.c:\d+$/.test(line));
  assert.ok(parser.length > 0, found);
});
