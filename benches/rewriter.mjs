// How fast the rewriter is, compiled to wasm: prints one JSON object a line.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createProfiler } from '../npm/dist/index.js';

const require = createRequire(import.meta.url);
const modules = [
  'sql.js/dist/sql-wasm.wasm',
  'lightningcss-wasm/lightningcss_node.wasm',
  'esbuild-wasm/esbuild.wasm',
];
const profiler = createProfiler({ probes: 'inline' });
for (const name of modules) {
  const bytes = readFileSync(find(name));
  const times = [];
  for (let i = 0; i < 4; i++) {
    const start = performance.now();
    profiler.instrument(bytes);
    times.push(performance.now() - start);
  }
  const best = Math.min(...times.slice(1));
  console.log(
    JSON.stringify({
      module: name,
      engine: `node ${process.versions.node}`,
      bytes: bytes.length,
      MBps: bytes.length / 1000 / best,
    }),
  );
}

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
