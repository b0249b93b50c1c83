// Memory of a call path: what SQLite's profile takes in the arena, from empty to full.
//
// usage: node memory.mjs; prints one JSON object.

import '../npm/dist/index.js'; // Gives the session its wasm files.
import { settingsFrom } from '../npm/dist/core/options.js';
import { Session } from '../npm/dist/core/session.js';
import * as sqlite from './workloads/sqlite.mjs';

const session = new Session(settingsFrom({ clock: 'calls' }));
const prepared = session.prepare(sqlite.bytes);
const module = new WebAssembly.Module(prepared.bytes);
session.adopt(module, prepared);
const run = await sqlite.create((imports) => {
  const link = session.link(module, imports);
  const instance = new WebAssembly.Instance(module, link.imports);
  session.linked(link);
  return instance;
});
const { runtime } = session;
// State, hash table, and for each function its descriptor and its overflow node.
runtime.reset();
const empty = runtime.usedBytes();
run();
const nodeBytes = runtime.usedBytes() - empty;
// A node has 32 bytes in the file, a block 16 before its nodes; so has the file header, and no node.
let nodes = 0;
for (const piece of runtime.blocks(1, { timestampMs: 0, processId: 0 })) {
  nodes += Math.floor((piece.length - 16) / 32);
}
console.log(
  JSON.stringify({
    workload: 'sqlite',
    engine: `node ${process.versions.node}`,
    nodes,
    emptyBytes: empty,
    // With its entry in the hash table.
    bytesPerNode: nodeBytes / nodes + 4,
    dropped: runtime.dropped(),
  }),
);
