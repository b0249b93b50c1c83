// Makes the pictures in docs/images: node www/viewer/screenshots.mjs PROFILE --before OTHER [DIRECTORY]
// OTHER is what PROFILE is compared with. With `--all`, every view at every size, light and
// dark, to look at.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from '../../tests/browser/chromium.mjs';
import { serveView } from '../../tests/browser/serve-view.mjs';

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean' }, before: { type: 'string' } },
  allowPositionals: true,
});
const [profile, directory = 'docs/images'] = positionals;

const SIZES = { phone: [380, 740], laptop: [1280, 720], '4k': [3840, 2160] };
const VIEWS = {
  flame: '',
  inverted: 'view=callers&colour=cost',
  functions: 'view=table',
  sandwich: 'view=sandwich',
  search: 'query=parse',
  comparison: 'profile=1&before=0',
  'functions-compared': 'view=table&profile=1&before=0',
  'sandwich-compared': 'view=sandwich&profile=1&before=0',
};
const IN_DOCS = [
  ['flame', 'laptop', 'light'],
  ['inverted', 'laptop', 'dark'],
  ['sandwich', 'laptop', 'light'],
  ['functions', 'phone', 'dark'],
  ['comparison', 'laptop', 'light'],
];
const every = Object.keys(VIEWS).flatMap((view) =>
  Object.keys(SIZES).flatMap((size) => ['light', 'dark'].map((theme) => [view, size, theme])),
);

mkdirSync(directory, { recursive: true });
const browser = await launch();
for (const [view, size, colorScheme] of values.all ? every : IN_DOCS) {
  const [width, height] = SIZES[size];
  const isComparison = VIEWS[view].includes('before=');
  const server = await serveView(...(isComparison ? [values.before, profile] : [profile]));
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(`${server.address}#${VIEWS[view]}`);
  await page.waitForSelector('.xr-main > *');
  await page.waitForTimeout(500);
  // Something is selected, as it mostly is.
  if (view === 'flame' || view === 'comparison') {
    await page.focus('.xr-canvas');
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(400);
  }
  await page.screenshot({ path: join(directory, `viewer-${view}-${size}-${colorScheme}.png`) });
  await page.close();
  await server.close();
}
await browser.close();
