// The package holds what it needs and no more, and works where nothing else is.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Most that the tarball may have, in bytes; most of it is the toolkit. Raise it knowingly. */
const LIMIT = 1_400_000;

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-pack-'));
after(() => rmSync(folder, { recursive: true }));
const app = join(folder, 'empty');

/** Runs a command without a network, with the Node that runs the tests. */
function run(command, args, cwd = app) {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    NODE_OPTIONS: '',
    npm_config_offline: 'true',
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
  };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8' });
}

/** Packs a package as `npm publish` would, without building it first. */
function pack(path) {
  const packed = run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, path],
    root,
  );
  assert.equal(packed.status, 0, packed.stderr);
  const answer = JSON.parse(packed.stdout);
  const [entry] = Object.values(answer);
  return { ...entry, path: join(folder, entry.filename.replace(/^@/, '').replace('/', '-')) };
}

/** Names of a package's dependencies, and of theirs. */
function closure(manifest, found = new Set()) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (found.has(name)) continue;
    found.add(name);
    closure(join(root, 'node_modules', name, 'package.json'), found);
  }
  return found;
}

let tarball;
before(() => {
  tarball = pack('.');
  // Dependencies come from here rather than from a registry.
  const dependencies = [...closure(join(root, 'package.json'))].map(
    (name) => pack(`./node_modules/${name}`).path,
  );
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  const install = run('npm', ['install', '--ignore-scripts', tarball.path, ...dependencies]);
  assert.equal(install.status, 0, install.stderr);
  cpSync(join(root, 'target/programs/fib.wasm'), join(app, 'fib.wasm'));
  const body = `
    import { readFileSync } from 'node:fs';
    const { instance } = await LOADER.instantiate(readFileSync('fib.wasm'));
    console.log(instance.exports.fib(10));`;
  writeFileSync(join(app, 'app.mjs'), body.replace('LOADER', 'WebAssembly'));
  writeFileSync(
    join(app, 'library.mjs'),
    `import { createProfiler } from 'wasm-xray';
    const profiler = createProfiler();
    ${body.replace('LOADER', 'profiler')}
    console.log(profiler.profile().report().functions[0].calls);`,
  );
  writeFileSync(
    join(app, 'library.cjs'),
    `const { createProfiler, OptionError } = require('wasm-xray');
    const profiler = createProfiler();
    const bytes = require('node:fs').readFileSync('fib.wasm');
    console.log(profiler.instantiateSync(bytes).instance.exports.fib(10));
    console.log(profiler.profile().report().functions[0].calls);
    try { createProfiler({ clock: 'sun' }); } catch (e) { console.log(e instanceof OptionError, e.code); }`,
  );
});

test(`the package has at most ${LIMIT} bytes`, (t) => {
  t.diagnostic(`it has ${tarball.size}, and ${tarball.unpackedSize} unpacked`);
  assert.ok(tarball.size <= LIMIT, `it has ${tarball.size}`);
});

test('the package holds what it needs and no more', () => {
  const sources = readdirSync(join(root, 'npm/src'), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `npm/dist/${path.slice(0, -'.ts'.length)}`);
  const expected = [
    'CHANGELOG.md',
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'README.md',
    'package.json',
    'npm/www/index.html',
    'npm/www/viewer.css',
    'npm/www/viewer.js',
    'npm/dist/browser/hook.js',
    'npm/dist/node/index.cjs',
    'npm/dist/node/index.d.cts',
    'npm/wasm/runtime/runtime_bg.wasm',
    'npm/wasm/toolkit/wasm_xray_toolkit.d.ts',
    'npm/wasm/toolkit/wasm_xray_toolkit.js',
    'npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm',
    ...sources.flatMap((path) => [`${path}.js`, `${path}.d.ts`]),
  ];
  assert.deepEqual(
    tarball.files.map(({ path }) => path).sort(),
    expected.sort(),
    'if npm/dist has files whose sources are gone, remove it and build again',
  );
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
    assert.equal(scripts[name], undefined, 'nothing runs when it is installed');
  }
});

test('npx wasm-xray run', () => {
  const profiled = run('npx', ['--no-install', 'wasm-xray', 'run', 'app.mjs']);
  assert.deepEqual([profiled.status, profiled.stdout], [0, '55\n'], profiled.stderr);
  assert.match(profiled.stderr, /^fib +app +177 /m);
  const report = run('npx', ['--no-install', 'wasm-xray', 'report', 'app.xray']);
  assert.match(report.stdout, /^fib +app +177 /m);
});

test('node --import wasm-xray/register', () => {
  const alone = run('node', ['--import', 'wasm-xray/register', 'app.mjs']);
  assert.deepEqual([alone.status, alone.stdout], [0, '55\n'], alone.stderr);
  assert.match(alone.stderr, /wrote .*\.xray/);
});

test("require('wasm-xray')", () => {
  const library = run('node', ['library.cjs']);
  assert.equal(library.stdout, '55\n177\ntrue ERR_XRAY_OPTION\n', library.stderr);
});

test("import from 'wasm-xray'", () => {
  const library = run('node', ['library.mjs']);
  assert.deepEqual([library.status, library.stdout], [0, '55\n177\n'], library.stderr);
});
