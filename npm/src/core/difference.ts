import { joinBlocks } from './join.js';

const FILE_HEADER = 32;
const BLOCK_HEADER = 16;
const RECORD = 32;
/** Where a block has its thread's id, in bytes. */
const THREAD = 8;
/** Where a record has its fields, in bytes. */
const PARENT = 4;
const FLAGS = 12;
const CALLS = 16;
const SELF = 24;
/** Records in a block at most: 64 KiB. */
const BLOCK_RECORDS = (64 * 1024 - BLOCK_HEADER) / RECORD;

/** A record of the compact layout, as it is in a file, and what was added to it. */
interface Record {
  readonly at: number;
  readonly node: number;
  readonly parent: number;
  /** The same for the same path: parent, function, and whether paths were dropped. */
  readonly path: bigint;
  readonly calls: bigint;
  readonly self: bigint;
}

/**
 * What one thread recorded between two points: a later file less an earlier one of
 * the same runtime, whose nodes keep their numbers. (A leaf has another one once it has
 * a node, but it is nobody's parent.) Nodes to which nothing was added are left out
 * unless a path leads over them.
 * @param before undefined: from the beginning
 */
export function difference(
  after: Uint8Array,
  before: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> {
  const earlier = new Map<bigint, Record>();
  if (before) for (const record of recordsOf(before)) earlier.set(record.path, record);
  const records: Record[] = [];
  for (const record of recordsOf(after)) {
    const was = earlier.get(record.path);
    const calls = record.calls - (was?.calls ?? 0n);
    const self = record.self - (was?.self ?? 0n);
    records.push({ ...record, calls, self });
  }
  // A parent comes before its children, so backwards every child is seen first.
  const needed = new Set<number>();
  for (const { node, parent, calls, self } of records.toReversed()) {
    if (calls === 0n && self === 0n && !needed.has(node)) continue;
    needed.add(node).add(parent);
  }
  const kept = records.filter(({ node }) => needed.has(node));
  return joinBlocks(write(after, kept));
}

function* write(file: Uint8Array, records: readonly Record[]): Generator<Uint8Array> {
  yield file.subarray(0, FILE_HEADER);
  for (let first = 0, number = 0; first < records.length; first += BLOCK_RECORDS, number++) {
    const some = records.slice(first, first + BLOCK_RECORDS);
    const block = new Uint8Array(BLOCK_HEADER + some.length * RECORD);
    const view = new DataView(block.buffer);
    view.setUint32(0, block.length, true);
    view.setUint32(4, number, true);
    view.setBigUint64(THREAD, 1n, true);
    for (const [index, { at, calls, self }] of some.entries()) {
      const to = BLOCK_HEADER + index * RECORD;
      block.set(file.subarray(at, at + RECORD), to);
      view.setBigUint64(to + CALLS, calls, true);
      view.setBigUint64(to + SELF, self, true);
    }
    yield block;
  }
}

/** The records of a file that a runtime wrote, in their order. */
function* recordsOf(file: Uint8Array): Generator<Record> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let block = FILE_HEADER; block < file.length; block += view.getUint32(block, true)) {
    const end = block + view.getUint32(block, true);
    for (let at = block + BLOCK_HEADER; at < end; at += RECORD) {
      yield {
        at,
        node: view.getUint32(at, true),
        parent: view.getUint32(at + PARENT, true),
        path:
          (view.getBigUint64(at + PARENT, true) << 1n) | BigInt(view.getUint32(at + FLAGS, true)),
        calls: view.getBigUint64(at + CALLS, true),
        self: view.getBigUint64(at + SELF, true),
      };
    }
  }
}

/** One file out of several; the first one's blocks get the thread id 1, the next one's 2, and so on. */
export function joinFiles(files: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const pieces = files.map((file, index) => file.slice(index === 0 ? 0 : FILE_HEADER));
  for (const [index, piece] of pieces.entries()) {
    const view = new DataView(piece.buffer);
    const first = index === 0 ? FILE_HEADER : 0;
    for (let block = first; block < piece.length; block += view.getUint32(block, true)) {
      view.setBigUint64(block + THREAD, BigInt(index + 1), true);
    }
  }
  return joinBlocks(pieces);
}

/** Whether a file has no calls at all. */
export function isEmpty(file: Uint8Array): boolean {
  return file.length <= FILE_HEADER;
}
