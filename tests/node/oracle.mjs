// Independent oracles: V8's own trace of a program for counts and paths, modules that
// count themselves (scripts/counting-modules) for instructions.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/**
 * Counts every call path that `node --trace-wasm` prints for the original program.
 * Each line gives the depth, so frames that an exception or a trap unwound need no care.
 * @returns {Map<string, number>} calls by path, function indices from the root joined by `>`
 */
export function tracedPaths(args, env) {
  const { stdout, status } = spawnSync(process.execPath, ['--trace-wasm', ...args], {
    env: { ...process.env, ...env, NODE_OPTIONS: '' },
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`the traced program ended with ${status}`);
  return countPaths(stdout);
}

/** Counts the paths in what V8 printed. */
export function countPaths(trace) {
  const counts = new Map();
  /** @type {string[]} path by depth */
  const paths = [''];
  for (const line of trace.split('\n')) {
    // Beyond a depth of 80 three dots stand for the indentation.
    const entry = /^ *(\d+): *(?:\.\.\.)?.wasm-function\[(\d+)\].*\{$/.exec(line);
    if (!entry) continue;
    const depth = Number(entry[1]);
    const parent = paths[depth - 1];
    const path = parent ? `${parent}>${entry[2]}` : entry[2];
    paths[depth] = path;
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}

/**
 * The paths with the functions of `leftOut` taken out of each.
 * @param {Map<string, number>} paths
 * @param {(index: number) => boolean} leftOut
 */
export function contracted(paths, leftOut) {
  const counts = new Map();
  for (const [path, calls] of paths) {
    const functions = path.split('>').map(Number);
    if (leftOut(functions.at(-1))) continue;
    const key = functions.filter((index) => !leftOut(index)).join('>');
    counts.set(key, (counts.get(key) ?? 0) + calls);
  }
  return counts;
}

/**
 * The same from a report, without imports: V8 does not trace those.
 * @param {any} report object of `report --json --paths`
 */
export function reportedPaths(report) {
  const byId = new Map(report.functions.map((f) => [f.id, f]));
  const counts = new Map();
  for (const { path, calls } of report.paths) {
    const functions = path.map((id) => byId.get(id));
    if (functions.at(-1).kind !== 'wasm' || calls === 0) continue;
    const key = functions
      .filter((f) => f.kind === 'wasm')
      .map((f) => f.index)
      .join('>');
    counts.set(key, (counts.get(key) ?? 0) + calls);
  }
  return counts;
}

/** Fails with the first differences, of thousands of paths. */
export function assertSamePaths(reported, expected) {
  const differences = [...new Set([...expected.keys(), ...reported.keys()])]
    .filter((path) => expected.get(path) !== reported.get(path))
    .map((path) => `${path}: expected ${expected.get(path)}, reported ${reported.get(path)}`);
  assert.deepEqual(differences.slice(0, 10), []);
}

/** Instructions by index, of the functions that executed some, as a counting module's exports tell. */
export function countsOf(exports) {
  const counters = Object.entries(exports).filter(([name]) => name.startsWith('executed:'));
  return Object.fromEntries(
    counters
      .filter(([, { value }]) => value > 0n)
      .map(([name, { value }]) => [name.slice('executed:'.length), Number(value)]),
  );
}

/** The same from a report. */
export function executedIn({ functions }) {
  const some = functions.filter((f) => f.self > 0);
  return Object.fromEntries(some.map((f) => [f.index, f.self]));
}
