// Every path's count equals V8's own trace of the original program.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertSamePaths, contracted, reportedPaths, tracedPaths } from './oracle.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-trace-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs a program and gives its report with paths. */
function profile(program, options) {
  const out = join(folder, 'p.xray');
  const run = runCli(['run', ...options, '--out', out, program], { SIZE: 'small' });
  assert.equal(run.status, 0, run.stderr);
  const json = runCli(['report', out, '--json', '--paths']);
  assert.equal(json.status, 0, json.stderr);
  return JSON.parse(json.stdout);
}

// Programs with one module each, since V8's trace does not tell modules apart, and
// without finalizers, which call into wasm when the garbage collector pleases.
for (const name of ['sqlite', 'rollup', 'gofmt']) {
  const program = fileURLToPath(new URL(`real/${name}.mjs`, import.meta.url));
  const traced = tracedPaths([program], { SIZE: 'small' });
  for (const probes of ['inline', 'imported']) {
    if (probes === 'inline' && process.versions.node.startsWith('20.')) continue;
    let full;
    test(`${name}: all ${traced.size} paths, ${probes} probes`, () => {
      assert.ok(traced.size > 100, 'the oracle saw the program');
      full = profile(program, ['--probes', probes]);
      assertSamePaths(reportedPaths(full), traced);
    });

    test(`${name}: the same without functions of some names, ${probes} probes`, () => {
      // A third or so of the functions, among them callers of tables and of imports.
      const some = /[27]|re/;
      const leftOut = new Set(
        full.functions.filter((f) => some.test(f.name) || some.test(f.raw)).map((f) => f.index),
      );
      const filtered = profile(program, [
        ...['--probes', probes],
        ...['--exclude', '*2*', '--exclude', '*7*', '--exclude', '*re*'],
      ]);
      const expected = contracted(traced, (index) => leftOut.has(index));
      assert.ok(expected.size > 10 && expected.size < traced.size, `${expected.size} paths`);
      assertSamePaths(reportedPaths(filtered), expected);
    });

    test(`${name}: the same without small functions, ${probes} probes`, () => {
      const filtered = profile(program, ['--probes', probes, '--min-instructions', '60']);
      const kept = new Set(filtered.functions.map((f) => f.index));
      const expected = contracted(traced, (index) => !kept.has(index));
      assert.ok(expected.size > 10 && expected.size < traced.size, `${expected.size} paths`);
      assertSamePaths(reportedPaths(filtered), expected);
    });
  }
}
