// `npm run bench:curves`: how cost grows with the number of callees, depth, paths, modules
// and workers. Prints Markdown tables; a figure that is for one call, path or module stays
// the same where growth is linear. CPU time, medians; clock `calls`, inline probes.
//
//   --quick   up to 40,000 paths in place of millions

import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { joinBlocks } from '../npm/dist/core/join.js';
import { Profile } from '../npm/dist/index.js';
import { deep, leaf, manyCallees, manyInTable, tree } from './curves/module.mjs';
import { median } from './overhead/measure.mjs';
import { openSession } from './overhead/session.mjs';
import { table } from './tables.mjs';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const ROUNDS = 7;
/** Calls in a round. */
const CALLS = values.quick ? 200_000 : 2_000_000;
/** Functions of the tree of calls: paths are sums of their powers. */
const WIDTH = 8;
const DEPTHS = values.quick ? [3, 4, 5] : [3, 4, 5, 6, 7];
/** Of the paths; everything else has the default one. */
const ARENA = '512M';

function cpuMs(run) {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Median CPU time of a round, in ms, after three that are not counted. */
function timeOf(run) {
  const times = [];
  for (let round = -3; round < ROUNDS; round++) {
    const ms = cpuMs(run);
    if (round >= 0) times.push(ms);
  }
  return median(times);
}

const start = (bytes) => new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.run;

/** ns a call, plain and with probes. */
function perCall(bytes, calls, call) {
  const plain = start(bytes);
  const { run } = openSession({ clock: 'calls' }).instantiate(bytes, {}).exports;
  const ns = (f) => (timeOf(() => call(f)) * 1e6) / calls;
  return [ns(plain), ns(run)];
}

const figure = (n) => (n < 100 ? n.toFixed(1) : Math.round(n).toLocaleString('en'));
const whole = (n) => Math.round(n).toLocaleString('en');

function callees() {
  const rows = [1, 10, 100, 1000, 10_000].map((count) => {
    const rounds = Math.max(1, Math.floor(CALLS / count));
    const direct = perCall(manyCallees(count), rounds * count, (run) => run(rounds));
    const indirect = perCall(manyInTable(count), rounds * count, (run) => run(rounds));
    return [whole(count), ...direct.map(figure), ...indirect.map(figure)];
  });
  const head = [
    'callees',
    'direct: plain, ns a call',
    'with probes',
    'table: plain',
    'with probes',
  ];
  print('Callees of one function, called in turn', [head, ...rows]);
}

function depths() {
  const rows = [1, 10, 100, 1000, 5000].map((depth) => {
    const repeats = Math.ceil(CALLS / (depth + 2));
    const both = perCall(deep(), repeats * (depth + 2), (run) => {
      for (let i = 0; i < repeats; i++) run(depth);
    });
    return [whole(depth), ...both.map(figure)];
  });
  print('Depth of a recursion (a shallow one has the call from JavaScript in fewer calls)', [
    ['depth', 'plain, ns a call', 'with probes'],
    ...rows,
  ]);
}

/** Paths of the tree with a depth, the root of it included. */
const pathsOf = (depth) => (WIDTH ** (depth + 1) - 1) / (WIDTH - 1);

function paths() {
  const bytes = tree(WIDTH);
  const rows = DEPTHS.map((depth) => {
    const nodes = pathsOf(depth);
    const session = openSession({ clock: 'calls', arena: ARENA });
    const { run } = session.instantiate(bytes, {}).exports;
    const repeats = Math.max(1, Math.round(CALLS / nodes));
    const repeated = (f) => () => {
      for (let i = 0; i < repeats; i++) f(depth);
    };
    const plain = (timeOf(repeated(start(bytes))) * 1e6) / (repeats * nodes);
    // The code is compiled before the paths are made.
    repeated(run)();
    const made = [];
    for (let round = 0; round < 3; round++) {
      session.reset();
      made.push((cpuMs(() => run(depth)) * 1e6) / nodes);
    }
    const known = (timeOf(repeated(run)) * 1e6) / (repeats * nodes);
    const { nodes: counted, bytesPerNode } = session.figures();
    if (counted !== nodes) throw new Error(`${counted} paths in place of ${nodes}`);
    let blocks;
    const serialized = cpuMs(() => {
      blocks = joinBlocks(session.blocks());
    });
    let profile;
    const map = session.map();
    const read = cpuMs(() => {
      profile = Profile.read(blocks, map);
    });
    const report = cpuMs(() => profile.tables());
    profile.free();
    const each = [serialized, read, report].map((ms) => figure((ms * 1e6) / nodes));
    const costs = [plain, known, median(made), bytesPerNode].map(figure);
    return [whole(nodes), ...costs, ...each];
  });
  print('Paths: every function calls eight, so that each call is on another path', [
    [
      'paths',
      'plain, ns a call',
      'known path, ns a call',
      'new path, ns',
      'arena, bytes a path',
      'serialize, ns a path',
      'read, ns a path',
      'report, ns a path',
    ],
    ...rows,
  ]);
}

function modules() {
  const rows = [1, 10, 100, 1000].map((count) => {
    const all = Array.from({ length: count }, (_, seed) => leaf(seed));
    const session = openSession({ clock: 'calls' });
    let runs;
    const made = cpuMs(() => {
      runs = all.map((bytes) => session.instantiate(bytes, {}).exports.run);
    });
    const calls = Math.round(CALLS / count);
    const times = [all.map(start), runs].map((functions) => {
      const ms = timeOf(() => {
        for (const run of functions) run(calls);
      });
      return (ms * 1e6) / (calls * count);
    });
    return [whole(count), ...times.map(figure), figure(made / count)];
  });
  print('Modules in one thread, called in turn', [
    ['modules', 'plain, ns a call', 'with probes', 'instrument and start, ms a module'],
    ...rows,
  ]);
}

/** Each has a runtime of its own; the processor's time is that of all of them. */
async function workers() {
  const rows = [];
  for (const count of [1, 2, 4, 8]) {
    const threads = Array.from(
      { length: count },
      () => new Worker(new URL('curves/worker.mjs', import.meta.url)),
    );
    const all = (message) =>
      Promise.all(
        threads.map(async (worker) => {
          worker.postMessage(message);
          await once(worker, 'message');
        }),
      );
    const cells = [];
    for (const kind of ['plain', 'calls']) {
      const times = [];
      for (let round = -3; round < ROUNDS; round++) {
        const before = process.cpuUsage();
        await all({ kind, calls: CALLS });
        const { user, system } = process.cpuUsage(before);
        if (round >= 0) times.push(((user + system) * 1000) / (count * CALLS));
      }
      cells.push(figure(median(times)));
    }
    await Promise.all(threads.map((worker) => worker.terminate()));
    rows.push([whole(count), ...cells]);
  }
  print('Workers at once', [['workers', 'plain, ns a call', 'with probes'], ...rows]);
}

function print(title, rows) {
  console.log(`### ${title}\n\n${table(rows)}\n`);
}

console.log(`Node ${process.versions.node}\n`);
callees();
depths();
paths();
modules();
await workers();
