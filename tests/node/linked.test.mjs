// Modules that are linked with each other.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createProfiler } from '../../npm/dist/index.js';

const program = (name) =>
  readFileSync(new URL(`../../target/programs/${name}.wasm`, import.meta.url));

const multiMemory = WebAssembly.validate(program('two_memories'));
const kinds = [
  ...(multiMemory ? [{ clock: 'calls', probes: 'inline' }] : []),
  { clock: 'calls', probes: 'imported' },
  { clock: 'wall', probes: 'imported' },
];

for (const kind of kinds) {
  test(`100,000 tail calls between modules do not grow the stack (${kind.probes} probes, clock ${kind.clock})`, () => {
    const profiler = createProfiler(kind);
    const ping = profiler.instantiateSync(program('ping')).instance.exports;
    const pong = profiler.instantiateSync(program('pong'), { ping }).instance.exports;
    assert.equal(pong.run(100_000), 42);
    const { functions } = profiler.profile().report();
    const calls = Object.fromEntries(functions.map((f) => [`${f.module} ${f.name}`, f.calls]));
    // The import is a node of its own, with ping under it.
    assert.deepEqual(calls, { 'pong run': 1, 'pong ping': 100_001, 'ping ping': 100_001 });
  });
}
