// LLVM XRay's profiling mode on the micro workloads as a native program; prints one JSON
// object a line, as measure.mjs does. Calls and paths are those of XRay's own file.
//
// usage: node native.mjs ROUNDS

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Profile } from '../../npm/dist/index.js';
import { median } from '../overhead/measure.mjs';

/** A call takes some 130 ns, so fewer of them than in the module do. */
const ARGUMENTS = { leaf: 1_000_000, fib: 24, indirect: 500_000, alternating: 500_000, deep: 1000 };
const COMPILER = 'clang++-14';

const rounds = Number(process.argv[2]);
const cwd = fileURLToPath(new URL('../../target/native-bench/', import.meta.url));
const source = fileURLToPath(new URL('calls.cpp', import.meta.url));
rmSync(cwd, { recursive: true, force: true });
mkdirSync(cwd, { recursive: true });
const run = (command, ...args) => execFileSync(command, args, { cwd, encoding: 'utf8' });

const [, version] = /version (\d+)/.exec(run(COMPILER, '--version')) ?? [];
const xray = ['-fxray-instrument', '-fxray-modes=xray-profiling'];
run(COMPILER, '-O2', ...xray, source, '-o', 'calls');
for (const [name, argument] of Object.entries(ARGUMENTS)) {
  const times = run('./calls', name, String(argument), String(rounds))
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  const log = `${cwd}${readdirSync(cwd).find((file) => file.startsWith('xray-log.'))}`;
  const profile = Profile.read(readFileSync(log), '');
  const { functions, paths } = profile.report({ paths: true });
  profile.free();
  rmSync(log);
  const calls = functions.reduce((sum, f) => sum + f.calls, 0) / rounds;
  const plainMs = median(times.map(([plain]) => plain));
  const ratio = median(times.map(([plain, instrumented]) => instrumented / plain));
  const common = {
    workload: `micro/${name}`,
    engine: `native, clang ${version}`,
    time: 'cpu',
    probes: null,
    rounds,
    calls,
    sizeRatio: null,
  };
  const rows = [
    { ...common, clock: 'plain', ms: plainMs, ratio: 1, nsPerCall: 0, nodes: 0 },
    {
      ...common,
      clock: 'xray-profiling',
      ms: median(times.map(([, instrumented]) => instrumented)),
      ratio,
      nsPerCall: ((ratio - 1) * plainMs * 1e6) / calls,
      nodes: paths.length,
    },
  ];
  for (const row of rows) console.log(JSON.stringify(row));
}
