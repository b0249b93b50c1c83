// What the hook adds to the start of a program without wasm: median of both, in turns.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROUNDS = 25;
const register = fileURLToPath(new URL('../npm/dist/register.js', import.meta.url));
const kinds = { plain: [], hooked: ['--import', register] };
const times = { plain: [], hooked: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [kind, args] of Object.entries(kinds)) {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, [...args, '--eval', '0']);
    if (status !== 0) throw new Error(`${kind}: status ${status}`);
    times[kind].push(performance.now() - started);
  }
}
const median = (values) => values.sort((a, b) => a - b)[ROUNDS >> 1];
const [plainMs, hookedMs] = [median(times.plain), median(times.hooked)];
console.log(JSON.stringify({ engine: `Node ${process.version}`, plainMs, hookedMs }));
