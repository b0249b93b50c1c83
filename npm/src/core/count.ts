const FILE_HEADER = 32;
const BLOCK_HEADER = 16;
const RECORD = 32;
const CALLS = 16;

/** What a profile has grown to. */
export interface Counted {
  readonly calls: number;
  readonly paths: number;
}

/**
 * Adds up a profile as a runtime gives it, without keeping any of it: one piece
 * is the file's header, each other one a block of the compact layout.
 */
export function countCalls(pieces: Iterable<Uint8Array>): Counted {
  let calls = 0;
  let paths = 0;
  let isHeader = true;
  for (const piece of pieces) {
    const first = isHeader ? FILE_HEADER : BLOCK_HEADER;
    isHeader = false;
    const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
    for (let at = first; at + RECORD <= piece.length; at += RECORD) {
      calls += view.getUint32(at + CALLS, true) + view.getUint32(at + CALLS + 4, true) * 2 ** 32;
      paths++;
    }
  }
  return { calls, paths };
}
