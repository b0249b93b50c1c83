// Threads that share a memory: it holds what the program wrote, and nothing else.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-shared-'));
after(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('hook/shared_memory.mjs', import.meta.url));

for (const clock of ['calls', 'wall']) {
  test(`two workers on one shared memory with canaries, clock ${clock}`, () => {
    const plain = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    assert.equal(plain.stdout, '65536 512: 20000, 1024: 40000, 2048: 20000\n');
    const out = join(folder, `${clock}.xray`);
    const run = runCli(['run', '--clock', clock, '--out', out, program]);
    assert.equal(run.stdout, plain.stdout, run.stderr);
    const report = JSON.parse(runCli(['report', out, '--json', '--paths']).stdout);
    const name = new Map(report.functions.map((f) => [f.id, f.name]));
    const paths = report.paths.map(
      ({ thread, path, calls }) =>
        `${thread} ${path.map((id) => name.get(id)).join(' > ')} ${calls}`,
    );
    assert.deepEqual(paths.sort(), [
      '1 work 1',
      '1 work > bump 40000',
      '2 work 1',
      '2 work > bump 40000',
    ]);
  });
}
