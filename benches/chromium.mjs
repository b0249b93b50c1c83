// Workloads in a page of headless Chromium; prints one JSON object a line, as measure.mjs does
// in Node. A page cannot read the processor's time, so these are times on the wall, which
// other programs on the machine lengthen: take more rounds.
//
// usage: node chromium.mjs WORKLOAD ROUNDS; the variables of measure.mjs apply

import { existsSync } from 'node:fs';
import { launch } from '../tests/browser/chromium.mjs';
import { ISOLATED, serve } from '../tests/browser/server.mjs';

const [name, rounds] = process.argv.slice(2);
const { WASM_XRAY_BENCH_SCALE: scale = '1', WASM_XRAY_BENCH_FULL: full = '1' } = process.env;
if (!existsSync('/usr/bin/chromium')) {
  console.error('There is no /usr/bin/chromium; scripts/setup installs it.');
  process.exit(1);
}
// A page that may share memory has the finer clock.
const server = await serve({ '/bench': { body: '<!doctype html>' } }, ISOLATED);
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/bench`);
  page.setDefaultTimeout(0);
  const rows = await page.evaluate(
    async ({ name, rounds, scale, full }) => {
      const { measureInPage } = await import('/benches/overhead/page.mjs');
      return measureInPage(name, rounds, scale, full);
    },
    { name, rounds: Number(rounds), scale: Number(scale), full: full === '1' },
  );
  const engine = `chromium ${browser.version().split('.')[0]}`;
  for (const row of rows) {
    console.log(JSON.stringify({ workload: name, engine, time: 'wall', ...row }));
  }
} finally {
  await browser.close();
  await server.close();
}
