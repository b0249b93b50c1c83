// What comes into the viewer: dropped files, large ones, hostile ones, two to compare; and who may ask for it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch } from './chromium.mjs';
import { compactFile, largeProfile, makeFolder, mapOf, write } from './profiles.mjs';
import { serveView } from './serve-view.mjs';
import {
  json,
  number,
  openViewer,
  selectedFigures,
  tableRows,
  wasmXray,
  watch,
} from './viewer.mjs';

const folder = makeFolder();
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const SMALL = [
  [1, 0, 1, 10, 100],
  [2, 1, 2, 20, 300],
  [3, 1, 3, 5, 50],
];
const small = compactFile({ 1: SMALL });
const smallMap = mapOf(['main', 'parse', 'print']);

/** Drops files onto the page, as a user's mouse does. */
function drop(page, files) {
  const contents = files.map(({ name, data }) => ({
    name,
    base64: Buffer.from(data).toString('base64'),
  }));
  return page.evaluate((contents) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of contents) {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    const options = { bubbles: true, cancelable: true, dataTransfer: transfer };
    document.body.dispatchEvent(new DragEvent('dragover', options));
    document.body.dispatchEvent(new DragEvent('drop', options));
  }, contents);
}

test('files are dropped: with a map, without, the wrong ones', async () => {
  const server = await serveView();
  const page = await browser.newPage();
  const faults = watch(page);
  await page.goto(server.address);
  await page.waitForSelector('.xr-drop');

  await drop(page, [{ name: 'app.map.json', data: smallMap }]);
  assert.match(await page.textContent('[role=alert]'), /app\.map\.json holds names only.*\.xray/);
  await drop(page, [{ name: 'app.wasm', data: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) }]);
  await page.waitForFunction(() =>
    /not a profile/.test(document.querySelector('[role=alert]')?.textContent),
  );
  await drop(page, [
    { name: 'cut.xray', data: small.subarray(0, 100) },
    { name: 'cut.map.json', data: smallMap },
  ]);
  await page.waitForFunction(() =>
    /^cut\.xray: .*truncated/.test(document.querySelector('[role=alert]')?.textContent),
  );

  await page.setInputFiles('input[type=file]', [
    { name: 'app.map.json', mimeType: '', buffer: Buffer.from(smallMap) },
    { name: 'app.xray', mimeType: '', buffer: Buffer.from(small) },
  ]);
  await page.waitForSelector('.xr-graph');
  assert.equal(await page.textContent('.xr-list tbody tr td'), 'main');
  assert.equal(await page.locator('.xr-notes').isVisible(), false);

  // Another one, over the one that is shown; without names, and it says so.
  await drop(page, [{ name: 'bare.xray', data: small }]);
  await page.waitForFunction(
    () => document.querySelector('.xr-profile-name')?.textContent === 'bare.xray',
  );
  await page.waitForFunction(
    () => document.querySelector('.xr-list tbody tr td')?.textContent === 'func#1',
  );
  assert.match(await page.textContent('.xr-notes summary'), /no names/);

  // A bad one is refused, and what is shown stays; and so is a map alone.
  await drop(page, [{ name: 'app.map.json', data: smallMap }]);
  await page.waitForFunction(() =>
    /holds names only/.test(document.querySelector('.xr-alert')?.textContent),
  );
  assert.equal(await page.locator('.xr-busy').count(), 0);
  await drop(page, [{ name: 'bad.xray', data: 'nothing' }]);
  await page.waitForFunction(() =>
    /not a profile/.test(document.querySelector('.xr-alert')?.textContent),
  );
  assert.equal(await page.textContent('.xr-list tbody tr td'), 'func#1');
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await server.close(), 0);
});

test('names are text, whatever they hold', async () => {
  const names = [
    '<img src=x onerror="globalThis.pwned=1">',
    '\u202Egnp.elif\u202C',
    'x'.repeat(10_000),
    '</script><script>globalThis.pwned=1</script>',
    '"><svg onload=globalThis.pwned=1>',
    '\u0000\u001b[31mred\u0007',
    '名前::関数',
  ];
  const records = names.map((_, at) => [at + 1, at === 6 ? 6 : 0, at + 1, 10 - at, 1000 - at]);
  const map = mapOf(names, {
    module: { name: '<b>module</b>\u202E' },
    threads: [{ id: 1, name: '<i>main</i>' }],
  });
  const path = write(folder, 'hostile', compactFile({ 1: records }), map);
  const out = join(folder, 'hostile.html');
  wasmXray('convert', path, '-f', 'html', '-o', out);
  const { page, close } = await openViewer(browser, [path], { hash: 'view=table' });
  for (const address of [page.url(), `${pathToFileURL(out)}#view=table`]) {
    const faults = watch(page);
    await page.goto(address);
    await page.waitForSelector('.xr-table');
    const rows = await tableRows(page, 'Functions');
    assert.deepEqual(
      rows.map(([name]) => name.text),
      [
        names[0],
        '\\u{202e}gnp.elif\\u{202c}',
        'x'.repeat(400),
        names[3],
        names[4],
        '\\u{0}\\u{1b}[31mred\\u{7}',
        names[6],
      ],
    );
    for (const view of ['flame', 'callers', 'sandwich']) {
      await page.evaluate((view) => {
        location.hash = `view=${view}&row=2`;
      }, view);
      await page.waitForSelector(view === 'sandwich' ? '.xr-sandwich' : '.xr-graph');
      await page.mouse.move(400, 160);
      await page.focus('.xr-canvas');
      for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
      const { wide, images, pwned } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth > innerWidth,
        images: document.querySelectorAll('#viewer :is(img, svg, script, b, i)').length,
        pwned: globalThis.pwned,
      }));
      assert.deepEqual({ wide, images, pwned }, { wide: false, images: 0, pwned: undefined });
    }
    assert.deepEqual(faults, []);
    await page.goto('about:blank');
  }
  await close();
});

test('what is missing from a profile is said in every view', async () => {
  const map = mapOf(['main', 'parse', 'print'], {
    module: { skipped: [{ index: 2, reason: 'too many locals' }], warnings: ['a name is cut'] },
    profile: {
      dropped: { paths: 7, calls: 1234 },
      skipped: [{ module: 'huge.wasm', reason: 'too large' }],
      unseen: ['worker 2 wrote nothing'],
    },
  });
  const file = compactFile({ 1: [...SMALL, [4, 0, 2, 1234, 5, 1]] });
  const { page, close } = await openViewer(browser, [write(folder, 'lossy', file, map)]);
  for (const view of ['flame', 'callers', 'table', 'sandwich']) {
    await page
      .getByRole('tab')
      .nth(['flame', 'callers', 'table', 'sandwich'].indexOf(view))
      .click();
    assert.equal(
      await page.textContent('.xr-notes summary'),
      '!1,234 calls without a path · 2 not instrumented · 1 not seen · 1 warning',
    );
  }
  await page.click('.xr-notes summary');
  const notes = await page.locator('.xr-notes li').allTextContents();
  assert.equal(notes.length, 5);
  assert.match(
    notes.join('\n'),
    /7 new paths.*1,234 calls[\s\S]*huge\.wasm: too large[\s\S]*print \(app\): too many locals[\s\S]*worker 2[\s\S]*a name is cut/,
  );
  // Dropped paths are a frame of their own: not calls from the host.
  await page.getByRole('tab').first().click();
  const rows = await page.locator('.xr-list tbody tr td:first-child').allTextContents();
  assert.deepEqual(rows.sort(), ['(path dropped: the arena was full)', 'main']);
  await close();
});

test('two profiles are compared in every view', async () => {
  const before = compactFile({
    1: [
      [1, 0, 1, 10, 1000],
      [2, 1, 2, 100, 5000],
      [3, 1, 3, 7, 700],
    ],
  });
  // `parse` moved to another index and is called more, `print` is gone, `check` is new.
  const after = compactFile({
    1: [
      [1, 0, 1, 10, 900],
      [2, 1, 3, 160, 8000],
      [3, 2, 2, 40, 400],
    ],
  });
  const paths = [
    write(folder, 'before', before, mapOf(['main', 'parse', 'print'])),
    write(folder, 'after', after, mapOf(['main', 'check', 'parse'], { hash: '1' })),
  ];
  const report = json('diff', ...paths, '--json');
  const { page, close } = await openViewer(browser, paths, { args: ['--diff'] });
  assert.match(page.url(), /before=0/);
  const shown = await selectedFigures(page);
  assert.deepEqual(shown.Total.slice(0, 2).map(number), [6700, 9300]);
  assert.match(await page.textContent('.xr-legend'), /less, or gone.*the same.*more, or new/);

  await page.getByRole('tab', { name: 'Functions' }).click();
  const rows = await tableRows(page, 'Functions');
  assert.equal(rows.length, report.functions.length);
  // The greatest change first.
  assert.equal(rows[0][0].text, report.functions[0].name);
  const heads = await page.locator('[role=grid] [role=columnheader]').allTextContents();
  const at = heads.findIndex((head) => head.startsWith('Self ms before'));
  for (const { name, calls, self } of report.functions) {
    const row = rows.find(([cell]) => cell.text === name);
    assert.deepEqual([number(row[1].text), number(row[2].text)], calls);
    assert.deepEqual([number(row[at].hint), number(row[at + 1].hint)], self);
  }

  // The other way round, and then one alone.
  await page.selectOption('[data-option=profile]', '0');
  await page.selectOption('[data-option=before]', '1');
  await page.waitForFunction(() => location.hash.includes('before=1'));
  const turned = await tableRows(page, 'Functions');
  assert.deepEqual(
    turned.map(([name, one, other]) => [name.text, one.text, other.text]).sort(),
    rows.map(([name, one, other]) => [name.text, other.text, one.text]).sort(),
  );
  await page.selectOption('[data-option=before]', '');
  await page.waitForFunction(() => !location.hash.includes('before'));
  assert.equal((await tableRows(page, 'Functions')).length, 3);
  await close();
});

test('profiles of different clocks are refused in words', async () => {
  const paths = [
    write(folder, 'one', small, smallMap),
    write(folder, 'other', small, mapOf(['main', 'parse', 'print'], { clock: 'calls' })),
  ];
  const { page, close } = await openViewer(browser, paths);
  await page.selectOption('[data-option=before]', '1');
  await page.waitForFunction(() => /clock/.test(document.querySelector('.xr-alert')?.textContent));
  // What was shown stays, and it goes on.
  await page.getByRole('tab', { name: 'Functions' }).click();
  assert.equal((await tableRows(page, 'Functions')).length, 3);
  await close();
});

test('a profile without a call says so', async () => {
  const path = write(folder, 'empty', compactFile({}), mapOf(['main'], { clock: 'calls' }));
  const { page, close } = await openViewer(browser, [path]);
  for (const view of [0, 1, 2, 3]) {
    await page.getByRole('tab').nth(view).click();
    await page.getByText('No function was called.').first().waitFor();
  }
  await close();
});

test('figures beyond 2^53 are exact', async () => {
  const big = 2n ** 60n + 1n;
  const path = write(
    folder,
    'big',
    compactFile({
      1: [
        [1, 0, 1, big, big],
        [2, 1, 2, 3, 4],
      ],
    }),
    smallMap,
  );
  const { page, close } = await openViewer(browser, [path]);
  await page.focus('.xr-canvas');
  await page.keyboard.press('ArrowDown');
  const figures = await selectedFigures(page);
  const digits = (text) => text.replaceAll(/\D/g, '');
  assert.equal(digits(figures.Calls[0]), String(big));
  assert.equal(digits(figures.Self[0]), String(big));
  assert.equal(digits(figures.Total[0]), String(big + 4n));
  await close();
});

test('a million paths', async (t) => {
  const { records, file, map } = largeProfile(1_000_000);
  const path = write(folder, 'million', file, map);
  const start = performance.now();
  const { page, close } = await openViewer(browser, [path]);
  t.diagnostic(`shown after ${Math.round(performance.now() - start)} ms, with starting the server`);
  const self = records.reduce((sum, record) => sum + record[4], 0);
  assert.equal(number((await selectedFigures(page)).Total[0]), self);
  await page.getByRole('tab', { name: 'Inverted' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.xr-list tbody tr').length > 100);
  const heaviest = new Map();
  for (const [, , id, , own] of records) heaviest.set(id, (heaviest.get(id) ?? 0) + own);
  const [first] = [...heaviest].sort(([, one], [, other]) => other - one);
  await page.focus('.xr-canvas');
  await page.keyboard.press('ArrowDown');
  const figures = await selectedFigures(page);
  assert.equal(await page.textContent('.xr-details-name'), `function_${first[0] - 1}`);
  assert.equal(number(figures.Self[0]), first[1]);
  await close();
});

/** Asks the server itself, with the headers of whoever it may be. */
function ask(address, { path, headers = {}, method = 'GET' } = {}) {
  const url = new URL(address);
  return new Promise((resolve, reject) => {
    const options = {
      host: url.hostname,
      port: url.port,
      path: path ?? url.pathname + url.search,
      headers,
      method,
    };
    request(options, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });
}

test('the server answers the browser that was sent there, and nobody else', async () => {
  const path = write(folder, 'served', small, smallMap);
  const server = await serveView(path);
  const { address } = server;
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{20,}$/);
  const { host } = new URL(address);
  assert.equal((await ask(address, { path: '/' })).status, 403);
  assert.equal((await ask(address, { path: '/?token=wrong' })).status, 403);
  for (const path of ['/profiles.json', '//', '///', '//x', '/?', '*']) {
    const { status } = await ask(address, { path });
    assert.equal(status, path === '/?' ? 403 : 404, path);
  }
  assert.equal((await ask(address, { headers: { host: 'evil.example' } })).status, 421);
  assert.equal((await ask(address, { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403);
  assert.equal((await ask(address, { method: 'POST' })).status, 405);
  // None of these used the address up.
  const admitted = await ask(address);
  assert.equal(admitted.status, 303);
  assert.equal((await ask(address)).status, 403, 'it works once');
  const session = admitted.headers.location;
  const page = await ask(address, { path: session });
  assert.equal(page.status, 200);
  assert.match(
    page.headers['content-security-policy'],
    /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'/,
  );
  for (const outside of [
    '../../package.json',
    '..%2f..%2fpackage.json',
    'profiles/1.xray',
    'profiles/-1.map',
  ]) {
    assert.equal((await ask(address, { path: session + outside })).status, 404, outside);
  }
  assert.equal(
    (await ask(address, { path: `${session}profiles/0.xray`, headers: { host } })).status,
    200,
  );
  const another = await server.another();
  assert.notEqual(another, address);
  assert.equal((await ask(another)).headers.location, session);
  assert.equal(await server.close(), 0, 'Ctrl-C is the way to end it');
  assert.ok(readFileSync(path).length > 0);
});
