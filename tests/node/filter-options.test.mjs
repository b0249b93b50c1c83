// The options that choose functions, from every place where they can be given.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProfiler } from '../../npm/dist/index.js';
import { runCli } from './support.mjs';

const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-filter-'));
after(() => rmSync(cwd, { recursive: true }));
const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const cli = (args, env) => runCli(args, env, { cwd });

// `run` calls $leaf and $middle, which calls $leaf twice.
cpSync(local('../../target/programs/direct.wasm'), join(cwd, 'direct.wasm'));
writeFileSync(
  join(cwd, 'app.mjs'),
  `import { readFileSync } from 'node:fs';
  for (const file of process.argv.slice(2)) {
    const { instance } = await WebAssembly.instantiate(readFileSync(file));
    instance.exports.run(3);
  }`,
);
writeFileSync(join(cwd, 'list'), '# Never the leaf.\n[never]\nfun:leaf\n[always]\nfun:none\n');
writeFileSync(join(cwd, 'bad-list'), '[never]\nleaf\n');

function pathsIn(profile) {
  const { status, stdout, stderr } = cli(['report', profile, '--json', '--paths']);
  assert.equal(status, 0, stderr);
  const report = JSON.parse(stdout);
  const names = new Map(report.functions.map((f) => [f.id, f.name]));
  const text = ({ path, calls }) => `${path.map((id) => names.get(id)).join(' > ')} ${calls}`;
  return { paths: report.paths.map(text).sort(), report };
}

test('run: globs, a threshold, a list; what is left out and what matched nothing is told', () => {
  for (const [options, paths, leftOut, unmatched] of [
    [['--exclude', 'leaf', '--exclude', 'x*'], ['run 1', 'run > middle 3'], 1, ['exclude x*']],
    [['--include', 'leaf', '--include', 'run'], ['run 1', 'run > leaf 9'], 1, undefined],
    [['--include', '*!leaf', '--include', 'd!run'], ['leaf 9'], 2, ['include d!run']],
    [['--min-instructions', '2'], ['run 1', 'run > middle 3'], 1, undefined],
    [['--attr-list', 'list'], ['run 1', 'run > middle 3'], 1, ['always fun:none']],
  ]) {
    const run = cli(['run', ...options, '--out', 'p.xray', 'app.mjs', 'direct.wasm']);
    assert.equal(run.status, 0, run.stderr);
    const { paths: found, report } = pathsIn('p.xray');
    assert.deepEqual(found, paths, options.join(' '));
    assert.deepEqual([report.leftOut, report.unmatched], [leftOut, unmatched]);
    assert.match(run.stderr, new RegExp(`Left out by choice: ${leftOut} function`));
    const note = /^No function matches .*$/m.exec(run.stderr)?.[0];
    const [list, glob] = unmatched?.[0].split(' ') ?? [];
    const place = list === 'always' ? `[always] ${glob}` : `--${list} ${glob}`;
    assert.equal(note, unmatched && `No function matches ${place}.`);
  }
});

test('exec: the same in every process, wherever it runs', () => {
  const command = [
    '--',
    'sh',
    '-c',
    `cd / && "${process.execPath}" ${cwd}/app.mjs ${cwd}/direct.wasm`,
  ];
  const run = cli(['exec', '--attr-list', 'list', '--out', 'e.xray', ...command]);
  assert.equal(run.status, 0, run.stderr);
  assert.deepEqual(pathsIn('e.xray').paths, ['run 1', 'run > middle 3']);
});

test('register: from the environment', () => {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const register = local('../../npm/dist/register.js');
  const run = (more) =>
    spawnSync(process.execPath, ['--import', register, 'app.mjs', 'direct.wasm'], {
      cwd,
      env: { ...env, ...more },
      encoding: 'utf8',
    });
  for (const [more, paths] of [
    [{ WASM_XRAY_EXCLUDE: 'middle,run' }, ['leaf 9']],
    [{ WASM_XRAY_INCLUDE: 'run' }, ['run 1']],
    [{ WASM_XRAY_MIN_INSTRUCTIONS: '2', WASM_XRAY_ATTR_LIST: 'list' }, ['run 1', 'run > middle 3']],
  ]) {
    const { stderr } = run(more);
    const file = readdirSync(cwd).find((name) => /^wasm-xray-.*\.xray$/.test(name));
    assert.ok(file, stderr);
    assert.deepEqual(pathsIn(file).paths, paths);
    if (more.WASM_XRAY_ATTR_LIST) assert.match(stderr, /No function matches \[always\] fun:none\./);
    rmSync(join(cwd, file));
  }
  const { stderr } = run({ WASM_XRAY_MIN_INSTRUCTIONS: 'few' });
  assert.match(stderr, /"few" is not a number of instructions.*The default is used/);
});

test('instrument: a module instrumented with a filter beside the same one without', () => {
  const made = cli(['instrument', '--exclude', 'middle', '-o', 'some.wasm', 'direct.wasm']);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stderr, /Left out by choice: 1 function\./);
  const none = cli(['instrument', '--include', 'x!*', '-o', 'none.wasm', 'direct.wasm']);
  assert.match(none.stderr, /No function matches --include x!\*\./);
  // One after the other, each first: their nodes are of different sizes.
  for (const order of [
    ['some.wasm', 'direct.wasm'],
    ['direct.wasm', 'some.wasm'],
  ]) {
    const run = cli(['run', '--out', 'p.xray', 'app.mjs', ...order]);
    assert.equal(run.status, 0, run.stderr);
    assert.deepEqual(pathsIn('p.xray').paths, [
      'run 2',
      'run > leaf 12',
      'run > middle 3',
      'run > middle > leaf 6',
    ]);
  }
});

test('the library: the same options', () => {
  const bytes = readFileSync(join(cwd, 'direct.wasm'));
  const profiler = createProfiler({
    include: ['*'],
    exclude: ['middle'],
    minInstructions: 1000,
    attributeList: '[always]\nfun:*',
  });
  profiler.instantiateSync(bytes).instance.exports.run(3);
  const { functions, leftOut } = profiler.profile().report();
  assert.deepEqual(functions.map((f) => f.name).sort(), ['leaf', 'run']);
  assert.equal(leftOut, 1);
  for (const [options, words] of [
    [{ include: 'leaf' }, /include must be an array/],
    [{ exclude: [''] }, /glob is empty/],
    [{ minInstructions: -1 }, /"-1" is not a number of instructions/],
    [{ attributeList: '[never]\nleaf' }, /attribute list, line 2: .*fun:/],
    [{ attributeList: 7 }, /text of a list/],
  ]) {
    assert.throws(() => createProfiler(options), { code: 'ERR_XRAY_OPTION', message: words });
  }
});

test('every mistake has an answer, before the program is started', () => {
  for (const [options, status, words] of [
    [['--include', ''], 2, /glob is empty\. Give the name of a function/],
    [['--min-instructions', 'x'], 2, /"x" is not a number of instructions/],
    [['--min-instructions', '1.5'], 2, /whole number from 0/],
    [['--min-instructions', '-3'], 2, /whole number from 0/],
    [['--attr-list', 'missing'], 1, /attribute list missing cannot be read/],
    [['--attr-list', '.'], 1, /attribute list \. cannot be read/],
    [['--attr-list', 'bad-list'], 2, /bad-list, line 2: an entry is fun: and a glob/],
  ]) {
    for (const command of [
      ['run', ...options, 'app.mjs'],
      ['exec', ...options, '--', 'node', 'app.mjs'],
      ['instrument', ...options, '-o', 'o.wasm', 'direct.wasm'],
    ]) {
      const run = cli(command);
      assert.match(run.stderr, words, command.join(' '));
      assert.equal(run.status, status, run.stderr);
      assert.doesNotMatch(run.stderr, /\n {4}at /);
    }
  }
});
