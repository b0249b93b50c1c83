// Opens the viewer as a user does, and reads what is on the screen.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLI, killServers, serveView } from './serve-view.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the command line and returns its output. */
export function wasmXray(...args) {
  const result = spawnSync(process.execPath, [CLI, ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 29,
  });
  assert.equal(result.status, 0, result.stderr);
  return result.stdout;
}

export const json = (...args) => JSON.parse(wasmXray(...args));

after(killServers);

/**
 * Opens profiles in a page of its own.
 * @param {{hash?: string, args?: string[], context?: object}} options
 */
export async function openViewer(browser, profiles, { hash = '', args = [], context } = {}) {
  const server = await serveView(...args, ...profiles);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context });
  const faults = watch(page);
  await page.goto(server.address + (hash && `#${hash}`));
  await page.waitForSelector('.xr-main > *', { timeout: 120_000 });
  return {
    page,
    server,
    /** Nothing went wrong in the page: no error, nothing its policy had to stop. */
    async close() {
      assert.deepEqual(faults, []);
      await page.close();
      assert.equal(await server.close(), 0);
    },
  };
}

/** Collects what a page complains about. */
export function watch(page) {
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  return faults;
}

/** All rows of a virtual table: texts of the cells, and what pointing at them shows. */
export async function tableRows(page, label) {
  return page.evaluate(async (label) => {
    const grid = document.querySelector(`[role=grid][aria-label="${label}"]`);
    const rows = new Map();
    for (let top = 0; ; top += 300) {
      grid.scrollTop = top;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      for (const row of grid.querySelectorAll('.xr-tbody [role=row]')) {
        const cells = [...row.children].map((cell) => ({
          text: (cell.firstChild?.textContent ?? '').trim(),
          hint: cell.title,
        }));
        rows.set(Number(row.getAttribute('aria-rowindex')), cells);
      }
      if (top > grid.scrollHeight) break;
    }
    grid.scrollTop = 0;
    return [...rows].sort(([one], [other]) => one - other).map(([, cells]) => cells);
  }, label);
}

/** The figures of the selected frame: the exact value by title. */
export function selectedFigures(page) {
  return page.evaluate(() => {
    const rows = document.querySelectorAll('.xr-details .xr-figures tbody tr');
    return Object.fromEntries(
      [...rows].map((row) => [
        row.querySelector('th').textContent,
        [...row.querySelectorAll('td')].map((cell) => cell.title || cell.textContent),
      ]),
    );
  });
}

export const selectedName = (page) => page.textContent('.xr-details-name');

/** `1,234,567 ns` → 1234567 */
export function number(text) {
  return Number(text.replace(/[,\u2212+]| .*/g, (part) => (part === '\u2212' ? '-' : '')));
}
