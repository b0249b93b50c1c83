// The shipped runtime as a JavaScript program has it: wasm-bindgen's glue and a
// memory of fixed size. tests/support/session.rs has the cases, in Node and Chromium.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as runtime from '../../npm/wasm/runtime/runtime.js';

const bytes = readFileSync(new URL('../../npm/wasm/runtime/runtime_bg.wasm', import.meta.url));
const arena = 1 << 20;
const pages = (0x40000 + arena) >> 16;
const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
const x = runtime.initSync({ module: bytes, memory });
assert.equal(x.xr_init(arena), 0);
const main = x.xr_begin_module(2, 1, 0);
assert.equal(x.xr_add_function(1, 0) & x.xr_add_function(0, 0), 1);
const { buffer } = memory;

/** A recursion of main, at the bottom of which the callee is called `times` times. */
function run(depth, times) {
  let node = x.xr_enter(main);
  for (let i = 1; i < depth; i++) node = x.xr_child(node, main);
  for (let i = 0; i < times; i++) x.xr_call(node, 24, main + 1);
}

const callsOf = (piece, at) => new DataView(piece.buffer, piece.byteOffset).getBigUint64(at, true);

test('blocks are views of one buffer, in an iterator', () => {
  assert.equal(runtime.reset(), 0);
  run(5000, 7);
  assert.equal(runtime.serialize(0, 1, 0, 0), 0);
  const lengths = [];
  for (const piece of runtime.blocks()) {
    assert(piece instanceof Uint8Array);
    assert.equal(piece.buffer, buffer, 'a view of the memory, which did not grow');
    assert.equal(piece.byteOffset, x.xr_buffer());
    lengths.push(piece.length);
  }
  // 5,001 paths of 32 bytes; 2,047 in 64 KiB.
  assert.deepEqual(lengths, [32, 16 + 2047 * 32, 16 + 2047 * 32, 16 + 907 * 32]);
  assert.equal(runtime.nextBuffer(), undefined);
  assert.equal(memory.buffer, buffer);
  assert.equal(x.xr_allocations(), 0);
});

test('recursion is folded on request', () => {
  assert.equal(runtime.reset(), 0);
  run(5000, 7);
  assert.equal(runtime.serialize(2, 1, 0, 0), 0);
  const [header, block, ...rest] = [...runtime.blocks()].map((piece) => piece.length);
  assert.deepEqual([header, block, rest], [32, 16 + 2 * 32, []]);
  assert.equal(runtime.serialize(3, 1, 0, 0), 0);
  runtime.nextBuffer();
  const piece = runtime.nextBuffer();
  assert.equal(piece.length, 16 + 24 + 28);
  assert.equal(callsOf(piece, piece.length - 16), 7n);
  assert.deepEqual([x.xr_unfolded(), x.xr_oversized(), x.xr_allocations()], [0, 0, 0]);
});

test('a reset ends a file, and the iterator over it is its own iterable', () => {
  assert.equal(runtime.reset(), 0);
  run(5000, 0);
  assert.equal(runtime.serialize(0, 1, 0, 0), 0);
  const blocks = runtime.blocks();
  assert.equal(blocks[Symbol.iterator](), blocks);
  blocks.next();
  assert.equal(blocks.next().value.length, 16 + 2047 * 32);
  assert.equal(runtime.reset(), 0);
  assert.deepEqual(blocks.next(), { done: true, value: undefined });
  assert.equal(x.xr_allocations(), 0);
});

test("a session with XRay's states", () => {
  assert.equal(runtime.initLog(3, 0, false), 2);
  assert.equal(runtime.initLog(3, 0, false), 2);
  run(1, 5);
  assert.equal(
    runtime.flushLog(() => assert.fail('not finalized')),
    0,
  );
  assert.equal(runtime.finalizeLog(0, 0), 4);
  assert.throws(
    () =>
      runtime.flushLog(() => {
        throw new Error('disk full');
      }),
    /disk full/,
  );
  assert.deepEqual([runtime.logStatus(), runtime.flushStatus()], [4, 0]);
  const pieces = [];
  assert.equal(
    runtime.flushLog((piece) => pieces.push(piece.slice())),
    2,
  );
  assert.equal(pieces.length, 1, 'the block behind the header');
  assert.equal(callsOf(pieces[0], 8), 3n, 'the thread');
  assert.equal(callsOf(pieces[0], 16 + 32 + 16), 5n);
  assert.deepEqual([runtime.logStatus(), runtime.flushStatus()], [0, 2]);
  assert.equal(x.xr_allocations(), 0);
});
