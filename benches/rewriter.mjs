// How fast the rewriter is, compiled to wasm, and what it needs: prints a JSON object.
// The processor's time counts, so that other programs do not.
//
// usage: node rewriter.mjs MODULE   as `sql.js/dist/sql-wasm.wasm`; a process each, as a peak is the process's

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createProfiler } from '../npm/dist/index.js';

const require = createRequire(import.meta.url);
const [name] = process.argv.slice(2);
const profiler = createProfiler({ probes: 'inline' });
const bytes = readFileSync(find(name));
const before = process.resourceUsage().maxRSS;
const times = [];
for (let i = 0; i < 4; i++) {
  const start = process.cpuUsage();
  profiler.instrument(bytes);
  const { user, system } = process.cpuUsage(start);
  times.push((user + system) / 1000);
}
const best = Math.min(...times.slice(1));
console.log(
  JSON.stringify({
    module: name,
    engine: `node ${process.versions.node}`,
    bytes: bytes.length,
    MBps: bytes.length / 1000 / best,
    // Beyond Node itself and the module's bytes: the toolkit, its memory, and the results.
    peakMB: ((process.resourceUsage().maxRSS - before) * 1024) / 1e6,
  }),
);

/** Packages that export no path to their module are found beside their manifest. */
function find(name) {
  const [pkg, ...rest] = name.split('/');
  for (const folder of require.resolve.paths(pkg) ?? []) {
    const path = `${folder}/${pkg}/${rest.join('/')}`;
    try {
      readFileSync(path);
      return path;
    } catch {
      // not in this folder
    }
  }
  throw new Error(`${name} is not installed: run npm install`);
}
