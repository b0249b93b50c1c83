// A Rust program that is profiled from within: its profile with the feature, nothing without it.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root, run } from './support.mjs';

const program = join(root, 'examples/rust-program');
const cli = join(root, 'npm/dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'rust-program-'));
after(() => rmSync(folder, { recursive: true }));
const ON = ['--features', 'wasm-xray/enabled'];

async function cargo(cwd, ...args) {
  const ran = await run('cargo', args, cwd);
  assert.equal(ran.code, 0, ran.stderr);
  return ran;
}

/** The program's wasm module. */
async function module(directory, ...options) {
  const target = join(folder, 'out');
  const flags = ['--release', '--lib', '--crate-type', 'cdylib'];
  flags.push('--target', 'wasm32-unknown-unknown', ...options);
  await cargo(directory, 'rustc', ...flags, '--', '--emit', `link=${target}.wasm`);
  return readFileSync(`${target}.wasm`);
}

/** Sizes of a module's sections and, sorted, of its functions' bodies, in bytes. */
function anatomy(bytes) {
  let at = 8;
  const leb = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const sections = {};
  const bodies = [];
  while (at < bytes.length) {
    const id = bytes[at++];
    const size = leb();
    const end = at + size;
    sections[id] = (sections[id] ?? 0) + size;
    if (id === 10) {
      for (let count = leb(); count > 0; count--) {
        const length = leb();
        bodies.push(length);
        at += length;
      }
    }
    at = end;
  }
  return { sections, bodies: bodies.sort((a, b) => a - b) };
}

/** What `letters(1000)` calls, by path. */
function expected() {
  const paths = {};
  const call = (...path) => {
    const name = path.join(' > ');
    paths[name] = (paths[name] ?? 0) + 1;
  };
  for (let n = 0; n < 1000; n++) {
    call('words');
    if (n >= 100) {
      call('words', 'digit');
      call('words', 'Text::push');
      call('words', 'Text::push');
    }
    const rest = n % 100;
    if (rest === 0 && n !== 0) continue;
    const below = ['words', 'tens', 'below_hundred'];
    call('words', 'tens');
    call(...below);
    call(...below, 'Text::push');
    if (rest < 20) call(...below, 'digit');
    else if (rest % 10 !== 0) {
      call(...below, 'digit');
      call(...below, 'Text::push');
    }
  }
  return paths;
}

test('with the feature, the program leaves a profile that report reads', async () => {
  const flags = ['run', '--quiet', '--locked', '--manifest-path', join(program, 'Cargo.toml')];
  const file = join(folder, 'rust-program.xray');
  const off = await cargo(folder, ...flags);
  assert.equal(existsSync(file), false, 'nothing is written without the feature');
  const on = await cargo(folder, ...flags, ...ON);
  assert.deepEqual([on.stdout, on.stderr], [off.stdout, '']);
  const said = await run(process.execPath, [cli, 'report', file, '--json', '--paths'], folder);
  const report = JSON.parse(said.stdout);
  const names = new Map(report.functions.map(({ id, name }) => [id, name]));
  const short = (id) => names.get(id).replace('rust_program::', '');
  const paths = report.paths.map(({ path, calls }) => [path.map(short).join(' > '), calls]);
  assert.deepEqual(Object.fromEntries(paths), expected());
  assert.deepEqual([report.clock, report.threads.map(({ name }) => name)], ['calls', ['main']]);

  const first = readFileSync(file);
  await cargo(folder, ...flags, ...ON);
  assert.deepEqual(readFileSync(file), first, 'the same bytes on every run');
});

test('without the feature, a module is what it is without the crate', async () => {
  const plain = join(folder, 'plain');
  cpSync(program, plain, { recursive: true, filter: (path) => !path.endsWith('target') });
  for (const [name, line] of [
    ['Cargo.toml', /^.*wasm-xray.*$/gm],
    // Lines keep their numbers, which are in the module.
    ['src/lib.rs', /^.*wasm_xray.*$/gm],
  ]) {
    const path = join(plain, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(line, ''));
  }
  rmSync(join(plain, 'src/main.rs'));
  const without = await module(plain);
  const off = await module(program, '--locked');
  const on = await module(program, '--locked', ...ON);
  // The order of functions depends on a hash of what a crate depends on.
  assert.deepEqual(anatomy(off), anatomy(without));
  assert.ok(anatomy(off).bodies.length > 10);
  assert.ok(on.length > off.length);
  const exported = (bytes) =>
    WebAssembly.Module.exports(new WebAssembly.Module(bytes))
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('__'));
  assert.deepEqual(exported(off), ['memory', 'letters']);
  // wasm-bindgen's own are gone after its command has run.
  assert.deepEqual(
    exported(on).filter((name) => /^(xr_|serialize|nextBuffer|reset)/.test(name)),
    [],
    'nobody wants the exports of the shipped runtime',
  );
});
