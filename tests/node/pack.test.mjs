// The package holds what it needs and no more, and works where nothing else is.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Most that the tarball may have, in bytes: the toolkit is 1.1 MB of it, sources and their maps 0.2 MB. Raise it knowingly. */
const LIMIT = 1_750_000;

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

/** Scripts that are started as programs of their own. */
const PROGRAMS = ['cli/wasi-program.js', 'vite/report.js'];
/** Bundles, which import nothing of the rest. */
const BUNDLES = [
  'browser/hook.js',
  'node/index.cjs',
  ...['start', 'rolldown-runtime', 'hook', 'thread', 'alone', 'children', 'filter', 'rescue'].map(
    (name) => `hook/${name}.cjs`,
  ),
];

/** Paths of files of `npm/dist`, and of those that they import. */
function reachable(entries, resolveFile) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path) || path.startsWith('../')) return;
    found.add(path);
    const text = readFileSync(join(root, 'npm/dist', path), 'utf8').replace(
      /\/\*[\s\S]*?\*\//g,
      '',
    );
    const imports =
      /^(?:import|export) (?:[\w*{][^;'"]*? from )?['"](\.[^'"]+)['"]|\bimport\(['"](\.[^'"]+)['"]\)/gm;
    for (const [, one, other] of text.matchAll(imports)) {
      visit(resolveFile(posix.join(posix.dirname(path), one ?? other)));
    }
  };
  for (const entry of entries) visit(entry);
  return [...found];
}

/** Targets of a manifest's `exports` and `bin`, from `npm/dist`. */
function entriesOf({ exports, bin }) {
  const targets = (value) =>
    typeof value === 'string' ? [value] : Object.values(value).flatMap(targets);
  return [...targets(exports), ...targets(bin)]
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => path.startsWith('npm/dist/'))
    .map((path) => path.slice('npm/dist/'.length));
}

test('the package holds what it needs and no more', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = entriesOf(manifest);
  const scripts = reachable(
    [...entries.filter((path) => path.endsWith('.js')), ...PROGRAMS],
    (path) => path,
  );
  const types = reachable(
    entries.filter((path) => /\.d\.c?ts$/.test(path)),
    (path) => path.replace(/\.(c?)js$/, '.d.$1ts'),
  );
  const maps = [...scripts, ...BUNDLES]
    .filter((path) => !['browser/hook.js', 'hook/rolldown-runtime.cjs'].includes(path))
    .map((path) => `${path}.map`);
  const sources = readdirSync(join(root, 'npm/src'), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `npm/src/${path}`);
  const needed = new Set([
    'CHANGELOG.md',
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'README.md',
    'package.json',
    'npm/www/index.html',
    'npm/www/viewer.css',
    'npm/www/viewer.js',
    'npm/wasm/runtime/runtime_bg.wasm',
    'npm/wasm/toolkit/wasm_xray_toolkit.d.ts',
    'npm/wasm/toolkit/wasm_xray_toolkit.js',
    'npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm',
    ...sources,
    ...[...scripts, ...types, ...maps, ...BUNDLES].map((path) => `npm/dist/${path}`),
  ]);
  const packed = new Set(tarball.files.map(({ path }) => path));
  const missing = [...needed].filter((path) => !packed.has(path));
  assert.deepEqual(missing, [], 'these are needed');
  // Modules of types alone leave an empty script; some folders have types for users and others.
  const isNothing = (path) => path.endsWith('.d.ts') || path.endsWith('.map') || sizeOf(path) < 100;
  const sizeOf = (path) => tarball.files.find((file) => file.path === path).size;
  const extra = [...packed].filter((path) => !needed.has(path) && !isNothing(path));
  assert.deepEqual(extra, [], 'old builds leave files: remove npm/dist and build again');
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
    assert.equal(manifest.scripts[name], undefined, 'nothing runs when it is installed');
  }
});

/** What a library does with the API, in TypeScript. */
const USE = `
  const bytes = new Uint8Array();
  const profiler: Profiler = createProfiler({ clock: 'calls', include: ['a*'], arena: '8M' });
  const prepared: Instrumented = profiler.instrument(bytes);
  profiler.mark('phase');
  const profile: Profile = profiler.profile();
  const report: Report = profile.report({ limit: 3 });
  const calls: number | undefined = report.functions[0]?.calls;
  for (const block of profiler.blocks()) block.byteLength;
  try {
    profiler.instantiateSync(prepared.bytes);
  } catch (error) {
    if (error instanceof OptionError) error.code satisfies ErrorCode;
  }
  // @ts-expect-error
  createProfiler({ clock: 'sun' });
  void calls;`;
const VALUES = 'createProfiler, OptionError';
const TYPES = 'type ErrorCode, type Instrumented, type Profile, type Profiler, type Report';

test('types, as TypeScript resolves them in every way, libraries checked as well', () => {
  writeFileSync(join(app, 'types.mts'), `import { ${VALUES}, ${TYPES} } from 'wasm-xray'; ${USE}`);
  writeFileSync(join(app, 'types.cts'), `import { ${VALUES}, ${TYPES} } from 'wasm-xray'; ${USE}`);
  writeFileSync(
    join(app, 'require.cts'),
    `import xray = require('wasm-xray'); const p: xray.Profiler = xray.createProfiler(); void p;`,
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const common = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
  const libraries = ['--skipLibCheck', 'false', '--noUncheckedSideEffectImports', '--types', ''];
  for (const [module, resolution, files] of [
    ['node16', 'node16', ['types.mts', 'types.cts', 'require.cts']],
    ['nodenext', 'nodenext', ['types.mts', 'types.cts', 'require.cts']],
    ['esnext', 'bundler', ['types.mts']],
    ['preserve', 'bundler', ['types.mts', 'types.cts', 'require.cts']],
  ]) {
    const how = ['--module', module, '--moduleResolution', resolution];
    const checked = run('node', [tsc, ...common, ...libraries, ...how, ...files]);
    assert.deepEqual([checked.stdout, checked.status], ['', 0], `${how}`);
  }
});

test('source maps lead to the sources, which are there', () => {
  const dist = join(app, 'node_modules/wasm-xray/npm/dist');
  for (const path of ['hook/hook.cjs', 'hook/thread.cjs', 'node/index.cjs', 'cli/run.js']) {
    const { sources } = JSON.parse(readFileSync(join(dist, `${path}.map`), 'utf8'));
    const own = sources.filter((source) => !source.includes('toolkit') && source.endsWith('.ts'));
    assert.ok(own.length > 0, path);
    for (const source of own) assert.ok(existsSync(join(dist, path, '..', source)), source);
  }
  const failing = run('node', [
    '--enable-source-maps',
    '--input-type=module',
    '--eval',
    `import { createProfiler } from 'wasm-xray'; createProfiler({ clock: 'sun' });`,
  ]);
  assert.match(failing.stderr, /src\/core\/options\.ts:\d+/);
});

test('a program without wasm loads no more of the hook than it needs', () => {
  const list = `console.log(Object.keys(require.cache).map((path) => require('path').basename(path)).join(' '))`;
  const hooked = run('node', ['--require', 'wasm-xray/register', '--eval', list]);
  assert.deepEqual(
    [hooked.stdout, hooked.stderr],
    ['start.cjs hook.cjs rolldown-runtime.cjs\n', ''],
  );
  const imported = run('node', ['--import', 'wasm-xray/register', '--eval', list]);
  assert.deepEqual(
    [imported.stdout, imported.stderr],
    ['start.cjs hook.cjs rolldown-runtime.cjs\n', ''],
  );
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
