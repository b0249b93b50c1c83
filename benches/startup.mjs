// What the hook adds to the start of a program, from its beginning to its end: one without
// wasm, and one that opens an SQLite database; medians, in turns. Times on the wall, as
// starting is waiting too. Prints one JSON object a line.
//
// usage: node startup.mjs ROUNDS

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './overhead/measure.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const rounds = Number(process.argv[2] ?? 25);
const hook = ['--import', here('../npm/dist/register.js')];
const PROGRAMS = { 'without wasm': ['--eval', '0'], 'SQLite opens': [here('workloads/open.mjs')] };

const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-startup-')); // where the hook leaves profiles
const cache = join(cwd, 'cache');
const KINDS = {
  plainMs: [[], 'off'],
  firstMs: [hook, 'off'],
  nextMs: [hook, cache], // The module comes out of the cache.
};
try {
  for (const [program, args] of Object.entries(PROGRAMS)) {
    const times = { plainMs: [], firstMs: [], nextMs: [] };
    // The first round fills the caches.
    for (let round = 0; round <= rounds; round++) {
      for (const [kind, [flags, WASM_XRAY_MODULE_CACHE]] of Object.entries(KINDS)) {
        const started = performance.now();
        const { status, stderr } = spawnSync(process.execPath, [...flags, ...args], {
          cwd,
          encoding: 'utf8',
          env: { ...process.env, WASM_XRAY_MODULE_CACHE },
        });
        if (status !== 0) throw new Error(`${program}, ${kind}: status ${status}\n${stderr}`);
        if (round > 0) times[kind].push(performance.now() - started);
      }
    }
    const medians = Object.fromEntries(
      Object.entries(times).map(([kind, values]) => [kind, median(values)]),
    );
    const engine = `node ${process.versions.node}`;
    console.log(JSON.stringify({ engine, program, rounds, ...medians }));
  }
} finally {
  rmSync(cwd, { recursive: true });
}
