// A profiler's session with the figures that the library does not give: bytes of the arena.
// Works in Node and in a page; one of the library's entries must have been loaded.

import { settingsFrom } from '../../npm/dist/core/options.js';
import { profileMap } from '../../npm/dist/core/profile-map.js';
import { Session } from '../../npm/dist/core/session.js';

const BLOCK_HEADER = 16;
const RECORD = 32;
const CALLS = 16;
/** Bytes of a node's entry in the hash table, which has room for all from the beginning. */
const HASH_ENTRY = 4;

/** @param {object} options a profiler's */
export function openSession(options) {
  const session = new Session(settingsFrom(options));
  let emptyBytes = 0;
  return {
    /** Instruments, compiles and makes an instance. */
    instantiate(bytes, imports) {
      const prepared = session.prepare(bytes);
      const module = new WebAssembly.Module(prepared.bytes);
      session.adopt(module, prepared);
      const link = session.link(module, imports);
      const instance = new WebAssembly.Instance(module, link.imports);
      session.linked(link);
      return instance;
    },
    /** Bytes of a module with its probes. */
    sizeOf: (bytes) => session.prepare(bytes).bytes.length,
    blocks: () => session.blocks(1),
    map: () => JSON.stringify(profileMap(session, { id: 1, name: 'main' })),
    reset() {
      session.runtime.reset();
      emptyBytes = session.runtime.usedBytes();
    },
    /** Calls, paths and memory since {@link reset}. */
    figures() {
      const usedBytes = session.runtime.usedBytes() - emptyBytes;
      const { nodes, calls } = count(session.blocks(1));
      const { paths } = session.runtime.dropped();
      if (paths > 0) throw new Error(`the arena is too small: ${paths} paths were dropped`);
      return { calls, nodes, bytesPerNode: nodes > 0 ? usedBytes / nodes + HASH_ENTRY : 0 };
    },
  };
}

/** Records of a file in the compact layout, and their calls. */
function count(pieces) {
  let nodes = 0;
  let calls = 0;
  let isHeader = true;
  for (const piece of pieces) {
    if (!isHeader) {
      const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let at = BLOCK_HEADER; at < piece.length; at += RECORD) {
        nodes++;
        calls += Number(view.getBigUint64(at + CALLS, true));
      }
    }
    isHeader = false;
  }
  return { nodes, calls };
}
