// `npm run bench`: overhead of every clock, beside V8's and LLVM's profilers; time to start;
// speed of the rewriter and of the profile model. Prints Markdown, progress on stderr.
//
//   --quick          smaller workloads and fewer of them, under 90 s
//   --json F         also writes the rows to F, as docs/bench.schema.json has them
//   --engines E      22,24,26,chromium if not given
//   --workloads W    names of workloads/index.mjs, all if not given
//   --rounds N       measured rounds of each; twice as many in Chromium
//   --only PART      overhead, native, startup, rewriter or profiles; several with commas

import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  nativeTable,
  overheadTable,
  profilesTable,
  rewriterTable,
  sizeTable,
  startupTable,
} from './tables.mjs';
import { WORKLOADS } from './workloads/index.mjs';

const PARTS = ['overhead', 'native', 'startup', 'rewriter', 'profiles'];
/** A measurement that takes longer hangs. */
const LONGEST_MS = 20 * 60_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const engines = {
  [process.versions.node.split('.')[0]]: process.execPath,
  ...JSON.parse(process.env.WASM_XRAY_ENGINES ?? '{}'),
};

let options;
try {
  options = readOptions();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exit(2);
}
const { quick, rounds, parts, workloads } = options;
const loadAtStart = loadavg()[0];
const failures = [];

const rows = [];
if (parts.includes('overhead')) {
  for (const engine of options.engines) {
    for (const workload of workloads) {
      // Once in Chromium is enough to say that a page is no other.
      if (quick && engine === 'chromium' && workload !== 'gofmt' && !options.chosen) continue;
      const [script, count] =
        engine === 'chromium' ? ['chromium.mjs', 2 * rounds - 1] : ['measure.mjs', rounds];
      rows.push(...run(engine, script, workload, String(quick ? rounds : count)));
    }
  }
}
const hasClang = spawnSync('clang++-14', ['--version']).status === 0;
if (parts.includes('native') && hasClang) {
  rows.push(...run(undefined, 'native/native.mjs', String(rounds)));
}
const nodes = options.engines.filter((engine) => engine !== 'chromium');
const last = nodes.at(-1);
const startup = parts.includes('startup')
  ? nodes.flatMap((engine) => run(engine, 'startup.mjs', quick ? '3' : '25'))
  : [];
const rewriter = parts.includes('rewriter')
  ? [
      'sql.js/dist/sql-wasm.wasm',
      'lightningcss-wasm/lightningcss_node.wasm',
      ...(quick ? [] : ['esbuild-wasm/esbuild.wasm']),
    ].flatMap((module) => run(last, 'rewriter.mjs', module))
  : [];
const profiles = parts.includes('profiles') && !quick ? run(last, 'profiles.mjs') : [];

print();
if (options.json) {
  const size = (path) => statSync(here(path)).size;
  const all = {
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism(), loadAtStart },
    rows,
    rewriter,
    startup,
    profiles,
    sizes: {
      runtime: size('../npm/wasm/runtime/runtime_bg.wasm'),
      toolkit: size('../npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm'),
    },
    failures,
  };
  writeFileSync(options.json, `${JSON.stringify(all, null, '\t')}\n`);
}
process.exitCode = failures.length > 0 ? 1 : 0;

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      engines: { type: 'string' },
      workloads: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const quickly = ['micro/leaf', 'micro/indirect', 'sqlite', 'rollup', 'gofmt'];
  const { quick } = values;
  const count = Number(values.rounds ?? (quick ? 7 : 9));
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new Error(`--rounds ${values.rounds} is no number of rounds; give 7 or more`);
  }
  return {
    quick,
    json: values.json,
    rounds: count,
    chosen: values.workloads !== undefined,
    engines: list(
      values.engines,
      quick ? ['24', 'chromium'] : ['22', '24', '26', 'chromium'],
      ['20', '22', '24', '26', 'chromium'],
      'engine',
    ),
    workloads: list(
      values.workloads,
      quick ? quickly : Object.keys(WORKLOADS),
      Object.keys(WORKLOADS),
      'workload',
    ),
    parts: list(values.only, PARTS, PARTS, 'part'),
  };
}

function list(given, usual, known, what) {
  const names = given?.split(',') ?? usual;
  for (const name of names) {
    if (!known.includes(name)) {
      throw new Error(`there is no ${what} ${name}; there are ${known.join(', ')}`);
    }
  }
  return names;
}

/** Rows of a script on an engine; what fails is noted, and the rest goes on. */
function run(engine, script, ...args) {
  const isNode = engine !== undefined && engine !== 'chromium';
  const title = [...(isNode ? [`node ${engine}`] : []), script, ...args].join(' ');
  process.stderr.write(`bench: ${title} … `);
  const start = performance.now();
  const node = isNode ? engines[engine] : process.execPath;
  if (node === undefined) return fail(title, `Node ${engine} is not installed; run scripts/bench`);
  const { stdout, stderr, status, error } = spawnSync(node, [here(script), ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: LONGEST_MS,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      WASM_XRAY_BENCH_SCALE: process.env.WASM_XRAY_BENCH_SCALE ?? (quick ? '0.1' : '1'),
      WASM_XRAY_BENCH_FULL: quick ? '0' : '1',
    },
  });
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  if (status !== 0) {
    const said = stderr?.trim().split('\n').slice(0, 8).join('\n');
    return fail(title, said || error?.message || `ended with status ${status}`);
  }
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function fail(title, reason) {
  failures.push(`${title}: ${reason}`);
  console.error(`bench: ${title} failed: ${reason}`);
  return [];
}

function print() {
  const section = (title, text) => {
    if (text) console.log(`### ${title}\n\n${text}\n`);
  };
  const measured = rows.filter(({ engine }) => !engine.startsWith('native'));
  if (measured.length > 0) {
    section('Ratio to plain, and what a call costs more', overheadTable(rows));
    section('Calls, paths, module growth and time to the first instance', sizeTable(rows));
  }
  section('LLVM XRay, profiling mode, native', nativeTable(rows));
  if (parts.includes('native') && !hasClang) {
    console.log('LLVM XRay was not measured: there is no clang++-14; scripts/setup installs it.\n');
  }
  if (startup.length > 0) section('Start to end of a program', startupTable(startup));
  if (rewriter.length > 0) section('Rewriter, in the toolkit', rewriterTable(rewriter));
  if (profiles.length > 0) section('Profile model, in the toolkit', profilesTable(profiles));
  const { model = 'unknown processor' } = cpus()[0] ?? {};
  console.log(
    `${model}, ${availableParallelism()} cores, load ${loadAtStart.toFixed(1)} at the start; ${rounds} rounds, ${
      options.engines.includes('chromium') ? 'CPU time (Chromium: time on the wall)' : 'CPU time'
    }.`,
  );
  for (const failure of failures) console.log(`\nNot measured: ${failure}`);
}
