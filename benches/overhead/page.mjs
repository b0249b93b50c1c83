// What chromium.mjs runs in its page.

import { load as loadPackage } from '../../npm/dist/browser/index.js';
import { variants } from '../variants.mjs';
import { load } from '../workloads/index.mjs';
import { measure } from './measure.mjs';

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function measureInPage(name, rounds, scale, full) {
  await loadPackage();
  return measure({
    workload: await load(name, read, scale),
    variants: variants({ inline: true, full }),
    rounds,
    timeOf(run) {
      const start = performance.now();
      run();
      return performance.now() - start;
    },
  });
}
