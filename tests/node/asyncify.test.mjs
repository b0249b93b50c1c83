// A program that Asyncify unwinds and rewinds has the profile of one that never had to wait.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertSamePaths } from './oracle.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-asyncify-'));
after(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('real/quickjs.mjs', import.meta.url));

/** Calls by path of function indices, of what runs the script; what the host calls back is not in it. */
function profile(options, args) {
  const out = join(folder, 'p.xray');
  const run = runCli(['run', ...options, '--out', out, program, ...args]);
  assert.equal(run.status, 0, run.stderr);
  assert.equal(run.stdout, 'RESULT 2,6,12,72\n');
  const report = JSON.parse(runCli(['report', out, '--json', '--paths']).stdout);
  const byId = new Map(report.functions.map((f) => [f.id, f]));
  const paths = report.paths.filter(
    ({ path, calls }) =>
      calls > 0 && path.slice(0, -1).every((id) => byId.get(id).kind !== 'import'),
  );
  const longest = paths.reduce((a, b) => (b.path.length > a.path.length ? b : a));
  return new Map(
    paths
      .filter(({ path }) => path[0] === longest.path[0])
      .map(({ path, calls }) => [path.map((id) => byId.get(id).index).join('>'), calls]),
  );
}

const kinds = [
  ...(process.versions.node.startsWith('20.') ? [] : [['--probes', 'inline']]),
  ['--probes', 'imported'],
  ['--clock', 'wall'],
];
for (const kind of kinds) {
  test(`QuickJS gets 14 answers of the host at once, or later (${kind.join(' ')})`, () => {
    const atOnce = profile(kind, ['sync']);
    const later = profile(kind, []);
    assert.ok(atOnce.size > 500, `${atOnce.size} paths`);
    assertSamePaths(later, atOnce);
  });
}
