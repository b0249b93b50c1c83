// What an engine supports is what its version is known to; what is inside is what is on disk.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runCli } from './support.mjs';

const root = new URL('../../', import.meta.url);
const major = Number(process.versions.node.split('.')[0]);
const json = runCli(['doctor', '--json']);
const diagnosis = JSON.parse(json.stdout);

test('doctor --json prints one object, and nothing else', () => {
  assert.deepEqual([json.status, json.stderr], [0, '']);
  assert.equal(
    diagnosis.version,
    JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version,
  );
  assert.equal(diagnosis.node, process.version);
});

test('what the engine supports', () => {
  assert.deepEqual(diagnosis.features, {
    'multi-memory': major >= 22,
    exceptions: major >= 22,
    'legacy exceptions': true,
    'tail calls': true,
    'garbage collection': major >= 22,
    'shared memory': true,
    memory64: major >= 22,
    'stack switching (JSPI)': 'Suspending' in WebAssembly,
  });
  assert.equal(diagnosis.defaultProbes, major >= 22 ? 'inline' : 'imported');
});

test('what profiling costs was measured', () => {
  const { clock, probeCosts } = diagnosis;
  assert.ok(clock.stepNs > 0 && clock.readNs > 0, JSON.stringify(clock));
  const kinds = probeCosts.map(({ clock, probes }) => `${clock} ${probes}`);
  const inline = major >= 22 ? ['calls inline'] : [];
  const kind = inline.length > 0 ? 'inline' : 'imported';
  const others = [`instructions ${kind}`, `sampled ${kind}`, 'wall imported'];
  assert.deepEqual(kinds, [...inline, 'calls imported', ...others]);
  assert.deepEqual(diagnosis.clocks, ['calls', 'instructions', 'sampled', 'wall']);
  for (const { nsPerCall } of probeCosts) assert.ok(nsPerCall >= 0 && nsPerCall < 1e5);
  assert.ok(probeCosts.at(-1).nsPerCall > 0, 'the clock is read at each call');
});

test('what is inside', () => {
  assert.equal(diagnosis.wasm.length, 2);
  for (const { file, bytes, sha256 } of diagnosis.wasm) {
    const content = readFileSync(new URL(file, root));
    assert.equal(bytes, content.length);
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
  }
});

test('doctor for people says the same', () => {
  const { stdout, status } = runCli(['doctor'], { COLUMNS: '80' });
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}tail calls +yes$/m);
  assert.match(stdout, /^ {2}clock calls, imported probes {2,}[\d.]+ ns a call$/m);
  assert.match(stdout, /^ {2}clock instructions, \w+ probes {2,}[\d.]+ ns a call$/m);
  for (const { sha256 } of diagnosis.wasm) assert.ok(stdout.includes(sha256));
  assert.ok(stdout.split('\n').every((line) => line.length <= 80));
});
