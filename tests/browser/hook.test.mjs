// In a page a program notices nothing of the hook, and everything that it loads is recorded.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { isStrictScript } from '../../npm/dist/browser/hook/directive.js';
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
  const failed = new Promise((_, reject) => page.once('pageerror', reject));
  if (init) await page.addInitScript(init);
  await page.goto(server.origin + path);
  const done = page.waitForFunction(() => globalThis.isDone, undefined, { timeout: 120_000 });
  await Promise.race([failed, done]);
  return page;
}

const report = (page) =>
  page.evaluate(async () => (await globalThis.recording.profile()).report({ paths: true }));

/** Calls of each thread. */
function callsByThread({ threads, paths }) {
  const sums = Object.fromEntries(threads.map(({ name }) => [name, 0]));
  for (const { thread, calls } of paths)
    sums[threads.find(({ id }) => id === thread).name] += calls;
  return sums;
}

for (const clock of ['calls', 'sampled', 'wall']) {
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

/** Scripts of workers; each says `done` or what went wrong. */
const worker = (body) => ({
  body: `const FIB = '${FIB}';
    const run = ({ exports }) => { if (exports.fib(10) !== 55) throw new Error('wrong'); };
    const guard = (f) => f().then(() => postMessage('done'), (e) => postMessage(String(e)));
    ${body}`,
  type: 'text/javascript',
});
const LOAD = 'run((await WebAssembly.instantiateStreaming(fetch(FIB))).instance)';
Object.assign(pages, {
  '/workers/classic.js': worker(`importScripts('helper.js');
    guard(async () => {
      if (location.pathname !== '/workers/classic.js') throw new Error(location.href);
      if (String(location) !== self.location.href || self.name !== 'mine') throw new Error('name');
      if (!(location instanceof WorkerLocation)) throw new Error('class');
      if (helped !== 1) throw new Error('helper');
      if ((await (await fetch('helper.js')).text()).length < 5) throw new Error('fetch');
      if ((await (await fetch(new Request('helper.js'))).text()).length < 5) throw new Error('request');
      const xhr = new XMLHttpRequest();
      xhr.open('GET', 'helper.js', false);
      xhr.send();
      if (xhr.status !== 200) throw new Error('xhr');
      ${LOAD};
    })`),
  '/workers/helper.js': { body: 'var helped = 1;', type: 'text/javascript' },
  '/workers/module.js': worker(`import { two } from './two.js';
    guard(async () => {
      if (two !== 2 || !import.meta.url.endsWith('/workers/module.js')) throw new Error('url');
      ${LOAD};
    });`),
  '/workers/two.js': { body: 'export const two = 2;', type: 'text/javascript' },
  '/workers/nests.js': worker(`const inner = new Worker('classic.js', { name: 'mine' });
    inner.onmessage = ({ data }) => postMessage(data);
    run(new WebAssembly.Instance(new WebAssembly.Module(load())));
    function load() {
      const xhr = new XMLHttpRequest();
      xhr.open('GET', FIB, false);
      xhr.responseType = 'arraybuffer';
      xhr.send();
      return xhr.response;
    }`),
  '/workers/gets.js': worker(`onmessage = ({ data, ports }) => data.phase
    ? postMessage('phase ' + self[Symbol.for('wasm-xray.recorder')].phases.phase)
    : guard(async () => {
      if (ports.length !== 0) throw new Error('ports');
      run(await WebAssembly.instantiate(data.deep.module));
    });`),
  '/workers/closes.js': worker(`guard(async () => { ${LOAD}; close(); });`),
  '/workers/spins.js': worker(`guard(async () => { ${LOAD}; }).then(() => { for (;;); });`),
});

const WAIT = `const done = (worker) => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => data === 'done' ? resolve() : reject(new Error(data));
    worker.onerror = (event) => reject(new Error('error event ' + event.message));
  });\n`;
const inWorker = (lines, options) => open(plain, page(START + COMMON + WAIT + lines), options);

test('a classic worker has its own address, and its relative addresses lead where they should', async () => {
  const opened = await inWorker("await done(new Worker('/workers/classic.js', { name: 'mine' }));");
  const result = await report(opened);
  assert.deepEqual(callsByThread(result), { 'worker 1 (mine)': FIB_10 });
  assert.deepEqual(result.unseen, []);
});

test('a module worker', async () => {
  const opened = await inWorker(
    "await done(new Worker(new URL('/workers/module.js', location.href), { type: 'module' }));",
  );
  assert.deepEqual(callsByThread(await report(opened)), { 'worker 1 (module.js)': FIB_10 });
});

test('a worker of a worker', async () => {
  const opened = await inWorker("await done(new Worker('/workers/nests.js'));");
  assert.deepEqual(callsByThread(await report(opened)), {
    'worker 1 (nests.js)': FIB_10,
    'worker 1 (nests.js) worker 1 (mine)': FIB_10,
  });
});

test('a worker from a blob whose address is revoked at once', async () => {
  const opened = await inWorker(`const source = await (await fetch('/workers/closes.js')).text();
    const address = URL.createObjectURL(new Blob([source.replaceAll("'/", "'" + origin + "/").replace('close();', '')]));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    await done(worker);`);
  assert.deepEqual(callsByThread(await report(opened)), { 'worker 1': FIB_10 });
});

test('a module posted to a worker', async () => {
  const opened = await inWorker(`const worker = new Worker('/workers/gets.js');
    const module = await WebAssembly.compile(await bytes());
    run(await WebAssembly.instantiate(module));
    worker.postMessage({ deep: { module } });
    await done(worker);`);
  assert.deepEqual(callsByThread(await report(opened)), {
    main: FIB_10,
    'worker 1 (gets.js)': FIB_10,
  });
});

test('phases, of the page and of its workers', async () => {
  const opened = await inWorker(`const worker = new Worker('/workers/gets.js');
    const module = await WebAssembly.compile(await bytes());
    const { exports } = await WebAssembly.instantiate(module);
    const work = async (times) => {
      for (let time = 0; time < times; time++) run({ exports });
      worker.postMessage({ deep: { module } });
      await done(worker);
    };
    await work(1);
    recording.mark('second');
    // Workers hear of it in their own time.
    do {
      worker.postMessage({ phase: true });
      globalThis.heard = await new Promise((resolve) => { worker.onmessage = resolve; });
    } while (globalThis.heard.data !== 'phase second');
    await work(2);
    recording.mark('third');
    const late = new Worker('/workers/gets.js', { name: 'late' });
    late.postMessage({ deep: { module } });
    await done(late);`);
  const { threads, paths } = await report(opened);
  const calls = threads.map(({ id, name, phase }) => {
    const own = paths.filter(({ thread }) => thread === id);
    return [name, phase, own.reduce((sum, { calls }) => sum + calls, 0) / FIB_10];
  });
  assert.deepEqual(
    calls.filter(([, , times]) => times > 0),
    [
      ['main', undefined, 1],
      ['main', 'second', 2],
      ['worker 1 (gets.js)', undefined, 1],
      ['worker 1 (gets.js)', 'second', 1],
      ['worker 2 (late)', 'third', 1],
    ],
  );
});

test('a worker that closes itself, and one that is terminated', async () => {
  const opened = await inWorker(`await done(new Worker('/workers/closes.js'));
    const other = new Worker('/workers/module.js', { type: 'module' });
    await done(other);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    other.terminate();`);
  const result = await report(opened);
  assert.deepEqual(callsByThread(result), {
    'worker 1 (closes.js)': FIB_10,
    'worker 2 (module.js)': FIB_10,
  });
  assert.deepEqual(result.unseen, [
    'worker 2 (module.js) was terminated; the profile has what it last handed over.',
  ]);
});

test('a worker that never returns to its event loop is missed', async () => {
  const opened = await inWorker("await done(new Worker('/workers/spins.js'));");
  const { unseen } = await report(opened);
  assert.equal(unseen.length, 1);
  assert.match(unseen[0], /^worker 1 \(spins\.js\) was busy, and left no profile\.$/);
});

test('where no worker may start from a blob they run as they were, and get modules without probes', async () => {
  const headers = {
    'content-security-policy':
      "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'",
  };
  const opened = await inWorker(
    `const worker = new Worker('/workers/gets.js');
    const module = await WebAssembly.compile(await bytes());
    run(await WebAssembly.instantiate(module));
    worker.postMessage({ deep: { module } });
    await done(worker);`,
    {
      headers,
      init: `globalThis.violations = [];
        document.addEventListener('securitypolicyviolation', (e) => violations.push(e.blockedURI));`,
    },
  );
  const result = await report(opened);
  assert.deepEqual(callsByThread(result), { main: FIB_10 });
  assert.deepEqual(result.unseen, [
    "worker 1 (gets.js) was not recorded: it was not known yet whether the page's Content-Security-Policy allows workers from blobs.",
  ]);
  assert.deepEqual(await opened.evaluate(() => globalThis.violations), ['eval']);
});

const DECIDED = [
  'use(1)',
  '"use strict";f()',
  "'use strict'",
  '/* a */ // b\n "use strict"\nlet x = 1;',
  ' ',
  '',
  '\ufeff"use strict";',
  '// "use strict";\nf()',
  'x = "use strict";',
  '"use strict"\n{}',
];
const OPEN = [
  '"use strict" + 1',
  '"use strict".length',
  '"use strict"\n(() => 1)',
  '"use strict"\n+ 1',
  '"use asm"; "use strict";',
  '"use\\x20strict";',
  '"use strict"\nin {}',
  '#!/bin/x\n"use strict";',
  '<!-- x\n"use strict";',
];

test('whether a script is strict is told as the engine does, or not at all', () => {
  const sandbox = { f() {}, use() {} };
  for (const text of [...DECIDED, ...OPEN]) {
    let isStrict;
    const tell = '\n;isStrict((function () { return this === undefined; })())';
    try {
      runInNewContext(text + tell, {
        ...sandbox,
        isStrict: (value) => {
          isStrict = value;
        },
      });
    } catch {}
    const told = isStrictScript([text]);
    assert.equal(told, OPEN.includes(text) ? undefined : isStrict, JSON.stringify(text));
  }
  assert.equal(isStrictScript(['"use ', 'strict";']), true);
  assert.equal(isStrictScript(['"use strict";', new Blob([])]), undefined);
  assert.equal(isStrictScript([`let x = 1234567890${';'.repeat(20)}`, new Blob([])]), false);
  assert.equal(isStrictScript([`/*${' '.repeat(5000)}*/`, '"use strict";']), undefined);
  assert.equal(isStrictScript([`f();${' '.repeat(5000)}`, '"use strict";']), false);
});

/** Runs in a page. Starts workers from blobs: each says in which mode it runs, and one starts another. */
async function startFromBlobs(fib) {
  const type = 'text/javascript';
  const start = (parts, options) =>
    new Worker(URL.createObjectURL(new Blob(parts, { type })), options);
  const program = (async () => {
    const mode = (function () {
      return this === undefined ? 'strict' : 'sloppy';
    })();
    const bytes = await (await fetch('FIB')).arrayBuffer();
    (await WebAssembly.instantiate(bytes)).instance.exports.fib(10);
    postMessage(mode);
  }).toString();
  const text = (head) => `${head}(${program.replace('FIB', new URL(fib, location.href).href)})();`;
  const outer = (source) => {
    const inner = new Worker(URL.createObjectURL(new Blob([source])));
    inner.onmessage = ({ data }) => postMessage(data);
  };
  const workers = [
    start([text(`/* a "comment" */ 'use strict';`)]),
    start([text('// "use strict";\n'), '']),
    start([`(${outer})(${JSON.stringify(text('"use strict"\nvoid 0;'))})`]),
  ];
  const modes = workers.map(
    (worker) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(`error event ${event.message}`));
      }),
  );
  return { start, modes: await Promise.all(modes) };
}
const FROM_BLOBS = `const { start, modes } = await (${startFromBlobs})('${FIB}');
  globalThis.modes = modes;\n`;

for (const more of ["'wasm-unsafe-eval'", "'unsafe-eval'"]) {
  test(`workers from blobs are recorded from the first moment on where they load none (${more})`, async () => {
    const policy = `default-src 'self'; script-src 'self' 'unsafe-inline' ${more}; worker-src 'self' blob:`;
    const opened = await inWorker(FROM_BLOBS, { headers: { 'content-security-policy': policy } });
    assert.deepEqual(await opened.evaluate(() => globalThis.modes), ['strict', 'sloppy', 'strict']);
    const result = await report(opened);
    assert.deepEqual(result.unseen, []);
    assert.deepEqual(callsByThread(result), {
      'worker 1': FIB_10,
      'worker 2': FIB_10,
      'worker 3 worker 1': FIB_10,
    });
  });
}

test('where workers may start from blobs but load none, modules run as they were', async () => {
  const headers = {
    'content-security-policy':
      "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self' blob:",
  };
  // Until the hook knows what the policy allows.
  const opened = await inWorker(
    `let unseen;
    do {
      await done(new Worker('/workers/module.js', { type: 'module' }));
      ({ unseen } = (await recording.profile()).report());
    } while (!unseen.some((reason) => reason.includes('forbids')));
    await done(new Worker('/workers/classic.js', { name: 'mine' }));
    ${FROM_BLOBS}
    await done(start(["postMessage('done')"], { type: 'module', name: 'module' }));
    await done(start([new Blob(["postMessage('done')"])], { name: 'parts' }));`,
    { headers },
  );
  assert.deepEqual(await opened.evaluate(() => globalThis.modes), ['strict', 'sloppy', 'strict']);
  const result = await report(opened);
  const recorded = Object.keys(callsByThread(result)).map((name) =>
    name.replace(/worker \d+/, 'W'),
  );
  assert.deepEqual(recorded, ['W (mine)', 'W', 'W', 'W worker 1']);
  const unseen = new Set(result.unseen.map((reason) => reason.replace(/worker \d+/, 'W')));
  const notKnown =
    "W (module.js) was not recorded: it was not known yet whether the page's Content-Security-Policy allows workers from blobs.";
  unseen.delete(notKnown);
  const forbidden =
    "was not recorded: the page's Content-Security-Policy forbids scripts from blobs.";
  assert.deepEqual(
    [...unseen],
    [`W (module.js) ${forbidden}`, `W (module) ${forbidden}`, `W (parts) ${forbidden}`],
  );
});

/** Calls fib(10) in its first script and tells whoever it belongs to. */
const inner = (owner) => ({
  body: `<!doctype html><script>
      const xhr = new XMLHttpRequest();
      xhr.open('GET', '${FIB}', false);
      xhr.overrideMimeType('text/plain; charset=x-user-defined');
      xhr.send();
      const bytes = Uint8Array.from(xhr.responseText, (c) => c.charCodeAt(0));
      new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.fib(10);
      ${owner}.postMessage('done', '*');
    </script>`,
});
pages['/frame'] = inner('parent');
pages['/popup'] = inner('opener');

test('frames of the same origin are recorded from their first script on, others are missed', async () => {
  const opened = await inWorker(`let count = 0;
    const all = new Promise((resolve) => {
      addEventListener('message', () => { if (++count === 4) resolve(); });
    });
    document.body.insertAdjacentHTML('beforeend', '<p><iframe src="/frame"></iframe></p>');
    const frame = document.createElement('iframe');
    frame.src = '/frame?2';
    document.body.append(frame);
    const inline = document.createElement('iframe');
    inline.srcdoc = await (await fetch('/frame')).text();
    document.body.append(inline);
    const other = document.createElement('iframe');
    other.src = '${plain.otherOrigin}/frame';
    document.body.append(other);
    await all;`);
  await opened.waitForTimeout(500);
  const result = await report(opened);
  assert.deepEqual(callsByThread(result), {
    'frame 1 (/frame)': FIB_10,
    'frame 2 (/frame)': FIB_10,
    'frame 3': FIB_10,
  });
  assert.deepEqual(result.unseen, ['Frames of other origins were not recorded.']);
});

test('windows that a page opens are recorded, too', async () => {
  const opened = await inWorker(`const told = new Promise((resolve) => {
      addEventListener('message', resolve);
    });
    globalThis.popup = open('/popup?1', 'mine');
    await told;`);
  assert.equal(await opened.evaluate(() => globalThis.popup.location.pathname), '/popup');
  const result = await report(opened);
  assert.deepEqual(callsByThread(result), { 'popup 1 (/popup)': FIB_10 });
  assert.deepEqual(result.unseen, []);
  // What it recorded outlives it.
  await opened.evaluate(() => globalThis.popup.close());
  await opened.waitForTimeout(500);
  assert.deepEqual(callsByThread(await report(opened)), { 'popup 1 (/popup)': FIB_10 });
});

test('what the hook cannot reach is said', async () => {
  pages['/sw.js'] = { body: '', type: 'text/javascript' };
  const opened = await inWorker(`const shared = new SharedWorker('/sw.js?x', 'mine');
    if (!(shared instanceof SharedWorker) || !shared.port) throw new Error('shared');
    await navigator.serviceWorker.register('/sw.js');
    await new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule('/sw.js');
    open('${plain.otherOrigin}/empty');
    if (open('/empty', '_blank', 'noopener') !== null) throw new Error('noopener');`);
  const { unseen } = await report(opened);
  assert.deepEqual(unseen.sort(), [
    'A service worker (sw.js) was not recorded: the hook cannot reach it.',
    'A shared worker (sw.js) was not recorded: the hook cannot reach it.',
    'A worklet (sw.js) was not recorded: the hook cannot reach it.',
    'popup 1 (/empty) was not recorded: it is of another origin, or without opener.',
    'popup 2 (/empty) was not recorded: it is of another origin, or without opener.',
  ]);
});

/** A module with one function and a custom section, together of some bytes. */
const padded = `const padded = (code, size) => {
    const result = new Uint8Array(size);
    const length = size - code.length - 6;
    const leb = Array.from({ length: 5 }, (_, i) => ((length >>> (7 * i)) & 127) | (i < 4 ? 128 : 0));
    result.set([...code, 0, ...leb, 1, 97]);
    return result;
  };\n`;

test('a module that only its probes make too large for the main thread runs without', async () => {
  const MB = 1 << 20;
  const opened = await open(
    plain,
    page(`${START}${COMMON}${padded}
      const large = padded(new Uint8Array(await bytes()), ${8 * MB});
      run(new WebAssembly.Instance(new WebAssembly.Module(large)));
      run(new WebAssembly.Instance(await WebAssembly.compile(large)));
      run(await WebAssembly.instantiate(await WebAssembly.compile(large)));
      globalThis.error = '';
      try { new WebAssembly.Module(padded(large.slice(0, 100), ${9 * MB})); } catch (e) { error = String(e); }`),
  );
  const { functions, skipped } = await report(opened);
  assert.deepEqual(
    functions.map(({ name, calls }) => [name, calls]),
    [['fib', FIB_10]],
  );
  assert.equal(skipped.length, 2);
  for (const { reason } of skipped) assert.match(reason, /main thread/);
  assert.match(await opened.evaluate(() => globalThis.error), /^RangeError: .*main thread/);
});

test('a page that stays is not going away', async () => {
  const tab = await open(
    plain,
    page(`${START}
      globalThis.leaving = [];
      navigation.addEventListener('navigate', (event) => {
        leaving.push(recording.live().leaving);
        if (!event.destination.sameDocument) event.preventDefault();
      });
      history.pushState({}, '', '/pushed');
      location.hash = 'there';
      location.href = '/elsewhere';`),
  );
  await tab.waitForFunction(() => globalThis.leaving.length === 3);
  assert.deepEqual(await tab.evaluate(() => globalThis.leaving), [false, false, true]);
  await tab.waitForFunction(() => !globalThis.recording.live().leaving);
});

test('SQLite counts the same as in Node', async () => {
  const program = fileURLToPath(new URL('sqlite.mjs', import.meta.url));
  const node = spawnSync(process.execPath, [program], { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(node.status, 0, node.stderr);
  const opened = await open(
    plain,
    page(
      `${START} globalThis.rows = await (await import('/tests/browser/pages/sql.mjs')).work();`,
      '<script src="/node_modules/sql.js/dist/sql-wasm.js"></script>',
    ),
  );
  const expected = JSON.parse(node.stdout);
  assert.deepEqual(await opened.evaluate(() => globalThis.rows), expected.rows);
  // By function: which of two allocations makes the heap grow differs, as the page's environment does.
  const calls = ({ functions }) => functions.map(({ name, calls }) => `${name} ${calls}`).sort();
  const seen = calls(await report(opened));
  assert.ok(seen.length > 300);
  assert.deepEqual(seen, calls(expected.report));
});
