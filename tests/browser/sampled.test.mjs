// Clock `sampled` in pages: with times where they may share memory, refused with a reason elsewhere.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { settingsFrom } from '../../npm/dist/core/options.js';
import { pageHook } from '../../npm/dist/node/page-hook.js';
import { launch } from './chromium.mjs';
import { ISOLATED, serve } from './server.mjs';

/** What `programs/shares.wat` does: the work of each function, of ten parts. */
const RUN = `
  const FILE = '/target/programs/shares.wasm';
  const imports = { host: { tick() {} } };
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  async function work({ run }, ms) {
    const end = performance.now() + ms;
    let calls = 0;
    do {
      for (let i = 0; i < 10; i++, calls++) run(100_000);
      await turn();
    } while (performance.now() < end);
    return calls;
  }`;

const WORKER = `${RUN}
  WebAssembly.instantiateStreaming(fetch(FILE), imports)
    .then(({ instance }) => work(instance.exports, 1500))
    .then((calls) => postMessage(calls));`;

const pages = {
  '/empty': { body: '<!doctype html>' },
  '/worker.js': { body: WORKER, type: 'text/javascript' },
};

let browser;
let isolated;
let strict;
let plain;
before(async () => {
  browser = await launch();
  isolated = await serve(pages, ISOLATED);
  const policy = "worker-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  strict = await serve(pages, { ...ISOLATED, 'content-security-policy': policy });
  plain = await serve(pages);
});
after(async () => {
  await browser.close();
  await isolated.close();
  await strict.close();
  await plain.close();
});

/** Evaluates the body of an async function in an empty page. */
async function inPage(server, body, init) {
  const context = await browser.newContext();
  const page = await context.newPage();
  if (init) await page.addInitScript(init);
  await page.goto(`${server.origin}/empty`);
  try {
    return await page.evaluate(`(async () => { ${body} })()`);
  } finally {
    await context.close();
  }
}

/** Every call is counted; the one with the most work has the most time; it is said how well that is known. */
function check({ clock, unit, functions, sampling, unseen, skipped }, calls) {
  assert.equal(clock, 'sampled');
  assert.equal(unit, 'ns');
  assert.deepEqual([unseen, skipped], [[], []]);
  const of = (name) => functions.find((f) => f.name === name);
  assert.deepEqual(
    ['run', 'plainly', 'after_call', 'after_table', 'after_import', 'tick'].map((n) => of(n).calls),
    Array(6).fill(calls),
  );
  assert.equal(of('tiny').calls, 2 * calls);
  assert.ok(sampling.samples > 20, JSON.stringify(sampling));
  const [most, least] = [of('plainly'), of('after_import')];
  assert.ok(most.self - most.selfError > 0 && most.self > least.self, JSON.stringify(functions));
}

test('the library in a page that may share memory', async () => {
  const [report, calls] = await inPage(
    isolated,
    `${RUN}
    const { createProfiler } = await import('/npm/dist/browser/index.js');
    const profiler = createProfiler({ clock: 'sampled' });
    const bytes = await (await fetch(FILE)).arrayBuffer();
    const { instance } = await profiler.instantiate(bytes, imports);
    const calls = await work(instance.exports, 3000);
    return [profiler.profile().report(), calls];`,
  );
  check(report, calls);
});

test('a recording, in the page and in its worker', async () => {
  const [report, calls, inWorker] = await inPage(
    isolated,
    `${RUN}
    const { record } = await import('/npm/dist/browser/record.js');
    const recording = await record({ clock: 'sampled' });
    const worker = new Worker('/worker.js');
    const answer = new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
    const { instance } = await WebAssembly.instantiateStreaming(fetch(FILE), imports);
    const calls = await work(instance.exports, 1500);
    const inWorker = await answer;
    return [(await recording.profile()).report({ paths: true }), calls, inWorker];`,
  );
  check(report, calls + inWorker);
  const times = report.threads.map(({ id }) =>
    report.paths.reduce((sum, path) => sum + (path.thread === id ? path.self : 0), 0),
  );
  assert.equal(times.length, 2);
  assert.ok(
    times.every((ns) => ns > 0),
    `each thread has a sampler: ${times}`,
  );
});

test('a page whose policy allows no workers from blobs: counts, and a sentence about times', async () => {
  const [report, calls] = await inPage(
    strict,
    `${RUN}
    const { createProfiler } = await import('/npm/dist/browser/index.js');
    const profiler = createProfiler({ clock: 'sampled' });
    const bytes = await (await fetch(FILE)).arrayBuffer();
    const { instance } = await profiler.instantiate(bytes, imports);
    const calls = await work(instance.exports, 100);
    return [profiler.profile().report(), calls];`,
  );
  assert.equal(report.functions.find((f) => f.name === 'plainly').calls, calls);
  assert.equal(report.sampling.samples, 0);
  assert.match(report.unseen.join('\n'), /^times of main: there is no sampler, as .*Policy/);
});

test('a page that may not share memory: the library refuses, and says what to do', async () => {
  const errors = await inPage(
    plain,
    `const { createProfiler, EngineError } = await import('/npm/dist/browser/index.js');
    const { record } = await import('/npm/dist/browser/record.js');
    const told = (error) => [error.name, error.code, error.message, error instanceof EngineError];
    let first;
    try { createProfiler({ clock: 'sampled' }); } catch (error) { first = told(error); }
    return [first, await record({ clock: 'sampled' }).catch(told)];`,
  );
  for (const [name, code, message] of errors) {
    assert.deepEqual([name, code], ['EngineError', 'ERR_XRAY_ENGINE']);
    assert.match(message, /cross-origin isolated\. Serve it with .* or choose another clock/);
  }
  assert.equal(errors[0][3], true);
});

test('a page that may not share memory: the hook leaves modules as they were, and says why', async () => {
  const hook = pageHook(settingsFrom({ clock: 'sampled' }));
  const [value, maps] = await inPage(
    plain,
    `const { instance } = await WebAssembly.instantiateStreaming(fetch('/target/programs/fib.wasm'));
    const suspending = 'Suspending' in WebAssembly && new WebAssembly.Suspending(() => 1);
    const recorder = globalThis[Symbol.for('wasm-xray.recorder')];
    return [instance.exports.fib(10), recorder.parts().map(({ map }) => JSON.parse(map))];`,
    hook,
  );
  assert.equal(value, 55);
  assert.equal(maps.length, 1);
  assert.match(maps[0].skipped[0].reason, /sampled needs memory that threads share/);
});
