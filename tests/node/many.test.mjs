// Ten programs with modules of their own in one process: each has the counts that it has alone.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-many-'));
after(() => rmSync(folder, { recursive: true }));
const address = (path) => JSON.stringify(new URL(path, import.meta.url).href);

const real = ['sqlite', 'rollup', 'gofmt'];
const small = {
  fib: 'fib(10)',
  deep: 'run(100)',
  indirect: 'run(7)',
  direct: 'run(5)',
  exits: 'run(3)',
  ping: 'ping(0)',
  traps: 'leaf()',
};

/** A script that runs a small program, from a file whose name is the module's. */
function script(name, call) {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs';
    const bytes = readFileSync(new URL(${address(`../../target/programs/${name}.wasm`)}));
    const { instance } = await WebAssembly.instantiate(bytes);
    instance.exports.${call};`,
  );
  return file;
}

/** Calls by name, of each module. */
function callsByModule(file) {
  const out = `${file}.xray`;
  const run = runCli(['run', '--out', out, file], { SIZE: 'small' });
  assert.equal(run.status, 0, run.stderr);
  const { functions } = JSON.parse(runCli(['report', out, '--json']).stdout);
  const modules = {};
  for (const { module, index, calls } of functions) {
    modules[module] ??= {};
    modules[module][index] = calls;
  }
  return modules;
}

test('ten programs in one process', () => {
  const files = [
    ...real.map((name) => [name, new URL(`real/${name}.mjs`, import.meta.url)]),
    ...Object.entries(small).map(([name, call]) => [name, script(name, call)]),
  ];
  assert.equal(files.length, 10);
  const alone = {};
  for (const [name, file] of files) {
    // A copy of its address beside the others' profiles.
    const one = join(folder, `alone-${name}.mjs`);
    writeFileSync(one, `await import(${JSON.stringify(new URL(file, import.meta.url).href)});`);
    Object.assign(alone, callsByModule(one));
  }
  assert.equal(Object.keys(alone).length, 10, Object.keys(alone).join(' '));
  const all = join(folder, 'all.mjs');
  const imports = files.map(
    ([, file]) => `await import(${JSON.stringify(new URL(file, import.meta.url).href)});`,
  );
  writeFileSync(all, imports.join('\n'));
  assert.deepEqual(callsByModule(all), alone);
});
