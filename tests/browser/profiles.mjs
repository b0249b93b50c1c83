// Profiles made by hand, as files.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAGIC = 0x7872617970726f66n;
const VERSION_COMPACT = 0x20261130n;
const FILE_HEADER = 32;
const BLOCK_HEADER = 16;
const RECORD = 32;

/** A directory that is gone when the process ends. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-viewer-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A compact file with one block for each thread.
 * @param {Record<number, [node: number, parent: number, id: number, calls: bigint | number, self: bigint | number, flags?: number][]>} threads
 */
export function compactFile(threads) {
  const blocks = Object.entries(threads);
  const size = blocks.reduce((sum, [, records]) => sum + BLOCK_HEADER + records.length * RECORD, 0);
  const file = new DataView(new ArrayBuffer(FILE_HEADER + size));
  let at = 0;
  const u32 = (value) => {
    file.setUint32(at, value, true);
    at += 4;
  };
  const u64 = (value) => {
    file.setBigUint64(at, BigInt(value), true);
    at += 8;
  };
  for (const field of [MAGIC, VERSION_COMPACT, 0, 1]) u64(field);
  for (const [thread, records] of blocks) {
    u32(BLOCK_HEADER + records.length * RECORD);
    u32(0);
    u64(Number(thread));
    for (const [node, parent, id, calls, self, flags = 0] of records) {
      for (const field of [node, parent, id, flags]) u32(field);
      u64(calls);
      u64(self);
    }
  }
  return new Uint8Array(file.buffer);
}

/** The map of one module whose first `imports` functions are imported. */
export function mapOf(names, { clock = 'wall', imports = 0, threads = [], ...more } = {}) {
  const map = { name: 'app', hash: '0123456789abcdef', imports, names };
  const loaded = { base: 1, map: { ...map, ...more.module } };
  return JSON.stringify({ version: 1, clock, threads, modules: [loaded], ...more.profile });
}

/** Writes both files; returns the path of the profile. */
export function write(folder, name, file, map) {
  const path = join(folder, `${name}.xray`);
  writeFileSync(path, file);
  writeFileSync(join(folder, `${name}.map.json`), map);
  return path;
}

/** A program's paths in the order in which they are first taken: deep, and with some functions often. */
export function largeProfile(paths, functions = 2000) {
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const parents = [0];
  const callees = [0];
  const records = [];
  for (let node = 1; node <= paths; node++) {
    let parent = random(16) === 0 ? random(node) : node - 1;
    for (let up = random(4); up > 0; up--) parent = parents[parent];
    // Each callee of a path is another function.
    if (callees[parent] === functions || parent === 0) parent = node - 1;
    const id = 1 + (((Math.imul(parent, 31) >>> 0) + callees[parent]) % functions);
    callees[parent]++;
    parents.push(parent);
    callees.push(0);
    records.push([node, parent, id, random(1000), random(1_000_000)]);
  }
  const names = Array.from({ length: functions }, (_, index) => `function_${index}`);
  return { records, file: compactFile({ 1: records }), map: mapOf(names, { imports: 10 }) };
}
