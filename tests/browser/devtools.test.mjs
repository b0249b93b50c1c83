// The extension in Chromium: a page is recorded from the panel, and the counts are those of Node.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Profile } from '../../npm/dist/index.js';
import { openPanel, until } from './devtools.mjs';
import { ISOLATED, serve } from './server.mjs';

/** Calls that fib(10) makes. */
const FIB_10 = 177;

const FIB = '/target/programs/fib.wasm';
/** The name of a module as a page may choose it. */
const HOSTILE = '<img src=x onerror="globalThis.hacked=1">.wasm';
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; require-trusted-types-for 'script'";

const LOAD = `const { instance } = await WebAssembly.instantiateStreaming(fetch('${FIB}'));`;

/** A module whose 2 × `levels` functions call both of the next level: 2^(levels + 1) − 2 paths. */
function treeModule(levels) {
  const count = 2 * levels;
  const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
  const vector = (items) => [...leb(items.length), ...items.flat()];
  const section = (id, bytes) => [id, ...leb(bytes.length), ...bytes];
  const body = (level) =>
    level + 1 < levels
      ? [0, 0x10, ...leb(2 * level + 2), 0x10, ...leb(2 * level + 3), 0x0b]
      : [0, 0x0b];
  const bodies = Array.from({ length: count }, (_, i) => {
    const code = body(i >> 1);
    return [...leb(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, 0, 0]])),
    ...section(3, vector(Array.from({ length: count }, () => [0]))),
    ...section(
      7,
      vector([
        [1, 0x61, 0, 0],
        [1, 0x62, 0, 1],
      ]),
    ),
    ...section(10, vector(bodies)),
  ]);
}
const LEVELS = 15;

const module = (body) => ({ body: `${body}\nglobalThis.isDone = true;`, type: 'text/javascript' });
const html = (body) => `<!doctype html><meta charset="utf-8"><title>x</title>${body}`;
const pages = {
  '/frame.html': {
    body: html(`<script>
      const xhr = new XMLHttpRequest();
      xhr.open('GET', '${FIB}', false);
      xhr.overrideMimeType('text/plain; charset=x-user-defined');
      xhr.send();
      const bytes = Uint8Array.from(xhr.responseText, (c) => c.charCodeAt(0));
      new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.fib(10);
    </script>`),
  },
  '/worker.js': {
    body: `(async () => { ${LOAD} postMessage(instance.exports.fib(10)); })();`,
    type: 'text/javascript',
  },
  '/strict.html': {
    body: html('<script type="module" src="/strict.js"></script>'),
    headers: { 'content-security-policy': STRICT },
  },
  '/strict.js': module(`const { instance } = await WebAssembly.instantiateStreaming(
      fetch('/evil/' + encodeURIComponent(${JSON.stringify(HOSTILE)})));
    instance.exports.fib(10);`),
  [`/evil/${HOSTILE}`]: {
    get body() {
      return readFileSync(local('../../target/programs/fib.wasm'));
    },
    type: 'application/wasm',
  },
  '/empty.html': { body: html('') },
  '/behaviour.html': {
    body: html('<script type="module" src="/tests/browser/pages/behaviour.js"></script>'),
  },
  '/first.html': {
    body: html('<a href="/second.html">on</a><script type="module" src="/first.js"></script>'),
  },
  '/first.js': module(`${LOAD} instance.exports.fib(10);`),
  '/second.html': { body: html('<script type="module" src="/second.js"></script>') },
  '/second.js': module(`${LOAD} instance.exports.fib(10); instance.exports.fib(10);`),
  '/broken.html': {
    body: html(`<script>
      const recorder = globalThis[Symbol.for('wasm-xray.recorder')];
      if (recorder) {
        recorder.take = () => { throw new Error('broken'); };
        globalThis.isBroken = true;
      }
    </script>`),
  },
  '/shared.html': {
    body: html('<script type="module" src="/shared.js"></script>'),
    headers: ISOLATED,
  },
  '/shared.js': module(`
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    globalThis.isShared = crossOriginIsolated && memory.buffer instanceof SharedArrayBuffer;
    const bytes = await (await fetch('/tree.wasm')).arrayBuffer();
    const { instance } = await WebAssembly.instantiate(bytes);
    instance.exports.a();
    instance.exports.b();`),
  '/large.html': { body: html('<script type="module" src="/large.js"></script>') },
  '/large.js': module(`
    import * as esbuild from '/node_modules/esbuild-wasm/esm/browser.js';
    await esbuild.initialize({ wasmURL: '/node_modules/esbuild-wasm/esbuild.wasm' });
    globalThis.code = (await esbuild.transform('let x: number = 1', { loader: 'ts' })).code;`),
  '/tree.wasm': { body: treeModule(LEVELS), type: 'application/wasm' },
};

const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-save-'));
let server;
before(async () => {
  server = await serve(pages);
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const text = (panel, id) => panel.evaluate(`document.getElementById('${id}').textContent`);
const isShown = (panel, id) => panel.evaluate(`!document.getElementById('${id}').hidden`);
const click = (panel, id) => panel.evaluate(`document.getElementById('${id}').click()`);
const liveCalls = async (panel) => Number((await text(panel, 'calls')).replaceAll(',', ''));

/** Records until the page is done and the panel shows so many calls. */
async function record({ panel, page }, calls) {
  await click(panel, 'record');
  await until(() => page.evaluate('globalThis.isDone'), 'the page');
  await until(async () => (await liveCalls(panel)) === calls, `${calls} calls in the panel`);
}

/** Stops, and saves what the panel shows: the profile as files. */
async function stopAndSave({ browser, panel }, name) {
  await click(panel, 'stop');
  await until(async () => {
    if (await isShown(panel, 'result')) return true;
    if (await isShown(panel, 'failure')) throw new Error(await text(panel, 'failure'));
    return false;
  }, 'the result');
  await until(
    () => panel.evaluate("document.querySelector('#result .xr canvas') !== null"),
    'the flame graph',
  );
  const downloadPath = join(folder, name);
  await browser.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath });
  await click(panel, 'save');
  const files = await until(() => {
    const names = readdirSync(downloadPath).sort();
    return names.length === 2 && names.every((n) => /^page\.(xray|map\.json)$/.test(n)) && names;
  }, 'the files');
  const [map, blocks] = files.map((file) => readFileSync(join(downloadPath, file)));
  return Profile.read(blocks, map.toString()).report({ paths: true });
}

const threadsOf = ({ threads, paths }) =>
  Object.fromEntries(
    threads.map(({ id, name }) => [
      name,
      paths.filter(({ thread }) => thread === id).reduce((sum, { calls }) => sum + calls, 0),
    ]),
  );

test('the extension asks for no permission', () => {
  const manifest = JSON.parse(readFileSync(local('../../www/devtools/dist/manifest.json'), 'utf8'));
  assert.deepEqual(Object.keys(manifest).sort(), [
    'content_security_policy',
    'description',
    'devtools_page',
    'icons',
    'manifest_version',
    'minimum_chrome_version',
    'name',
    'version',
  ]);
});

test('a page with SQLite, a frame and a worker counts the same as in Node', async () => {
  const node = spawnSync(process.execPath, [local('sqlite.mjs')], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const expected = new Map(
    JSON.parse(node.stdout).report.functions.map(({ name, calls }) => [name, calls]),
  );
  const sum = [...expected.values()].reduce((a, b) => a + b, 0) + 3 * FIB_10;
  const opened = await openPanel(`${server.origin}/tests/browser/pages/panel.html`);
  try {
    await record(opened, sum);
    assert.equal(await text(opened.panel, 'threads'), '3');
    assert.equal(await opened.page.evaluate('globalThis.fromWorker'), 55);
    const report = await stopAndSave(opened, 'sqlite');
    const inModule = report.functions.filter(({ module }) => module === 'sql-wasm.wasm');
    assert.deepEqual(
      new Map(inModule.map(({ name, calls }) => [name, calls]).sort()),
      new Map([...expected].sort()),
    );
    const { main, ...others } = threadsOf(report);
    assert.equal(main, sum - 2 * FIB_10);
    assert.deepEqual(others, { 'frame 1 (/frame.html)': FIB_10, 'worker 1 (worker.js)': FIB_10 });
    assert.deepEqual([report.unseen, report.skipped], [[], []]);
  } finally {
    await opened.close();
  }
});

/** What the page says to the console, and what is said of it there. */
function consoleOf({ events }) {
  const lines = [];
  for (const { method, params } of events) {
    if (method === 'Runtime.consoleAPICalled') {
      const values = params.args.map(({ value, description }) => value ?? description);
      lines.push(`${params.type}: ${values.join(' ')}`);
    } else if (method === 'Runtime.exceptionThrown') {
      const { exception, text } = params.exceptionDetails;
      lines.push(`exception: ${text} ${exception?.description.split('\n')[0]}`);
    } else if (method === 'Log.entryAdded') {
      lines.push(`${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ''}`);
    }
  }
  return lines.sort();
}

test("the page's behaviour, its globals and its console are the same", async () => {
  const opened = await openPanel(`${server.origin}/behaviour.html`);
  const { page, panel } = opened;
  const look = async (load) => {
    await page.send('Runtime.enable');
    await page.send('Log.enable');
    await page.send('Log.clear');
    await page.send('Runtime.discardConsoleEntries');
    page.events.length = 0;
    await load();
    const seen = await until(
      () => page.evaluate('performance.timeOrigin > 0 && globalThis.seen'),
      'the page',
    );
    await page.send('Runtime.disable');
    await page.send('Log.disable');
    return { ...JSON.parse(seen), console: consoleOf(page) };
  };
  try {
    await until(() => page.evaluate('globalThis.seen'), 'the page');
    const mark = () => page.evaluate('void (globalThis.seen = undefined)');
    await mark();
    const plain = await look(() => page.send('Page.reload'));
    await mark();
    const recorded = await look(() => click(panel, 'record'));
    assert.ok(plain.globals.length > 5000 && plain.console.length === 5);
    // The recorder's own mark: not enumerable, and under a symbol.
    const own = /^globalThis\.Symbol\(wasm-xray\.recorder\): /;
    const others = recorded.globals.filter((line) => !own.test(line));
    assert.equal(others.length, recorded.globals.length - 1);
    // Known: functions have other indices, and a worker's script is loaded by the worker.
    const modules = recorded.modules.map((line) =>
      line.replace('function 4() { [native code] } 4', 'function 0() { [native code] } 0'),
    );
    const resources = [...recorded.resources, `${server.origin}/worker.js`].sort();
    assert.deepEqual({ ...recorded, globals: others, modules, resources }, plain);
    await until(async () => (await liveCalls(panel)) > 0, 'calls in the panel');
    const report = await stopAndSave(opened, 'behaviour');
    assert.ok(report.functions.some(({ name, calls }) => name === 'fib' && calls >= 2 * FIB_10));
  } finally {
    await opened.close();
  }
});

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds serious in what the panel shows. */
async function seriousIn(panel) {
  await panel.evaluate(`${AXE}; 0`);
  return panel.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => /serious|critical/.test(impact))
    .map(({ id, nodes }) => id + ': ' + nodes[0].html + nodes[0].failureSummary))`);
}

test('axe finds nothing serious in the panel: before, while and after it records', async () => {
  const opened = await openPanel(`${server.origin}/first.html`);
  const { panel } = opened;
  const looks = async (what) => {
    for (const value of ['light', 'dark']) {
      const features = [{ name: 'prefers-color-scheme', value }];
      await panel.send('Emulation.setEmulatedMedia', { features });
      assert.deepEqual(await seriousIn(panel), [], `${what}, ${value}`);
    }
  };
  try {
    await looks('before');
    await record(opened, FIB_10);
    await looks('while');
    await stopAndSave(opened, 'axe');
    await looks('after');
  } finally {
    await opened.close();
  }
});

test('a strict policy lets the page be recorded, and names from a page are text', async () => {
  const opened = await openPanel(`${server.origin}/strict.html`);
  try {
    await record(opened, FIB_10);
    assert.equal(await text(opened.panel, 'names'), HOSTILE);
    const report = await stopAndSave(opened, 'strict');
    assert.deepEqual(
      report.functions.map(({ module }) => module),
      [HOSTILE],
    );
    assert.equal(await opened.panel.evaluate("document.querySelector('img')"), null);
    assert.equal(await opened.panel.evaluate('typeof globalThis.hacked'), 'undefined');
  } finally {
    await opened.close();
  }
});

test('a page that is left keeps its profile, and the next one can be recorded, too', async () => {
  const opened = await openPanel(`${server.origin}/first.html`);
  try {
    await record(opened, FIB_10);
    await opened.panel.evaluate(`document.getElementById('phase').value = '<b>later</b>';
      document.getElementById('phases').requestSubmit()`);
    await until(
      async () => (await text(opened.panel, 'status')) === 'Recording, phase <b>later</b>',
      'the phase',
    );
    await opened.page.evaluate("void document.querySelector('a').click()");
    await until(() => isShown(opened.panel, 'again'), 'the offer to go on');
    assert.match(await text(opened.panel, 'notes'), /second\.html is not recorded yet\./);
    await click(opened.panel, 'again');
    await until(async () => (await liveCalls(opened.panel)) === 2 * FIB_10, 'the second page');
    assert.match(await text(opened.panel, 'notes'), /An earlier page is in the profile, too\./);
    const report = await stopAndSave(opened, 'navigation');
    const [one, two] = ['page 1 (/first.html) main', 'page 2 (/second.html) main'];
    const phases = report.threads.map(({ id, name, phase }) => [
      name,
      phase,
      report.paths.some(({ thread }) => thread === id),
    ]);
    assert.deepEqual(
      phases.filter(([, , isCalled]) => isCalled).map(([name, phase]) => [name, phase]),
      [
        [one, undefined],
        [two, '<b>later</b>'],
      ],
    );
    const calls = report.functions.map(({ calls }) => calls);
    assert.deepEqual(calls, [3 * FIB_10]);
  } finally {
    await opened.close();
  }
});

test('earlier pages keep their profile if the last one gives none', async () => {
  const opened = await openPanel(`${server.origin}/first.html`);
  const { panel, page } = opened;
  try {
    await record(opened, FIB_10);
    await page.evaluate("void (location.href = '/broken.html')");
    await until(() => isShown(panel, 'again'), 'the offer to go on');
    await click(panel, 'again');
    await until(() => page.evaluate('globalThis.isBroken'), 'the page with a broken recorder');
    const report = await stopAndSave(opened, 'broken');
    assert.deepEqual(threadsOf(report), { main: FIB_10 });
    assert.deepEqual(report.unseen, [
      'The last page did not answer in the end, and left no profile.',
    ]);
  } finally {
    await opened.close();
  }
});

test('a cross-origin isolated page, and a profile that crosses in several pieces', async () => {
  const paths = 2 ** (LEVELS + 1) - 2;
  const opened = await openPanel(`${server.origin}/shared.html`);
  try {
    await record(opened, paths);
    assert.equal(await opened.page.evaluate('globalThis.isShared'), true);
    const report = await stopAndSave(opened, 'shared');
    assert.equal(report.paths.length, paths);
    assert.ok(report.paths.every(({ calls }) => calls === 1));
  } finally {
    await opened.close();
  }
});

test('esbuild, a module of 14 MB in a worker that the page makes of a blob', async () => {
  const opened = await openPanel(`${server.origin}/large.html`);
  const { panel, page } = opened;
  try {
    await until(() => page.evaluate('globalThis.code'), 'the page');
    await page.evaluate('void (globalThis.code = undefined)');
    await click(panel, 'record');
    assert.equal(await until(() => page.evaluate('globalThis.code'), 'the page'), 'let x = 1;\n');
    await until(async () => (await liveCalls(panel)) > 100_000, 'calls in the panel');
    assert.equal(await text(panel, 'names'), 'esbuild.wasm');
    const report = await stopAndSave(opened, 'large');
    assert.deepEqual(report.skipped, []);
    const calls = threadsOf(report);
    assert.deepEqual(Object.keys(calls), ['worker 1']);
    assert.ok(calls['worker 1'] > 100_000 && report.paths.length > 10_000);
  } finally {
    await opened.close();
  }
});
