// In a page a program notices nothing of the hook, and everything that it loads is recorded.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch } from './chromium.mjs';
import { ISOLATED, serve } from './server.mjs';

/** Calls that fib(10) makes; the test programs make nothing else. */
const FIB_10 = 177;

const FIB = '/target/programs/fib.wasm';

/** Reads files over the network, for programs that were written for Node. */
const FS_SHIM = `export function readFileSync(url) {
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  return Uint8Array.from(request.responseText, (c) => c.charCodeAt(0));
}`;

const START = `import { record } from '/npm/dist/browser/record.js';
  globalThis.recording = await record(globalThis.recordOptions);`;

const page = (script, head = '') =>
  `<!doctype html><meta charset="utf-8">${head}<script type="module">${script}
  globalThis.isDone = true;</script>`;

const pages = {
  '/shim/fs.js': { body: FS_SHIM, type: 'text/javascript' },
  '/empty': { body: '<!doctype html>' },
};

let browser;
let isolated;
let plain;
before(async () => {
  browser = await launch();
  isolated = await serve(pages, ISOLATED);
  plain = await serve(pages);
});
after(async () => {
  await browser.close();
  await isolated.close();
  await plain.close();
});

let count = 0;

/** Opens a page made of a body and waits until its script has run. */
async function open(server, body, { headers, init } = {}) {
  const path = `/page-${++count}`;
  pages[path] = { body, headers };
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  if (init) await page.addInitScript(init);
  await page.goto(server.origin + path);
  await page.waitForFunction(() => globalThis.isDone || globalThis.failure, undefined, {
    timeout: 120_000,
  }).catch((error) => {
    throw new Error(`${error.message}\n${errors.join('\n')}`);
  });
  assert.deepEqual(errors, []);
  return page;
}

const report = (page) =>
  page.evaluate(async () => (await globalThis.recording.profile()).report({ paths: true }));

/** `thread: a > b` of each path, with its calls. */
function pathsOf({ threads, functions, paths }) {
  const thread = new Map(threads.map(({ id, name }) => [id, name]));
  const name = new Map(functions.map((f) => [f.id, f.name]));
  const lines = paths.map(
    (p) => `${thread.get(p.thread)}: ${p.path.map((id) => name.get(id)).join(' > ')} ${p.calls}`,
  );
  return lines.sort();
}

/** Calls of each thread. */
function callsByThread({ threads, paths }) {
  const sums = Object.fromEntries(threads.map(({ name }) => [name, 0]));
  for (const { thread, calls } of paths) sums[threads.find(({ id }) => id === thread).name] += calls;
  return sums;
}

for (const clock of ['calls', 'wall']) {
  test(`nothing about WebAssembly looks different in a page (clock ${clock})`, async () => {
    const map = `<script type="importmap">{"imports": {"node:fs": "/shim/fs.js"}}</script>
      <script>globalThis.recordOptions = { clock: '${clock}' }; globalThis.lines = [];
      const { log } = console; console.log = (text) => lines.push(...text.split('\\n'));</script>`;
    const program = "await import('/tests/node/hook/fidelity.mjs');";
    const original = await open(isolated, page(program, map));
    const recorded = await open(isolated, page(`${START}\n${program}`, map));
    const lines = await original.evaluate(() => globalThis.lines);
    assert.ok(lines.length > 100);
    const seen = await recorded.evaluate(() => globalThis.lines);
    const differing = lines.map((line, i) => [line, seen[i]]).filter(([a, b]) => a !== b);
    assert.deepEqual(differing, []);
    assert.equal(seen.length, lines.length);
    const { skipped, functions } = await report(recorded);
    assert.deepEqual(skipped, []);
    assert.ok(functions.find(({ name }) => name === 'own').calls > 0);
  });
}

const WAYS = {
  'new Module, new Instance': `const module = new WebAssembly.Module(await bytes());
    run(new WebAssembly.Instance(module));`,
  'instantiate(bytes)': 'run((await WebAssembly.instantiate(await bytes())).instance);',
  'compile, instantiate(module)':
    'run(await WebAssembly.instantiate(await WebAssembly.compile(await bytes())));',
  compileStreaming:
    'run(new WebAssembly.Instance(await WebAssembly.compileStreaming(fetch(FIB))));',
  instantiateStreaming: 'run((await WebAssembly.instantiateStreaming(fetch(FIB))).instance);',
  'a view of live memory': `const memory = new WebAssembly.Memory({ initial: 2 });
    const code = new Uint8Array(await bytes());
    new Uint8Array(memory.buffer).set(code, 100);
    const loading = WebAssembly.instantiate(new Uint8Array(memory.buffer, 100, code.length));
    new Uint8Array(memory.buffer).fill(0);
    run((await loading).instance);`,
};
const COMMON = `const FIB = '${FIB}';
  const bytes = async () => (await fetch(FIB)).arrayBuffer();
  const run = ({ exports }) => { if (exports.fib(10) !== 55) throw new Error('wrong'); };\n`;

for (const [way, program] of Object.entries(WAYS)) {
  test(`a page's ${way}`, async () => {
    const opened = await open(plain, page(START + COMMON + program));
    const { functions } = await report(opened);
    assert.deepEqual(
      functions.map(({ name, calls }) => [name, calls]),
      [['fib', FIB_10]],
    );
  });
}
