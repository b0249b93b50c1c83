// Names, source files and lines: from the module, from files beside it, and added later.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decodedMappings, TraceMap } from '@jridgewell/trace-mapping';
import { codeBodies, customSection, stripped } from './modules.mjs';
import { runCli } from './support.mjs';

const require = createRequire(import.meta.url);
const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-symbols-'));
after(() => rmSync(cwd, { recursive: true }));
const cli = (...args) => runCli(args, { COLUMNS: '200' }, { cwd });
const file = (name) => join(cwd, name);
const json = (name) => JSON.parse(readFileSync(file(name), 'utf8'));
const fibWasm = readFileSync(
  fileURLToPath(new URL('../../target/programs/fib.wasm', import.meta.url)),
);
const treeSitter = dirname(require.resolve('web-tree-sitter'));
const grammar = require.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm');

/** A program that parses with web-tree-sitter. */
function parses(name, script, wasm) {
  const init = wasm ? `{ locateFile: () => ${JSON.stringify(file(wasm))} }` : '';
  writeFileSync(
    file(name),
    `const { Language, Parser } = await import(${JSON.stringify(pathToFileURL(script).href)});
    await Parser.init(${init});
    const parser = new Parser();
    parser.setLanguage(await Language.load(${JSON.stringify(grammar)}));
    console.log(parser.parse('a { b: c }').rootNode.descendantCount);`,
  );
}

/** A program that runs fib(10) of a module. */
function runsFib(name, bytes) {
  writeFileSync(file(`${name}.wasm`), bytes);
  writeFileSync(
    file(`${name}.mjs`),
    `import { readFileSync } from 'node:fs';
    const bytes = readFileSync(${JSON.stringify(file(`${name}.wasm`))});
    console.log((await WebAssembly.instantiate(bytes)).instance.exports.fib(10));`,
  );
}

/** Profiles a program; what was printed after it. */
function profile(name, ...options) {
  const run = cli('run', ...options, `${name}.mjs`);
  assert.equal(run.status, 0, run.stderr);
  return run.stderr;
}

const functions = (name) => JSON.parse(cli('report', `${name}.xray`, '--json').stdout).functions;

/** A module of a map, with `file:line` of each function by index. */
function places(name, module) {
  const { map } = json(`${name}.map.json`).modules.find((m) => m.map.name === module);
  const places = new Map();
  for (const [index, source, line] of map.sources?.functions ?? []) {
    places.set(index, `${map.sources.files[source]}:${line}`);
  }
  return { names: map.names, places };
}

const debugScript = join(treeSitter, 'debug/web-tree-sitter.js');
const debugWasm = join(treeSitter, 'debug/web-tree-sitter.wasm');
let fromDebug = '';
before(() => {
  runsFib('fib', stripped(fibWasm));
  parses('debug.mjs', debugScript);
  fromDebug = profile('debug', '--limit', '5');
});

test('a debug build shows the files and lines that llvm-dwarfdump finds', () => {
  assert.match(fromDebug, /^function +module +calls +self +total +source$/m);
  assert.match(fromDebug, /Debug information gave file and line of 7\d\d functions \(\d+\.\d s;/);
  const { names, places: found } = places('debug', 'web-tree-sitter.wasm');
  const expected = new Map();
  const data = readFileSync(new URL('data/web-tree-sitter.dwarfdump.txt', import.meta.url), 'utf8');
  for (const line of data.trim().split('\n')) {
    if (line.startsWith('#')) continue;
    const [name, place] = line.split(' ');
    expected.set(name, [...(expected.get(name) ?? []), place]);
  }
  let compared = 0;
  for (const [index, name] of names.entries()) {
    // A static function of the same name in another file has `.1` behind it.
    const places = expected.get(name) ?? expected.get(name?.replace(/\.\d+$/, ''));
    if (!places) continue;
    compared++;
    assert.ok(places.includes(found.get(index)), `${name}: ${found.get(index)}, not ${places}`);
  }
  assert.ok(compared > 680, `${compared}`);
  const parse = functions('debug').find((f) => f.name === 'ts_parser_parse');
  assert.match(parse.file, /^\/src\/lib\/src\/parser\.c$/);
  assert.ok(parse.line > 2000);
});

test('a source map beside the script gives what another decoder finds', () => {
  parses('mapped.mjs', join(treeSitter, 'web-tree-sitter.js'));
  const printed = profile('mapped');
  // The map was made smaller by hand: it does not list what is not tree-sitter's own.
  assert.match(printed, /has functions of \d+ sources that it does not list/);
  const wasm = readFileSync(join(treeSitter, 'web-tree-sitter.wasm'));
  const map = new TraceMap(readFileSync(join(treeSitter, 'web-tree-sitter.wasm.map'), 'utf8'));
  const { modules } = json('mapped.map.json');
  const { places: found } = places('mapped', modules.find((m) => m.map.sources).map.name);
  const mappings = decodedMappings(map)[0].filter((segment) => segment.length > 1);
  let placed = 0;
  for (const { index, start, end } of codeBodies(wasm)) {
    const [offset, source, line] = mappings.find(([offset]) => offset >= start) ?? [];
    const listed = offset < end && map.sources[source];
    if (listed) placed++;
    assert.equal(found.get(index), listed ? `${listed}:${line + 1}` : undefined, `${index}`);
  }
  assert.ok(placed > 100, `${placed}`);
});

test('a stripped module with its twin gives the same table as the unstripped one', () => {
  const unstripped = readFileSync(debugWasm);
  writeFileSync(file('stripped.wasm'), stripped(unstripped));
  parses('stripped.mjs', debugScript, 'stripped.wasm');
  assert.doesNotMatch(profile('stripped'), /Debug information/);
  const table = (name) => cli('report', `${name}.xray`, '--limit', '1000').stdout;
  const withoutWarnings = (text) => text.replace(/^In .*\n/gm, '');
  assert.notEqual(table('stripped'), withoutWarnings(table('debug')));
  const added = cli('symbolize', 'stripped.xray', '--with', debugWasm);
  assert.equal(added.status, 0, added.stderr);
  assert.match(
    added.stderr,
    /^web-tree-sitter\.wasm: \d+ names and file and line of 703 functions for web-tree-sitter/,
  );
  assert.match(added.stderr, /^Wrote stripped\.map\.json$/m);
  assert.equal(table('stripped'), withoutWarnings(table('debug')));
  assert.deepEqual(functions('stripped'), functions('debug'));
});

test('external_debug_info leads to a file with DWARF', () => {
  const unstripped = readFileSync(debugWasm);
  const url = new TextEncoder().encode('\x0bsplit.debug');
  const section = customSection('external_debug_info', url);
  writeFileSync(file('split.wasm'), Buffer.concat([stripped(unstripped), section]));
  parses('split.mjs', debugScript, 'split.wasm');
  assert.match(profile('split'), /the file with DWARF was not found: there is no split\.debug in /);
  copyFileSync(debugWasm, file('split.debug'));
  const added = cli('symbolize', 'split.xray', '--with', 'split.wasm', '-o', 'whole.xray');
  assert.match(added.stderr, /file and line of 703 functions/);
  assert.match(added.stderr, /^Wrote whole\.xray and whole\.map\.json$/m);
  assert.deepEqual(functions('whole'), functions('debug'));
  copyFileSync(file('fib.wasm'), file('split.debug'));
  const other = cli('symbolize', 'split.xray', '--with', 'split.wasm', '-o', 'other.xray');
  assert.match(other.stderr, /file with DWARF was left out: its code is of another build/);
});

test('what does not fit is refused with the reason, and nothing is written', () => {
  const before = readdirSync(cwd);
  const map = readFileSync(file('debug.map.json'), 'utf8');
  writeFileSync(file('text'), 'Hello.\n');
  writeFileSync(file('far.symbols'), '9999:far\n');
  writeFileSync(file('bad.symbols'), '1:a\nb\n');
  writeFileSync(file('two.symbols'), '1:a\n');
  const tooMany = [debugWasm, 'fib.wasm', join(treeSitter, 'web-tree-sitter.wasm.map')];
  for (const [files, status, message] of [
    [
      ['fib.wasm'],
      1,
      /fib\.wasm was refused: its code is not that of a module of the profile \(.*web-tree-sitter.*\)\. Give the build that was profiled, before it was stripped.*wasm-opt -g/,
    ],
    [['text'], 1, /text holds no symbols\. Give a WebAssembly module/],
    [['none'], 1, /There is no file none\./],
    [['far.symbols'], 1, /far\.symbols was refused: it has 10000 functions, more than any module/],
    [['bad.symbols'], 1, /bad\.symbols was refused: line 2 is not a function index/],
    [['two.symbols'], 1, /it could be of .*, .*: name one with --module/],
    [['two.symbols', '--module', 'none'], 1, /there is no module "none" in the profile/],
    [
      [join(treeSitter, 'web-tree-sitter.wasm.map')],
      2,
      /does not say of which module it is\. Give it together/,
    ],
    [tooMany, 2, /does not say of which module it is/],
    [[], 2, /argument missing/],
  ]) {
    const run = cli('symbolize', 'debug.xray', '--with', ...files);
    assert.match(run.stderr, message);
    assert.doesNotMatch(run.stderr, /^\s+at /m);
    assert.equal(run.status, status, run.stderr);
  }
  assert.equal(readFileSync(file('debug.map.json'), 'utf8'), map);
  for (const name of ['text', 'far.symbols', 'bad.symbols', 'two.symbols']) rmSync(file(name));
  assert.deepEqual(readdirSync(cwd), before);
});

test('a symbol map names the functions of a module', () => {
  profile('fib');
  writeFileSync(file('fib.symbols'), '0:ns::fib\\28int\\29\n');
  const added = cli('symbolize', 'fib.xray', '--with', 'fib.symbols', '--module', 'fib');
  assert.equal(added.stderr, 'fib.symbols: 1 name for fib\nWrote fib.map.json\n');
  assert.match(cli('report', 'fib.xray').stdout, /^ns::fib\(int\) +fib +177 /m);
});

/** fib with a source map at an address. */
function fibWithMap(url) {
  const bytes = new TextEncoder().encode(url);
  const length = [
    0x80 | (bytes.length & 0x7f),
    0x80 | ((bytes.length >> 7) & 0x7f),
    bytes.length >> 14,
  ];
  return Buffer.concat([
    fibWasm,
    customSection('sourceMappingURL', Uint8Array.from([...length, ...bytes])),
  ]);
}

test('source maps of every toolchain, in the address or beside, empty, broken or missing', () => {
  const [{ start }] = codeBodies(fibWasm);
  const map = (sources, extra = {}) =>
    JSON.stringify({
      version: 3,
      sources,
      names: [],
      mappings: `${vlq(start)}A${vlq(41)}A`,
      ...extra,
    });
  const missing = /the source map was not found: there is no missing\.map in /;
  const cases = [
    [
      'emscripten',
      'emscripten.wasm.map',
      map(['../src/fib.c'], { sourceRoot: '' }),
      '../src/fib.c:42',
    ],
    [
      'assemblyscript',
      './assemblyscript.wasm.map',
      map(['assembly/index.ts'], { sourceRoot: './' }),
      'assembly/index.ts:42',
    ],
    [
      'kotlin',
      'kotlin.wasm.map',
      map(['file:///home/me/src/Main.kt'], { sourcesContent: [null] }),
      'file:///home/me/src/Main.kt:42',
    ],
    [
      'dart',
      'http://localhost:8080/dart%2Ewasm.map?v=1',
      map(['org-dartlang-sdk:///sdk/lib/core.dart'], { file: 'x' }),
      'org-dartlang-sdk:///sdk/lib/core.dart:42',
    ],
    [
      'inside',
      `data:application/json;base64,${Buffer.from(map(['a.c'])).toString('base64')}`,
      undefined,
      'a.c:42',
    ],
    ['escaped', `data:application/json,${encodeURIComponent(map(['a.c']))}`, undefined, 'a.c:42'],
    ['prefixed', 'prefixed.map', `)]}'\n${map(['a.c'])}`, 'a.c:42'],
    ['empty', 'empty.map', '', undefined, /the source map is empty/],
    [
      'bare',
      'bare.map',
      '{"version":3,"sources":[],"names":[],"mappings":""}',
      undefined,
      /has no mappings/,
    ],
    ['cut', 'cut.map', map(['a.c']).slice(0, 30), undefined, /the source map cannot be read: EOF/],
    [
      'wrong',
      'wrong.map',
      map(['a.c'], { mappings: `${vlq(100_000)}AAA` }),
      undefined,
      /of another build/,
    ],
    ['missing', 'missing.map', undefined, undefined, missing],
    ['nodata', 'data:nothing', undefined, undefined, /the data: address has no data in it/],
    ['hostile', 'hostile.map', map(['\u001b[2Ja/\u202eb\n']), '\u001b[2Ja/\u202eb\n:42'],
    ['folder', '.', undefined, undefined, /the source map was not found/],
    ['device', 'file:///dev/zero', undefined, undefined, /there is no zero in/],
  ];
  for (const [name, url, text, expected, note] of cases) {
    runsFib(name, fibWithMap(url));
    if (text !== undefined) writeFileSync(file(name === 'dart' ? 'dart.wasm.map' : url), text);
    const printed = profile(name);
    assert.equal(places(name, name).places.get(0), expected, name);
    if (note) assert.match(printed, note);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    assert.doesNotMatch(printed, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  }
});

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A positive number as source maps have them. */
function vlq(number) {
  let rest = number * 2;
  let text = '';
  do {
    text += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>>= 5;
  } while (rest > 0);
  return text;
}

test('--no-symbols leaves debug information unread', () => {
  parses('plain.mjs', debugScript);
  const printed = profile('plain', '--no-symbols');
  assert.doesNotMatch(printed, /Debug information|source$/m);
  assert.ok(functions('plain').every((f) => f.file === undefined));
});

test('exec shows files and lines, too', () => {
  const { status, stderr } = runCli(['exec', '--', process.execPath, 'debug.mjs'], {}, { cwd });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /Debug information gave file and line of 703 functions/);
});
