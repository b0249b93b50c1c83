// `npm run bench:viewer`: frames of the viewer in Chromium while it zooms and moves, and how
// soon it is there. The graph has 200,000 and 1,000,000 paths; frames are timed by the browser
// from one requestAnimationFrame to the next, and drawing alone by its own script.
//
//   --json F    also writes the rows to F
//   --gpu       lets Chromium use a graphics processor

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { largeProfile, write } from '../tests/browser/profiles.mjs';
import { serveView } from '../tests/browser/serve-view.mjs';

const { values } = parseArgs({ options: { json: { type: 'string' }, gpu: { type: 'boolean' } } });
const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-bench-'));
const SIZES = [
  { width: 1280, height: 800 },
  { width: 3840, height: 2160 },
];
const ROUNDS = 3;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', ...(values.gpu ? [] : ['--disable-gpu'])],
});
const rows = [];
try {
  for (const paths of [12_000, 200_000, 1_000_000]) {
    const { file, map } = largeProfile(paths);
    const path = write(folder, `paths-${paths}`, file, map);
    for (const viewport of SIZES) rows.push(await measure(path, paths, viewport));
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
print(rows);
if (values.json) writeFileSync(values.json, JSON.stringify({ viewer: rows }, undefined, 2));
process.exit(0);

async function measure(path, paths, viewport) {
  const opened = [];
  let frames;
  for (let round = 0; round < ROUNDS; round++) {
    const server = await serveView(path);
    const page = await browser.newPage({ viewport });
    await page.goto(server.address);
    await page.waitForSelector('.xr-list tbody tr', { timeout: 120_000 });
    // From the navigation's start to the first drawn graph.
    opened.push(await page.evaluate(() => performance.now()));
    if (round === ROUNDS - 1) frames = await zoomAndMove(page);
    await page.close();
    await server.close();
  }
  return {
    paths,
    screen: `${viewport.width} × ${viewport.height}`,
    openMs: median(opened),
    ...frames,
  };
}

/** Turns the wheel and drags at every frame of the screen, as hard as a user can, for some seconds. */
async function zoomAndMove(page) {
  return page.evaluate(async () => {
    const canvas = document.querySelector('.xr-canvas');
    const box = canvas.getBoundingClientRect();
    const gaps = [];
    const drawing = [];
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // Our callback is asked for before the viewer's in each frame, so from it to a message
    // posted then is what the viewer takes to draw.
    const channel = new MessageChannel();
    const afterFrame = () =>
      new Promise((resolve) => {
        channel.port1.onmessage = () => resolve(performance.now());
        channel.port2.postMessage(0);
      });
    let last = await nextFrame();
    for (let step = 0; step < 240; step++) {
      const zoomsIn = step % 80 < 40;
      const options = {
        bubbles: true,
        cancelable: true,
        clientX: box.left + box.width * 0.37,
        clientY: box.top + 80,
      };
      canvas.dispatchEvent(
        step % 4 === 3
          ? new WheelEvent('wheel', { ...options, deltaX: 40, deltaY: zoomsIn ? 12 : -12 })
          : new WheelEvent('wheel', { ...options, ctrlKey: true, deltaY: zoomsIn ? -40 : 40 }),
      );
      const now = await nextFrame();
      const began = performance.now();
      drawing.push((await afterFrame()) - began);
      gaps.push(now - last);
      last = now;
    }
    const sorted = (times) => times.slice(5).sort((one, other) => one - other);
    const at = (times, part) => sorted(times)[Math.floor((times.length - 6) * part)];
    return {
      frames: gaps.length,
      frameMs: at(gaps, 0.5),
      frame95Ms: at(gaps, 0.95),
      drawMs: at(drawing, 0.5),
      draw95Ms: at(drawing, 0.95),
    };
  });
}

function median(values) {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
}

function print(rows) {
  console.log(
    '    paths  screen         shown after  frame (median, 95 %)  of it script and drawing (median, 95 %)',
  );
  for (const row of rows) {
    const ms = (value) => `${value.toFixed(1)} ms`;
    console.log(
      [
        row.paths.toLocaleString('en').padStart(9),
        row.screen.padEnd(13),
        `${Math.round(row.openMs)} ms`.padStart(11),
        `${ms(row.frameMs)}, ${ms(row.frame95Ms)}`.padStart(20),
        `${ms(row.drawMs)}, ${ms(row.draw95Ms)}`.padStart(20),
      ].join('  '),
    );
  }
}
