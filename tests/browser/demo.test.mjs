// `npm run demo:web`: the page profiles SQLite through the library, and its figures grow.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { launch } from './chromium.mjs';

let browser;
let server;
before(async () => {
  browser = await launch();
  const configFile = fileURLToPath(new URL('../../examples/web/vite.config.ts', import.meta.url));
  server = await createServer({ configFile, server: { port: 0 }, logLevel: 'error' });
  await server.listen();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

test('the demo page shows a flame graph that grows', async () => {
  const { address, port } = server.httpServer.address();
  assert.equal(address, '127.0.0.1');
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`http://127.0.0.1:${port}/`);
  const calls = async () =>
    Number((await page.locator('#calls').textContent()).replaceAll(',', ''));
  await page.locator('#viewer canvas').waitFor({ timeout: 120_000 });
  const first = await calls();
  assert.ok(first > 10_000, `${first} calls`);
  await page.waitForFunction(
    (before) => Number(document.getElementById('calls').textContent.replaceAll(',', '')) > before,
    first,
    { timeout: 120_000 },
  );
  assert.ok(Number((await page.locator('#paths').textContent()).replaceAll(',', '')) > 1000);
  await page.locator('#pause').click();
  // What the viewer shows is what the page counted.
  const shown = async () => (await page.locator('#viewer').textContent()).replace(/\s+/g, ' ');
  await page
    .waitForFunction(
      () =>
        document
          .getElementById('viewer')
          .textContent.includes(document.getElementById('calls').textContent),
      undefined,
      { timeout: 20_000 },
    )
    .catch(async () => assert.fail(`${await calls()} calls, but: ${await shown()}`));
  assert.equal(await page.locator('#failure').isHidden(), true);
  assert.deepEqual(errors, []);
  if (process.env.WASM_XRAY_SHOTS) {
    await page.screenshot({ path: `${process.env.WASM_XRAY_SHOTS}/demo.png` });
  }
});
