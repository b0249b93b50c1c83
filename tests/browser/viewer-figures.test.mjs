// What the viewer shows of SQLite is what the reports say.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch } from './chromium.mjs';
import { makeFolder } from './profiles.mjs';
import {
  json,
  number,
  openViewer,
  selectedFigures,
  selectedName,
  tableRows,
  wasmXray,
  watch,
} from './viewer.mjs';

const folder = makeFolder();
const profiles = { wall: join(folder, 'wall.xray'), calls: join(folder, 'calls.xray') };
const reports = {};
let browser;

before(async () => {
  for (const [clock, out] of Object.entries(profiles)) {
    wasmXray('run', '--clock', clock, '--out', out, 'examples/sqlite/app.mjs');
    reports[clock] = json('report', out, '--json', '--paths');
  }
  browser = await launch();
});
after(() => browser?.close());

/** Figures by path, from the list of paths alone: own calls and self, and the total. */
function pathFigures({ paths }) {
  const figures = new Map();
  const of = (key) => {
    if (!figures.has(key)) figures.set(key, { calls: 0, self: 0, total: 0, totalCalls: 0 });
    return figures.get(key);
  };
  for (const { path, calls, self } of paths) {
    const own = of(path.join());
    own.calls += calls;
    own.self += self;
    for (let length = 1; length <= path.length; length++) {
      const above = of(path.slice(0, length).join());
      above.total += self;
      above.totalCalls += calls;
    }
  }
  return figures;
}

test('the table has every function with the figures of the report', async () => {
  for (const clock of ['wall', 'calls']) {
    const { page, close } = await openViewer(browser, [profiles[clock]], { hash: 'view=table' });
    const rows = await tableRows(page, 'Functions');
    const { functions } = reports[clock];
    assert.equal(rows.length, functions.length);
    for (const [at, expected] of functions.entries()) {
      const [name, calls, , third, , fifth] = rows[at];
      assert.equal(name.text, expected.name);
      assert.equal(number(calls.text), expected.calls, expected.name);
      if (clock === 'calls') continue;
      assert.equal(number(third.hint), expected.self, expected.name);
      assert.equal(number(fifth.hint), expected.total, expected.name);
      assert.equal(third.text.startsWith('~'), expected.self < reports[clock].clockStepNs);
      const self = number(third.text.replace('~', ''));
      assert.ok(Math.abs(self * 1e6 - expected.self) <= 500, third.text);
    }
    await close();
  }
});

test('the table sorts by any column and filters', async () => {
  const { page, close } = await openViewer(browser, [profiles.wall], { hash: 'view=table' });
  const { functions } = reports.wall;
  await page.getByRole('button', { name: 'Calls', exact: true }).click();
  const byCalls = (await tableRows(page, 'Functions')).map(([, calls]) => number(calls.text));
  assert.deepEqual(
    byCalls,
    functions.map(({ calls }) => calls).sort((a, b) => b - a),
  );
  await page.getByRole('button', { name: 'Calls', exact: true }).click();
  assert.equal(
    await page.getByRole('columnheader', { name: 'Calls', exact: true }).getAttribute('aria-sort'),
    'ascending',
  );
  await page.fill('input[type=search]', 'sqlite3_bind');
  await page.waitForFunction(() => document.querySelector('.xr-count').textContent !== '');
  const found = (await tableRows(page, 'Functions')).map(([name]) => name.text).sort();
  const expected = functions
    .map(({ name }) => name)
    .filter((name) => name.includes('sqlite3_bind'));
  assert.deepEqual(found, expected.sort());
  assert.ok(found.length > 2);
  await close();
});

test('frames of the flame graph have the figures of their paths', async () => {
  const report = reports.wall;
  const figures = pathFigures(report);
  const names = new Map(report.functions.map(({ id, name }) => [id, name]));
  const { page, close } = await openViewer(browser, [profiles.wall]);
  const whole = report.paths.reduce((sum, { self }) => sum + self, 0);
  assert.equal(number((await selectedFigures(page)).Total[0]), whole);

  // Down the heaviest path, frame by frame.
  let path = [];
  for (let depth = 0; depth < 6; depth++) {
    const children = [...figures]
      .filter(([key]) => {
        const ids = key.split(',').map(Number);
        return ids.length === path.length + 1 && path.every((id, at) => ids[at] === id);
      })
      .sort(([, one], [, other]) => other.total - one.total);
    const [key, expected] = children[0];
    path = key.split(',').map(Number);
    await page.focus('.xr-canvas');
    await page.keyboard.press('ArrowDown');
    assert.equal(await selectedName(page), names.get(path.at(-1)));
    const shown = await selectedFigures(page);
    assert.equal(number(shown.Calls[0]), expected.calls);
    assert.equal(number(shown.Self[0]), expected.self);
    assert.equal(number(shown.Total[0]), expected.total);
    assert.equal(number(shown['Calls with callees'][0]), expected.totalCalls);
  }
  // With calls for widths the order is that of the calls.
  await page.selectOption('[data-option=calls]', '1');
  await page.waitForFunction(() => location.hash.includes('calls=1'));
  const byCalls = [...figures]
    .filter(([key]) => !key.includes(','))
    .sort(([, one], [, other]) => other.totalCalls - one.totalCalls);
  const first = page.locator('.xr-list tbody tr').first();
  assert.equal(await first.locator('button').textContent(), names.get(Number(byCalls[0][0])));
  await close();
});

test('the inverted graph begins with the self cost of each function', async () => {
  const { page, close } = await openViewer(browser, [profiles.wall], { hash: 'view=callers' });
  const expected = reports.wall.functions.filter(({ self }) => self > 0).slice(0, 20);
  const list = page.locator('.xr-list tbody tr');
  for (const [at, { name, calls, self }] of expected.entries()) {
    assert.equal(await list.nth(at).locator('button').textContent(), name);
    if (at > 4) continue;
    await list.nth(at).locator('button').click();
    const shown = await selectedFigures(page);
    assert.deepEqual([number(shown.Calls[0]), number(shown.Self[0])], [calls, self]);
    await page.focus('.xr-canvas');
    await page.keyboard.press('Home');
  }
  await close();
});

test('the sandwich has the callers and callees of a function', async () => {
  const report = reports.wall;
  const { id, name } = report.functions.find(({ name }) => name === 'malloc');
  const names = new Map(report.functions.map((one) => [one.id, one.name]));
  const neighbours = (of) => {
    const calls = new Map();
    for (const entry of report.paths) {
      const found = of(entry.path);
      if (found !== undefined) calls.set(found, (calls.get(found) ?? 0) + entry.calls);
    }
    return [...calls].filter(([, count]) => count > 0).sort();
  };
  const { page, close } = await openViewer(browser, [profiles.wall], { hash: 'view=table' });
  await page.fill('input[type=search]', '/^malloc$/');
  await page.getByRole('row', { name: /^malloc/ }).dblclick();
  await page.waitForSelector('.xr-sandwich');
  assert.equal(await page.textContent('.xr-sandwich-title h2'), name);
  const shown = async (label) =>
    (await tableRows(page, label)).map(([cell, calls]) => [cell.text, number(calls.text)]).sort();
  const host = '(host: JavaScript, or a thread’s start)';
  const callers = neighbours((path) =>
    path.at(-1) === id ? (names.get(path.at(-2)) ?? host) : undefined,
  );
  assert.deepEqual(await shown('Callers'), callers);
  const callees = neighbours((path) => (path.at(-2) === id ? names.get(path.at(-1)) : undefined));
  assert.deepEqual(await shown('Callees'), callees);
  assert.ok(callers.length > 3 && callees.length > 0);
  await close();
});

test('a search counts functions and frames, and goes from one to the next', async () => {
  const report = reports.calls;
  const matching = new Set(
    report.functions.filter(({ name }) => name.toLowerCase().includes('alloc')).map(({ id }) => id),
  );
  const frames = report.paths.filter(({ path, calls }) => matching.has(path.at(-1)) && calls > 0);
  const inside = report.paths.filter(({ path }) => path.some((id) => matching.has(id)));
  const sum = (paths) => paths.reduce((sum, { calls }) => sum + calls, 0);
  const share = ((sum(inside) / sum(report.paths)) * 100).toFixed(1);
  const { page, close } = await openViewer(browser, [profiles.calls]);
  await page.fill('input[type=search]', 'ALLOC');
  await page.waitForFunction(() => document.querySelector('.xr-count').textContent !== '');
  assert.equal(
    await page.textContent('.xr-count'),
    `${matching.size} functions · ${frames.length.toLocaleString('en')} frames · ${share} %`,
  );
  await page.focus('.xr-canvas');
  const visited = new Set();
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press('n');
    const name = await selectedName(page);
    assert.match(name, /alloc/i);
    visited.add(await page.evaluate(() => document.querySelector('.xr-status').textContent));
  }
  assert.ok(visited.size > 1);
  await page.fill('input[type=search]', '/(/');
  await page.waitForSelector('input[aria-invalid=true]');
  await close();
});

test('the page for disk shows the same, without asking any network', async () => {
  const out = join(folder, 'sqlite.html');
  wasmXray('convert', profiles.wall, '-f', 'html', '-o', out);
  const page = await browser.newPage();
  const faults = watch(page);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${pathToFileURL(out)}#view=table`);
  await page.waitForSelector('.xr-table', { timeout: 60_000 });
  const rows = await tableRows(page, 'Functions');
  assert.deepEqual(
    rows.map(([name, calls, , self]) => [name.text, number(calls.text), number(self.hint)]),
    reports.wall.functions.map(({ name, calls, self }) => [name, calls, self]),
  );
  assert.deepEqual(
    requests.filter((url) => !/^(file|blob|data):/.test(url)),
    [],
  );
  assert.deepEqual(faults, []);

  // The page that it saves is as good as itself.
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('menuitem', { name: /any browser/ }).click();
  const copy = join(folder, 'copy.html');
  await (await saved).saveAs(copy);
  await page.goto(`${pathToFileURL(copy)}#view=table`);
  await page.waitForSelector('.xr-table', { timeout: 60_000 });
  assert.equal((await tableRows(page, 'Functions')).length, reports.wall.functions.length);
  assert.deepEqual(faults, []);
  await page.close();
});

test('what is saved is what convert writes, in every format', async () => {
  const { page, close } = await openViewer(browser, [profiles.calls]);
  await page.getByRole('button', { name: 'Save' }).click();
  const menu = page.getByRole('menu');
  const titles = await menu.getByRole('menuitem').allTextContents();
  const FORMATS = {
    speedscope: 'speedscope',
    'Chrome DevTools (cpuprofile)': 'cpuprofile',
    'Firefox Profiler': 'firefox',
    pprof: 'pprof',
    'callgrind (KCachegrind)': 'callgrind',
    'folded stacks': 'folded',
    'flame graph (SVG)': 'svg',
    'table (CSV)': 'csv',
    'report (JSON)': 'json',
    'LLVM XRay': 'xray',
  };
  // The rest are a profile, a page, a picture and the address.
  assert.equal(titles.length, Object.keys(FORMATS).length + 4);
  const help = wasmXray('convert', '--help');
  const option = help.slice(help.indexOf('--format'), help.indexOf('--output'));
  const known = [...option.matchAll(/"(\w+)"/g)].map(([, format]) => format);
  assert.deepEqual(known.sort(), [...Object.values(FORMATS), 'html'].sort());
  await page.keyboard.press('Escape');
  for (const [title, format] of Object.entries(FORMATS)) {
    // LLVM's layout comes with a map.
    const isIt = (download) => !download.suggestedFilename().endsWith('.map.json');
    const saved = page.waitForEvent('download', isIt);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('menuitem', { name: title, exact: true }).click();
    const path = join(folder, `saved.${format}`);
    await (await saved).saveAs(path);
    const expected = join(folder, `converted.${format}`);
    wasmXray('convert', profiles.calls, '-f', format, '-o', expected);
    assert.ok(readFileSync(path).equals(readFileSync(expected)), format);
  }
  await close();
});
