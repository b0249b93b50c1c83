// Modules of many toolchains from npm: what their programs print must be the same with
// probes, and the engine must take every module. Prints the table of docs/MODULES.md.
//
// usage: node run.mjs [WORD]   only programs whose name contains WORD

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createProfiler } from '../../npm/dist/index.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here('../../target/modules/');
const main = here('../../npm/dist/cli/main.js');
const [word = ''] = process.argv.slice(2);

/** Package of each program, and what made its modules. */
const PROGRAMS = {
  'as-sha256': ['@chainsafe/as-sha256', 'AssemblyScript'],
  binaryen: ['binaryen', 'Emscripten, C++'],
  biome: ['@biomejs/wasm-nodejs', 'Rust, wasm-bindgen'],
  dotnet: ['blazor', '.NET, Mono'],
  duckdb: ['@duckdb/duckdb-wasm', 'Emscripten, C++ exceptions'],
  ghostty: ['ghostty-web', 'Zig'],
  'hash-wasm': ['hash-wasm', 'clang, C, no glue'],
  jq: ['jq-web', 'Emscripten, C'],
  oniguruma: ['vscode-oniguruma', 'Emscripten, C'],
  opencv: ['opencv-wasm', 'Emscripten, C++ with embind'],
  pandoc: ['pandoc-wasm', 'GHC, Haskell'],
  pyodide: ['pyodide', 'Emscripten, CPython, JSPI'],
  resvg: ['@resvg/resvg-wasm', 'Rust, wasm-bindgen'],
  ruby: ['@ruby/3.4-wasm-wasi', 'wasi-sdk, CRuby, Asyncify'],
  'sh-syntax': ['sh-syntax', 'TinyGo'],
  swc: ['@swc/wasm', 'Rust, wasm-bindgen'],
  typst: ['@myriaddreamin/typst-ts-web-compiler', 'Rust, wasm-bindgen'],
  viz: ['@viz-js/viz', 'Emscripten, C'],
  wabt: ['wabt', 'Emscripten, C++'],
  wasmoon: ['wasmoon', 'Emscripten, Lua'],
  yoga: ['yoga-layout', 'Emscripten, C++ with embind'],
  z3: ['z3-solver', 'Emscripten, C++ in pthreads'],
};

function install() {
  mkdirSync(folder, { recursive: true });
  cpSync(here('package.json'), `${folder}package.json`);
  cpSync(here('programs'), `${folder}programs`, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}

function run(args, env = {}) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    timeout: 300_000,
  });
  return { result: stdout.match(/^RESULT .*$/gm)?.join('\n'), stderr, status };
}

/** Processor time in ms, of three tries the best. */
function timeOf(action) {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const start = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** What instrumenting does to the modules in a folder. */
function measure(captured) {
  const sum = { count: 0, bytes: 0, ms: 0, grown: 0 };
  const profiler = createProfiler();
  for (const file of readdirSync(captured)) {
    const bytes = readFileSync(`${captured}/${file}`);
    let output;
    sum.ms += timeOf(() => {
      output = profiler.instrument(bytes).bytes;
    });
    new WebAssembly.Module(output); // throws if the engine does not take it
    sum.count++;
    sum.bytes += bytes.length;
    sum.grown += output.length;
  }
  return sum;
}

function judge(name) {
  const program = `${folder}programs/${name}.mjs`;
  const captured = `${folder}captured/${name}`;
  rmSync(captured, { recursive: true, force: true });
  const plain = run(['--import', here('capture.mjs'), program], { CAPTURE_TO: captured });
  if (!plain.result) return { words: `does not run here plain: ${plain.stderr.slice(0, 300)}` };
  const profile = `${folder}${name}.xray`;
  const profiled = run([main, 'run', '--arena', '512M', '--out', profile, program]);
  const same = plain.result === profiled.result && plain.status === profiled.status;
  const skipped = /ran? without probes|does not take it/.exec(profiled.stderr);
  if (!same) return { words: `other results: ${profiled.result}\n${profiled.stderr.slice(-600)}` };
  if (skipped) return { words: profiled.stderr };
  return { sum: existsSync(captured) ? measure(captured) : undefined };
}

install();
console.log('| program | package | toolchain | modules | MB | ms | MB/s | size |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, [pkg, toolchain]] of Object.entries(PROGRAMS)) {
  if (!name.includes(word)) continue;
  const { version } = JSON.parse(readFileSync(`${folder}node_modules/${pkg}/package.json`, 'utf8'));
  const { sum, words } = judge(name);
  if (!sum) {
    console.log(`| ${name} | ${pkg} ${version} | ${toolchain} | FAILED: ${words ?? 'no module'} |`);
    process.exitCode = 1;
    continue;
  }
  const { count, bytes, ms, grown } = sum;
  const cells = [
    name,
    `${pkg} ${version}`,
    toolchain,
    count,
    (bytes / 1e6).toFixed(2),
    ms.toFixed(0),
    (bytes / 1e3 / ms).toFixed(0),
    `${(grown / bytes).toFixed(2)} ×`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
