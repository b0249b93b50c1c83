// Modules that are loaded by an ES import have the names of their files, wherever they are imported.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-imports-'));
after(() => rmSync(folder, { recursive: true }));

// Node 20 and 22 take ES imports of wasm only when asked to.
const asked = Number(process.versions.node.split('.')[0]) <= 22;
const flags = ['--no-warnings', ...(asked ? ['--experimental-wasm-modules'] : [])];

/** The same program in several modules: a custom section makes the bytes of each its own. */
function moduleOf(name) {
  const bytes = readFileSync(new URL('../../target/programs/fib.wasm', import.meta.url));
  const text = Buffer.from(name);
  const section = [0, text.length + 2, 1, 0x78, ...text];
  return Buffer.concat([bytes, Buffer.from(section)]);
}

const files = {
  'app.mjs': `
    import { fib as one } from './direct.wasm';
    export * from './lib/again.mjs';
    import { fib as three } from 'bare';
    import { fib as four } from '@scope/pkg/sub';
    import { Worker } from 'node:worker_threads';
    // from './none.wasm' and import './missing.mjs'
    const { fib: five } = await import('./dynamic.wasm');
    console.log(one(3), three(4), four(5), five(6));
    new Worker(new URL('worker.mjs', import.meta.url));`,
  'direct.wasm': moduleOf('direct'),
  'lib/again.mjs': `import { fib } from '../my%20module.wasm'; console.log(fib(2)); export const again = 1;`,
  'my module.wasm': moduleOf('my module'),
  'dynamic.wasm': moduleOf('dynamic'),
  'other.wasm': moduleOf('other'),
  'worker.mjs': `import { fib } from './of-worker.wasm'; console.log(fib(7));`,
  'of-worker.wasm': moduleOf('of-worker'),
  'node_modules/bare/package.json': '{ "type": "module", "exports": { "import": "./index.js" } }',
  'node_modules/bare/index.js': `export { fib } from './bare.wasm';`,
  'node_modules/bare/bare.wasm': moduleOf('bare'),
  'node_modules/@scope/pkg/package.json':
    '{ "exports": { "./sub": { "import": "./esm/sub.mjs" } } }',
  'node_modules/@scope/pkg/esm/sub.mjs': `export { fib } from './sub.wasm';`,
  'node_modules/@scope/pkg/esm/sub.wasm': moduleOf('sub'),
};

before(() => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
});

test('each is named after its file', () => {
  const out = join(folder, 'p.xray');
  const command = [process.execPath, ...flags, 'app.mjs'];
  const run = runCli(['exec', '--out', out, '--', ...command], {}, { cwd: folder });
  assert.deepEqual([run.stdout, run.status], ['1\n2 3 5 8\n13\n', 0], run.stderr);
  const report = runCli(['report', out, '--json', '--paths']);
  const { functions } = JSON.parse(report.stdout);
  const modules = functions.map(({ module, calls }) => `${module} ${calls}`);
  assert.deepEqual(modules.sort(), [
    '@scope/pkg/sub 15',
    'bare 9',
    'direct 5',
    'dynamic 25',
    'my module 3',
    'of-worker 41',
  ]);
});

test('one that no script seems to import has the name of its content, or of the script that waits for it', () => {
  const out = join(folder, 'q.xray');
  writeFileSync(
    join(folder, 'hidden.mjs'),
    `const { fib } = await import('./oth' + 'er.wasm'); console.log(fib(3));`,
  );
  const command = [process.execPath, ...flags, 'hidden.mjs'];
  const run = runCli(['exec', '--out', out, '--', ...command], {}, { cwd: folder });
  assert.deepEqual([run.stdout, run.status], ['2\n', 0], run.stderr);
  const report = runCli(['report', out, '--json']);
  assert.match(JSON.parse(report.stdout).functions[0].module, /^(wasm-[0-9a-f]{8}|hidden)$/);
});
