// The viewer is used: keyboard, address, themes, any width, a screen reader's view of it, threads and phases.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from './chromium.mjs';
import { compactFile, largeProfile, makeFolder, mapOf, write } from './profiles.mjs';
import { serveView } from './serve-view.mjs';
import { number, openViewer, selectedFigures, selectedName, tableRows } from './viewer.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = ['flame', 'callers', 'table', 'sandwich'];

const folder = makeFolder();
let browser;
let sample;
before(async () => {
  browser = await launch();
  const { file, map } = largeProfile(20_000, 300);
  sample = write(folder, 'sample', file, map);
});
after(() => browser?.close());

test('everything can be done with the keyboard', async () => {
  const { page, close } = await openViewer(browser, [sample]);
  const { keyboard } = page;
  await page.focus('.xr-canvas');
  await keyboard.press('ArrowDown');
  const top = await selectedName(page);
  await keyboard.press('ArrowDown');
  const below = await selectedName(page);
  assert.notEqual(below, top);
  await keyboard.press('ArrowUp');
  assert.equal(await selectedName(page), top);
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  const crumbs = page.locator('.xr-crumbs li');
  assert.deepEqual(await crumbs.allTextContents(), ['all', top, below]);
  assert.match(page.url(), /zoom=\d+\.\d+/);
  await keyboard.press('Backspace');
  assert.deepEqual(await crumbs.allTextContents(), ['all', top]);
  await keyboard.press('Escape');
  assert.deepEqual(await crumbs.allTextContents(), ['all']);
  await keyboard.press('ArrowDown');
  await keyboard.press('s');
  await page.waitForSelector('.xr-sandwich');
  assert.equal(await page.textContent('.xr-sandwich-title h2'), top);

  await keyboard.press('3');
  await page.waitForSelector('.xr-table');
  await page.focus('[role=grid]');
  for (const key of ['End', 'Home', 'ArrowDown', 'ArrowDown']) await keyboard.press(key);
  const active = await page.getAttribute('[role=grid]', 'aria-activedescendant');
  const third = await page.locator(`#${active} [role=rowheader]`).textContent();
  await keyboard.press('Enter');
  await page.waitForSelector('.xr-sandwich');
  assert.ok(third.startsWith(await page.textContent('.xr-sandwich-title h2')));

  await keyboard.press('/');
  await keyboard.type('function_12');
  assert.match(page.url(), /query=function_12/);
  await keyboard.press('Escape');
  assert.doesNotMatch(page.url(), /query/);
  await page.getByRole('tab', { name: 'Sandwich' }).focus();
  await keyboard.press('ArrowRight');
  await page.waitForSelector('.xr-graph');
  await keyboard.press('?');
  assert.equal(await page.locator('dialog').isVisible(), true);
  await keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save' }).focus();
  await keyboard.press('Enter');
  await keyboard.press('End');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /address/);
  await keyboard.press('Escape');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Save/);
  await close();
});

test('the focus goes along when what had it is replaced', async () => {
  const { page, close } = await openViewer(browser, [sample]);
  const { keyboard } = page;
  const focused = () =>
    page.evaluate(() => {
      const { className, textContent, role } = document.activeElement;
      return [className, role === 'grid' ? '' : textContent];
    });
  await page.focus('.xr-canvas');
  for (const key of ['ArrowDown', 'ArrowDown', 's']) await keyboard.press(key);
  await page.waitForSelector('.xr-sandwich');
  assert.deepEqual(await focused(), ['xr-grid', '']);
  await keyboard.press('1');
  await page.waitForSelector('.xr-graph');
  assert.deepEqual(await focused(), ['xr-canvas', '']);
  await keyboard.press('Home');
  const first = await page.locator('.xr-list tbody button').first().textContent();
  await page.locator('.xr-list tbody button').first().focus();
  await keyboard.press('Enter');
  assert.deepEqual(await focused(), ['xr-details-name', first]);
  await page.focus('.xr-canvas');
  await keyboard.press('Enter');
  await page.getByRole('navigation').getByRole('button', { name: 'all' }).focus();
  await keyboard.press('Enter');
  assert.deepEqual(await focused(), ['xr-link', 'all']);
  // Keys work wherever the focus is, also nowhere.
  await page.evaluate(() => document.activeElement.blur());
  await keyboard.press('3');
  await page.waitForSelector('.xr-table');
  await close();
});

test('a screen reader is told names in one piece, and what is selected', async () => {
  const name = 'a_module::with_a_long_name::and_a_function_in_it';
  const path = write(folder, 'long', compactFile({ 1: [[1, 0, 1, 3, 4]] }), mapOf([name]));
  const { page, close } = await openViewer(browser, [path]);
  await page.focus('.xr-canvas');
  await page.keyboard.press('ArrowDown');
  const said = await page.textContent('.xr-status');
  assert.equal(said, `${name}: 4 ns total, 4 ns self, 3 calls, 100.0 %`);
  await page.keyboard.press('3');
  await page.waitForSelector('.xr-table');
  await page.getByRole('row', { name: `${name}, app 3 100.0 %` }).waitFor();
  await close();
});

test('the focus is seen wherever it goes, and comes around', async () => {
  const { page, close } = await openViewer(browser, [sample]);
  const seen = [];
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const isBody = element === document.body;
      return { isBody, tag: element.className || element.tagName, outlineStyle, outlineWidth };
    });
    if (at.isBody) break;
    assert.notEqual(at.outlineStyle, 'none', at.tag);
    assert.ok(Number.parseFloat(at.outlineWidth) >= 1, at.tag);
    seen.push(at.tag);
  }
  for (const part of ['xr-tab', 'xr-canvas', 'xr-link xr-name'])
    assert.ok(seen.includes(part), part);
  await close();
});

test('the address has what is shown: a reload and the way back lead there', async () => {
  const { page, close } = await openViewer(browser, [sample]);
  await page.focus('.xr-canvas');
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.selectOption('[data-option=calls]', '1');
  await page.selectOption('[data-option=colour]', 'cost');
  await page.fill('input[type=search]', 'function_1');
  const name = await selectedName(page);
  const count = await page.textContent('.xr-count');
  await page.reload();
  await page.waitForSelector('.xr-graph');
  assert.equal(await selectedName(page), name);
  assert.equal(await page.inputValue('input[type=search]'), 'function_1');
  assert.equal(await page.textContent('.xr-count'), count);
  assert.equal(await page.inputValue('[data-option=colour]'), 'cost');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Functions' }).click();
  await page.waitForSelector('.xr-table');
  await page.goBack();
  await page.waitForSelector('.xr-graph');
  // Nonsense is as nothing.
  await page.goto(
    `${page.url().split('#')[0]}#view=x&profile=99&before=7&zoom=1.a&row=-1&threads={&colour=9`,
  );
  await page.reload();
  await page.waitForSelector('.xr-graph');
  await close();
});

test('dark and light follow the system until the user says otherwise', async () => {
  const becomes = (page, [least, most]) =>
    page.waitForFunction(
      ([least, most]) => {
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.fillStyle = getComputedStyle(document.querySelector('.xr')).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
        const [red] = canvas.getImageData(0, 0, 1, 1).data;
        return red >= least && red <= most;
      },
      [least, most],
    );
  const [DARK, LIGHT] = [
    [0, 60],
    [200, 255],
  ];
  const { page, close } = await openViewer(browser, [sample], { context: { colorScheme: 'dark' } });
  await becomes(page, DARK);
  await page.emulateMedia({ colorScheme: 'light' });
  await becomes(page, LIGHT);
  await page.getByRole('button', { name: /^Colours/ }).click();
  await page.getByRole('button', { name: 'Colours: light' }).click();
  await becomes(page, DARK);
  assert.match(page.url(), /theme=dark/);
  await page.reload();
  await page.waitForSelector('.xr-graph');
  await becomes(page, DARK);
  await close();
});

test('axe finds nothing serious in any view, light or dark', async () => {
  const other = write(folder, 'other', compactFile({ 1: [[1, 0, 1, 3, 4]] }), mapOf(['main']));
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openViewer(browser, [sample, other], {
      context: { colorScheme, bypassCSP: true },
    });
    await page.evaluate(AXE);
    for (const view of [...VIEWS, 'compare', 'keys', 'menu']) {
      if (view === 'compare') await page.selectOption('[data-option=before]', '1');
      else if (view === 'keys') await page.keyboard.press('?');
      else if (view === 'menu') {
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Save' }).click();
      } else await page.getByRole('tab').nth(VIEWS.indexOf(view)).click();
      await page.waitForFunction(() => !document.querySelector('.xr-busy'));
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run();
        return violations.map(
          ({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`,
        );
      });
      assert.deepEqual(
        found.filter((text) => /^(serious|critical)/.test(text)),
        [],
        `${view}, ${colorScheme}`,
      );
    }
    await close();
  }
});

test('axe finds nothing serious where profiles are asked for, nor in what is wrong with one', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const server = await serveView();
    const page = await browser.newPage({ colorScheme, bypassCSP: true });
    await page.goto(server.address);
    await page.waitForSelector('.xr-drop');
    await page.evaluate(AXE);
    for (const file of [undefined, { name: 'x.xray', mimeType: '', buffer: Buffer.from('x') }]) {
      if (file) {
        await page.setInputFiles('input[type=file]', file);
        await page.waitForSelector('[role=alert]');
      }
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run();
        return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0].html}`);
      });
      assert.deepEqual(
        found.filter((text) => /^(serious|critical)/.test(text)),
        [],
      );
    }
    await page.close();
    assert.equal(await server.close(), 0);
  }
});

test('it fits from 380 px to 4K, and nothing moves by itself', async () => {
  const { page, close } = await openViewer(browser, [sample], {
    context: { viewport: { width: 380, height: 740 } },
  });
  await page.evaluate(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, sources } of list.getEntries()) {
        if (hadRecentInput) continue;
        for (const { node, previousRect, currentRect } of sources) {
          const rectangles = JSON.stringify([previousRect, currentRect]);
          globalThis.shifts.push(`${node?.className ?? node?.textContent} ${rectangles}`);
        }
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
  for (const width of [380, 700, 1280, 3840]) {
    await page.setViewportSize({ width, height: width === 3840 ? 2160 : 800 });
    for (const view of VIEWS) {
      await page.getByRole('tab').nth(VIEWS.indexOf(view)).click();
      await page.waitForFunction(() => !document.querySelector('.xr-busy'));
      const { wide, cut } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth > innerWidth,
        // What is pressed must not stick out.
        cut: [...document.querySelectorAll('.xr-head button, .xr-tab, .xr-choice select')].some(
          (element) => {
            const { left, right } = element.getBoundingClientRect();
            return left < 0 || right > innerWidth;
          },
        ),
      }));
      assert.deepEqual({ wide, cut }, { wide: false, cut: false }, `${view} at ${width}`);
    }
  }
  await close();
});

test('bars are as wide as their share, at any ratio of pixels, and none is too thin to be seen', async () => {
  // main calls wide and narrow; one call in 100,000 is of another function.
  const file = compactFile({
    1: [
      [1, 0, 1, 1, 10_000],
      [2, 1, 2, 1, 59_999],
      [3, 1, 3, 1, 30_000],
      [4, 1, 4, 1, 1],
    ],
  });
  const path = write(folder, 'bars', file, mapOf(['main', 'wide', 'narrow', 'rare']));
  for (const deviceScaleFactor of [1, 1.25, 2, 3]) {
    const { page, close } = await openViewer(browser, [path], { context: { deviceScaleFactor } });
    const { runs, width, height } = await page.evaluate(() => {
      const canvas = document.querySelector('.xr-canvas');
      const { width, height } = canvas;
      // Near the lower edge of the third level, below its names.
      const level =
        Number.parseFloat(getComputedStyle(canvas).getPropertyValue('--xr-level')) || 20;
      const y = Math.round((2 * level + 0.85 * level) * devicePixelRatio);
      const { data } = canvas.getContext('2d').getImageData(0, y, width, 1);
      const pixels = Array.from(new Uint32Array(data.buffer));
      const runs = [];
      for (const [x, pixel] of pixels.entries()) {
        if (pixel === pixels[x - 1]) runs.at(-1).end = x + 1;
        else runs.push({ start: x, end: x + 1, isWhite: pixel === 0xffffffff });
      }
      return { runs, width, height };
    });
    const bars = runs.filter(({ isWhite }) => !isWhite);
    assert.equal(bars.length, 3, JSON.stringify(runs));
    const gap = Math.round(deviceScaleFactor);
    for (const [at, edge] of [0.59999, 0.89999].entries()) {
      assert.ok(Math.abs(bars[at].end + gap - edge * width) <= 1, JSON.stringify(runs));
    }
    assert.deepEqual([bars[2].start, bars[2].end - bars[2].start], [bars[1].end + gap, 1]);
    assert.ok(height > 0);
    await close();
  }
});

test('the mouse points, selects, zooms and moves', async () => {
  const { page, close } = await openViewer(browser, [sample]);
  const { x, y } = await page.locator('.xr-canvas').boundingBox();
  await page.mouse.move(x + 20, y + 30);
  await page.waitForSelector('.xr-tip:not([hidden])');
  const pointed = await page.textContent('.xr-tip-name');
  await page.mouse.click(x + 20, y + 30);
  assert.equal(await selectedName(page), pointed);
  const picture = () => page.evaluate(() => document.querySelector('.xr-canvas').toDataURL());
  const before = await picture();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  await page.waitForTimeout(300);
  const zoomed = await picture();
  assert.notEqual(zoomed, before);
  await page.mouse.move(x + 300, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 200, y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert.notEqual(await picture(), zoomed);
  await page.mouse.dblclick(x + 20, y + 30);
  await page.waitForFunction(() => location.hash.includes('zoom'));
  await close();
});

test('names readable or raw, places in the source, and what is copied', async () => {
  const raw = '_ZN6parser5Lexer4next17h0123456789abcdefE';
  const sources = { files: ['src/lexer.rs'], functions: [[1, 0, 42]] };
  const file = compactFile({
    1: [
      [1, 0, 1, 1, 10],
      [2, 1, 2, 3, 30],
    ],
  });
  const path = write(folder, 'names', file, mapOf(['main', raw], { module: { sources } }));
  const { page, close } = await openViewer(browser, [path]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async (what) => {
    await page.getByText(`Copied ${what}.`).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await page.focus('.xr-canvas');
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  assert.equal(await selectedName(page), 'parser::Lexer::next');
  assert.match(await page.textContent('.xr-details'), /src\/lexer\.rs:42/);
  await page.keyboard.press('c');
  assert.equal(await copied('the name'), 'parser::Lexer::next');
  await page.getByRole('button', { name: 'Copy path' }).click();
  assert.equal(await copied('the path'), 'main;parser::Lexer::next');
  await page.selectOption('[data-option=raw]', '1');
  await page.waitForFunction(() => location.hash.includes('raw=1'));
  assert.equal(await selectedName(page), raw);
  // Both are found, whichever is shown.
  await page.fill('input[type=search]', 'Lexer::next');
  await page.getByText('1 function · 1 frame · 75.0 %').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('menuitem', { name: 'Copy the address' }).click();
  assert.equal(await copied('the address'), page.url());
  await page.getByRole('tab', { name: 'Sandwich' }).click();
  assert.match(await page.textContent('.xr-sandwich-title'), /src\/lexer\.rs:42/);
  await close();
});

test('colours say the module, the kind, and the cost of a call', async () => {
  const frame = (functionName, url = '') => ({
    callFrame: { functionName, url, scriptId: '1', lineNumber: 0, columnNumber: 0 },
  });
  const profile = {
    nodes: [
      { id: 1, ...frame('(root)'), children: [2] },
      { id: 2, ...frame('onClick', 'app.js'), children: [3] },
      { id: 3, ...frame('decode', 'wasm://wasm/decoder-1234') },
    ],
    startTime: 0,
    endTime: 30,
    samples: [2, 3, 3],
    timeDeltas: [10, 10, 10],
  };
  const foreign = join(folder, 'page.cpuprofile');
  writeFileSync(foreign, JSON.stringify(profile));
  const file = compactFile({
    1: [
      [1, 0, 2, 1, 1000],
      [2, 1, 1, 10, 100],
    ],
  });
  const own = write(folder, 'kinds', file, mapOf(['env.now', 'main'], { imports: 1 }));
  const legend = async (opened, colour) => {
    await opened.selectOption('[data-option=colour]', colour);
    await opened.waitForFunction(
      (colour) => colour === 'module' || location.hash.includes(`colour=${colour}`),
      colour,
    );
    return opened.locator('.xr-legend li').allTextContents();
  };
  const one = await openViewer(browser, [own]);
  assert.deepEqual(await legend(one.page, 'kind'), ['WebAssembly', 'Import']);
  assert.deepEqual(await legend(one.page, 'cost'), ['10 ns', '100 ns', '1.000 µs']);
  assert.deepEqual(await legend(one.page, 'module'), ['app']);
  await one.close();
  const other = await openViewer(browser, [foreign]);
  assert.deepEqual(await legend(other.page, 'kind'), ['WebAssembly', 'JavaScript']);
  await other.close();
});

test('threads of several processes are chosen by process', async () => {
  const names = [
    'main',
    'worker 1',
    'process 2 (esbuild (x)) main',
    'process 2 (esbuild (x)) worker 1 (a) b',
    'process 3 main',
  ];
  const paths = names.map((_, at) => [at + 1, [[1, 0, 1, 1, 10 ** at]]]);
  const threads = names.map((name, at) => ({ id: at + 1, name }));
  const file = compactFile(Object.fromEntries(paths));
  const path = write(folder, 'processes', file, mapOf(['work'], { threads }));
  const { page, close } = await openViewer(browser, [path]);
  const select = page.locator('[data-option=threads]');
  const groups = await select
    .locator('optgroup')
    .evaluateAll((all) =>
      all.map(({ label, children }) => [label, ...[...children].map((one) => one.textContent)]),
    );
  assert.deepEqual(groups, [
    ['first process', 'all of first process', 'main', 'worker 1'],
    ['process 2 (esbuild (x))', 'all of process 2 (esbuild (x))', 'main', 'worker 1 (a) b'],
    ['process 3', 'main'],
  ]);
  const choices = [
    ['all of first process', 11],
    ['all of process 2 (esbuild (x))', 1100],
    ['worker 1 (a) b', 1000],
  ];
  for (const [label, total] of choices) {
    await select.selectOption({ label });
    await page.waitForFunction(
      (text) => document.querySelector('[data-option=threads]').selectedOptions[0].text === text,
      label,
    );
    assert.equal(number((await selectedFigures(page)).Total[0]), total);
  }
  await select.selectOption({ label: 'all of process 2 (esbuild (x))' });
  await page.reload();
  await page.waitForSelector('.xr-graph');
  assert.equal(await select.evaluate((it) => it.selectedOptions[0].text), choices[1][0]);
  assert.equal(number((await selectedFigures(page)).Total[0]), 1100);
  await close();
});

test('threads and phases, recursion, and functions taken together', async () => {
  const file = compactFile({
    // main calls walk, which calls itself twice
    1: [
      [1, 0, 1, 1, 100],
      [2, 1, 2, 5, 20],
      [3, 2, 2, 4, 30],
      [4, 3, 2, 3, 50],
    ],
    2: [[1, 0, 1, 7, 1000]],
    3: [[1, 0, 3, 9, 10]],
  });
  const threads = [
    { id: 1, name: 'main', phase: 'start' },
    { id: 2, name: 'main', phase: 'run' },
    { id: 3, name: 'worker 1' },
  ];
  const path = write(
    folder,
    'threads',
    file,
    mapOf(['a::main', 'a::walk', 'b::work'], { threads }),
  );
  const { page, close } = await openViewer(browser, [path]);
  const total = async () => number((await selectedFigures(page)).Total[0]);
  const names = () => page.locator('.xr-list tbody tr td:first-child').allTextContents();
  assert.equal(await total(), 1210);
  await page.selectOption('[data-option=threads]', 'apart');
  await page.waitForFunction(() => document.querySelectorAll('.xr-list tbody tr').length === 3);
  assert.deepEqual(await names(), ['main: run', 'main: start', 'worker 1']);
  await page.selectOption('[data-option=threads]', '=worker 1');
  await page.waitForFunction(() => location.hash.includes('threads='));
  assert.equal(await total(), 10);
  // What is left out is said.
  assert.equal(await page.locator('.xr-notes').isVisible(), true);
  await page.selectOption('[data-option=threads]', '');
  await page.selectOption('[data-option=phases]', 'start');
  await page.waitForFunction(() => location.hash.includes('phases='));
  assert.equal(await total(), 200);

  await page.focus('.xr-canvas');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  assert.deepEqual((await selectedFigures(page)).Calls, ['4']);
  await page.selectOption('[data-option=fold]', '1');
  await page.waitForFunction(() => location.hash.includes('fold=1'));
  await page.focus('.xr-canvas');
  for (const key of ['Home', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  const folded = await selectedFigures(page);
  assert.deepEqual([folded.Calls[0], number(folded.Self[0])], ['12', 100]);

  await page.selectOption('[data-option=phases]', '');
  await page.selectOption('[data-option=group]', 'crate');
  await page.waitForFunction(() => location.hash.includes('group=crate'));
  await page.getByRole('tab', { name: 'Functions' }).click();
  const rows = await tableRows(page, 'Functions');
  assert.deepEqual(
    rows.map(([name]) => name.text),
    ['a', 'b'],
  );
  await close();
});
