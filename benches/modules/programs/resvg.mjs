// renders an SVG with gradients and a filter
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { digest } from './digest.mjs';

const path = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');
await initWasm(readFileSync(path));
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
  <defs><radialGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></radialGradient>
  <filter id="f"><feGaussianBlur stdDeviation="3"/></filter></defs>
  <circle cx="100" cy="100" r="80" fill="url(#g)" filter="url(#f)"/></svg>`;
console.log('RESULT', digest(new Resvg(svg).render().asPng()));
