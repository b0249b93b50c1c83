// A module that imports from `wasm-xray` on its own account runs as it was, and is listed.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-reserved-'));
after(() => rmSync(folder, { recursive: true }));

test('a module with imports of the same name as the probes', () => {
  const program = fileURLToPath(new URL('hook/reserved.mjs', import.meta.url));
  const run = runCli(['run', '--out', join(folder, 'p.xray'), program]);
  assert.equal(run.stdout, '42\n', run.stderr);
  assert.match(run.stderr, /the module imports "slot" from "wasm-xray", where probes come from/);
});
