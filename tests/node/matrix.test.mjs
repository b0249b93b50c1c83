// Every kind of module, loaded in every way: it does what it does, with every argument, and every call is counted.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTaken, KINDS } from './hook/matrix-kinds.mjs';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-matrix-'));
after(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('hook/matrix.mjs', import.meta.url));
const kinds = Object.keys(KINDS).filter(isTaken);
const multiMemory = kinds.includes('two memories');

const plain = spawnSync(process.execPath, [program], { encoding: 'utf8' });
const cells = plain.stdout.trim().split('\n');

test('the matrix is full', () => {
  assert.equal(plain.status, 0, plain.stderr);
  assert.equal(cells.length, 13 * kinds.length);
  // Which kinds an engine takes is known.
  assert.equal(kinds.length, { 20: 4, 22: 7, 24: 8, 26: 8 }[parseInt(process.versions.node, 10)]);
});

for (const options of [
  ['--probes', 'imported'],
  ['--clock', 'wall'],
  ...(multiMemory ? [['--probes', 'inline']] : []),
]) {
  const title = options.join(' ');
  const out = join(folder, `${title}.xray`);
  let run;
  let report;

  test(`every program does the same (${title})`, () => {
    run = runCli(['run', '--out', out, ...options, program]);
    assert.deepEqual([run.stdout.split('\n'), run.status], [plain.stdout.split('\n'), 0]);
    report = JSON.parse(runCli(['report', out, '--json']).stdout);
    assert.deepEqual([report.skipped, report.warnings, report.unseen], [[], [], []]);
  });

  for (const kind of kinds) {
    test(`every call is counted: ${kind} (${title})`, () => {
      const ways = cells
        .filter((cell) => cell.startsWith(`${kind} by `))
        .map((cell) => cell.slice(0, cell.indexOf(': ')));
      assert.equal(ways.length, 13);
      for (const name of ways) {
        const called = report.functions.filter(({ module, calls }) => module === name && calls > 0);
        assert.deepEqual(
          Object.fromEntries(called.map((f) => [f.name, f.calls])),
          KINDS[kind].calls,
          name,
        );
      }
    });
  }
}
