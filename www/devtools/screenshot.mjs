// Makes docs/images/panel-recording.png, the panel while a page with SQLite is recorded:
// node www/devtools/screenshot.mjs [FILE], with Node 22 or later

import { writeFileSync } from 'node:fs';
import { openPanel, until } from '../../tests/browser/devtools.mjs';
import { serve } from '../../tests/browser/server.mjs';

const [file = 'docs/images/panel-recording.png'] = process.argv.slice(2);

const server = await serve({
  '/page.html': {
    body: `<!doctype html><title>SQLite</title>
    <script src="/node_modules/sql.js/dist/sql-wasm-debug.js"></script><script type="module">
      await (await import('/tests/browser/pages/sql.mjs')).work();
      globalThis.isDone = true;
    </script>`,
  },
});
const { panel, page, devtools, close } = await openPanel(`${server.origin}/page.html`);
try {
  await panel.evaluate(`document.getElementById('clock').value = 'wall'`);
  await until(() => page.evaluate('globalThis.isDone'), 'the page');
  await page.evaluate('void (globalThis.isDone = undefined)');
  await panel.evaluate(`document.getElementById('record').click()`);
  await until(() => page.evaluate('globalThis.isDone'), 'the page');
  const calls = "Number(document.getElementById('calls').textContent.replaceAll(',', ''))";
  await until(() => panel.evaluate(`${calls} > 0`), 'calls in the panel');
  await panel.evaluate(`document.getElementById('phase').value = 'second query'`);
  // Of the window what is of the panel.
  const clip = { x: 846, y: 0, width: 554, height: 330, scale: 1 };
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'png', clip });
  writeFileSync(file, Buffer.from(data, 'base64'));
} finally {
  await close();
  await server.close();
}
