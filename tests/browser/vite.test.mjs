// `wasm-xray/vite`: what pages load under Vite is profiled, and the server keeps the profiles.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build, createServer, preview } from 'vite';
import { Profile } from '../../npm/dist/index.js';
import wasmXray from '../../npm/dist/vite/index.js';
import { launch } from './chromium.mjs';

/** Calls that fib(10) makes; the page makes four of it, its worker one. */
const FIB_10 = 177;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const fib = here('../../target/programs/fib.wasm');

let browser;
let root;
const open = [];
before(async () => {
  browser = await launch();
  root = mkdtempSync(join(tmpdir(), 'wasm-xray-vite-'));
  cpSync(here('pages/vite'), root, { recursive: true });
  cpSync(fib, join(root, 'fib.wasm'));
  cpSync(fib, join(root, 'public/public.wasm'));
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
  rmSync(join(root, 'wasm-xray'), { recursive: true, force: true });
});
after(async () => {
  await browser?.close();
  rmSync(root, { recursive: true });
});

const logged = [];
const note = (text) => {
  logged.push(text);
};
const customLogger = {
  info: note,
  warn: note,
  warnOnce: note,
  error: note,
  clearScreen() {},
  hasErrorLogged: () => false,
  hasWarned: false,
};
const common = (options, more) => ({
  root,
  configFile: false,
  customLogger,
  plugins: [wasmXray(options)],
  ...more,
});
const HERE = { host: '127.0.0.1', port: 0 };

/** Address of a server of Vite's. */
function addressOf(server) {
  open.push(server);
  return `http://127.0.0.1:${server.httpServer.address().port}`;
}

async function develop(options, more) {
  const server = await createServer(common(options, { server: { ...HERE, hmr: false }, ...more }));
  await server.listen();
  return addressOf(server);
}

async function visit(address) {
  const page = await browser.newPage();
  const failed = new Promise((_, reject) => page.once('pageerror', reject));
  await page.goto(address);
  const done = page.waitForFunction(() => globalThis.isDone, undefined, { timeout: 120_000 });
  await Promise.race([failed, done]);
  return page;
}

const files = (folder = 'wasm-xray') =>
  existsSync(join(root, folder)) ? readdirSync(join(root, folder)).sort() : [];

async function until(condition, what) {
  for (let waited = 0; !condition(); waited += 50) {
    if (waited > 60_000) assert.fail(`${what}: ${files()} ${logged.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function report(name) {
  const path = join(root, 'wasm-xray', name);
  const map = readFileSync(`${path}.map.json`, 'utf8');
  return Profile.read(readFileSync(`${path}.xray`), map).report({ paths: true });
}

const calls = (name) => report(name).functions.map((f) => [f.name, f.calls]);
/** Waits for a profile that has everything. */
const complete = (name, expected = 5 * FIB_10) =>
  until(
    () => files().includes(`${name}.xray`) && calls(name)[0]?.[1] === expected,
    `${name}.xray with ${expected} calls`,
  );

test('however a page loads its modules, the server has their profile while it is open', async () => {
  logged.length = 0;
  const address = await develop();
  const page = await visit(`${address}/`);
  await complete('index');
  assert.deepEqual(calls('index'), [['fib', 5 * FIB_10]]);
  const { threads, unseen, skipped } = report('index');
  assert.deepEqual(
    threads.map(({ name }) => name),
    ['main', 'worker 1 (worker.js)'],
  );
  assert.deepEqual([unseen, skipped], [[], []]);
  assert.deepEqual(files(), ['.gitignore', 'index.map.json', 'index.xray']);
  const told = logged.filter((line) => line.includes('wasm-xray:'));
  assert.equal(told.length, 1);
  assert.match(told[0], /wrote .*index\.xray, .*npx wasm-xray report .*index\.xray$/);
  await page.close();
});

test('a page that is left at once leaves its profile', async () => {
  const address = await develop();
  const page = await visit(`${address}/index.html`);
  await page.goto('about:blank');
  // Not what its worker had still to hand over.
  const ofMain = () => {
    const { threads, paths } = report('index');
    const main = threads.find(({ name }) => name === 'main').id;
    return paths.filter(({ thread }) => thread === main).map(({ calls }) => calls);
  };
  await until(() => files().includes('index.xray'), 'a profile');
  assert.equal(
    ofMain().reduce((sum, calls) => sum + calls, 0),
    4 * FIB_10,
  );
  await page.close();
});

test('loaded again a page replaces its profile; open twice it has two', async () => {
  const address = await develop();
  const first = await visit(`${address}/`);
  await complete('index');
  await first.reload();
  await first.waitForFunction(() => globalThis.isDone);
  const second = await visit(`${address}/`);
  await complete('index-2');
  await complete('index');
  assert.equal(files().filter((name) => name.endsWith('.xray')).length, 2);
  await first.close();
  await second.close();
});

test('options, another folder and another base', async () => {
  const address = await develop(
    { clock: 'instructions', folder: 'kept/here', exclude: ['fib'] },
    { base: '/app/' },
  );
  const page = await visit(`${address}/app/`);
  await until(() => files('kept/here').includes('app.xray'), 'a profile');
  const map = readFileSync(join(root, 'kept/here/app.map.json'), 'utf8');
  const { clock, functions } = Profile.read(
    readFileSync(join(root, 'kept/here/app.xray')),
    map,
  ).report();
  assert.deepEqual([clock, functions], ['instructions', []]);
  await page.close();
  assert.throws(() => wasmXray({ clock: 'sun' }), /There is no clock "sun"/);
});

for (const base of ['/', './']) {
  test(`a build has the hook only if that was asked for (base ${base})`, async () => {
    const place = { outDir: 'built', emptyOutDir: true };
    const hooked = async (options) => {
      await build(common(options, { base, build: place }));
      return existsSync(join(root, 'built/@wasm-xray'));
    };
    assert.equal(await hooked({}), false);
    assert.ok(!readFileSync(join(root, 'built/index.html'), 'utf8').includes('wasm-xray'));
    assert.equal(await hooked({ build: true }), true);
    const options = { base, build: place, preview: HERE };
    const address = addressOf(await preview(common({ build: true }, options)));
    const page = await visit(`${address}/`);
    await complete('index');
    await page.close();
  });
}

test('nobody else hands over profiles, and nothing is written of what is none', async () => {
  const address = await develop();
  const body = JSON.stringify({ id: 'a', page: '/../../evil', left: false, parts: [] });
  const post = (headers, text = body) =>
    fetch(`${address}/@wasm-xray/profile`, { method: 'POST', headers, body: text });
  assert.equal((await post({})).status, 403);
  assert.equal((await post({ origin: 'http://elsewhere.example' })).status, 403);
  assert.equal((await post({ origin: address, 'sec-fetch-site': 'cross-site' })).status, 403);
  for (const text of ['', '[]', 'null', '{"id":1}', body.replace('[]', '[{"blocks":"AA"}]')]) {
    const answer = await post({ origin: address }, text);
    assert.deepEqual([answer.status, files()], [500, []], text);
    assert.match(await answer.text(), /is not what a page hands over/);
  }
  const broken = await post(
    { origin: address },
    body.replace('[]', '[{"blocks":"AAAA","map":"{}"}]'),
  );
  assert.equal(broken.status, 500);
  assert.deepEqual(files(), []);
});
