// The profile model in the toolkit: a made-up profile of many paths is read,
// asked and exported. Prints a row of JSON for each operation; times are of the
// processor, as other programs on the machine do not count then.
//
//   node benches/profiles.mjs [paths]

import { CONVERT_FORMATS, Profile } from '../npm/dist/index.js';

const paths = Number(process.argv[2] ?? 1_000_000);
/** Functions in the module, as in SQLite's. */
const FUNCTIONS = 2000;

/** As `crates/profile/examples/million.rs`: mostly near the last path, now and then anywhere. */
function file() {
  const bytes = new DataView(new ArrayBuffer(48 + paths * 32));
  bytes.setBigUint64(0, 0x7872_6179_7072_6f66n, true);
  bytes.setBigUint64(8, 0x2026_1130n, true);
  bytes.setUint32(32, 16 + paths * 32, true);
  bytes.setBigUint64(40, 1n, true);
  const parents = new Uint32Array(paths + 1);
  const callees = new Uint32Array(paths + 1);
  let random = 1;
  const below = (limit) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((random * limit) / 2 ** 32);
  };
  for (let node = 1; node <= paths; node++) {
    let parent = below(16) === 0 ? below(node) : node - 1;
    for (let up = below(4); up > 0; up--) parent = parents[parent];
    if (callees[parent] === FUNCTIONS || parent === 0) parent = node - 1;
    const id = 1 + (((Math.imul(parent, 31) >>> 0) + callees[parent]++) % FUNCTIONS);
    parents[node] = parent;
    const at = 48 + (node - 1) * 32;
    for (const [field, value] of [node * 64, parent * 64, id, 0].entries()) {
      bytes.setUint32(at + field * 4, value, true);
    }
    bytes.setUint32(at + 16, below(1000), true);
    bytes.setUint32(at + 24, below(1_000_000), true);
  }
  return new Uint8Array(bytes.buffer);
}

function map() {
  const names = Array.from({ length: FUNCTIONS }, (_, index) => `function_${index}`);
  const module = { name: 'app', hash: '0', imports: 10, names };
  const modules = [{ base: 1, map: module }];
  return JSON.stringify({ version: 1, clock: 'wall', threads: [], modules });
}

function time(operation, run) {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  const ms = Math.round((user + system) / 1000);
  console.log(JSON.stringify({ operation, paths, ms }));
  return result;
}

const bytes = file();
const profile = time('read', () => Profile.read(bytes, map()));
time('report', () => profile.tables());
time('report --tree', () => profile.tables({ tree: true }));
time('report --callers', () => profile.tables({ callers: 'function_7' }));
for (const [name, options] of Object.entries({
  '--collapse-recursion': { collapseRecursion: true },
  '--group crate': { group: 'crate' },
  '--prune 0.1%': { prune: '0.1%' },
  '--invert --prune 0.1%': { invert: true, prune: '0.1%' },
})) {
  time(name, () => profile.transform(options).free());
}
for (const format of CONVERT_FORMATS) time(`convert -f ${format}`, () => profile.convert(format));
