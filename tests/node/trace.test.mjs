// Every path's count equals V8's own trace of the original program.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { reportedPaths, tracedPaths } from './oracle.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-trace-'));
after(() => rmSync(folder, { recursive: true }));

// Programs with one module each, since V8's trace does not tell modules apart, and
// without finalizers, which call into wasm when the garbage collector pleases.
for (const name of ['sqlite', 'rollup', 'gofmt']) {
  const program = fileURLToPath(new URL(`real/${name}.mjs`, import.meta.url));
  const traced = tracedPaths([program], { SIZE: 'small' });
  for (const probes of ['inline', 'imported']) {
    if (probes === 'inline' && process.versions.node.startsWith('20.')) continue;
    test(`${name}: all ${traced.size} paths, ${probes} probes`, () => {
      const out = join(folder, `${name}-${probes}.xray`);
      const run = runCli(['run', '--probes', probes, '--out', out, program], { SIZE: 'small' });
      assert.equal(run.status, 0, run.stderr);
      const json = runCli(['report', out, '--json', '--paths']);
      assert.equal(json.status, 0, json.stderr);
      const reported = reportedPaths(JSON.parse(json.stdout));
      assert.ok(traced.size > 100, 'the oracle saw the program');
      const differences = [...new Set([...traced.keys(), ...reported.keys()])]
        .filter((path) => traced.get(path) !== reported.get(path))
        .map((path) => `${path}: traced ${traced.get(path)}, reported ${reported.get(path)}`);
      assert.deepEqual(differences.slice(0, 10), []);
    });
  }
}
