// Generated modules, plain and with every kind of probe: what they do must be the
// same, the calls counted those that V8 traces in the original module, and the
// instructions those that a module counts which adds one before each.
//
// usage: node run.mjs GENERATOR FIRST [COUNT]   without COUNT until it is stopped

import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { generate, runBatch } from './batch.mjs';
import { compare } from './compare.mjs';

const BATCH = 100;
/** Modules between two lines of an open-ended run. */
const ROUND = 2000;

const [generator, first, count] = process.argv.slice(2);
const folder = fileURLToPath(new URL(`../../target/fuzz/${process.pid}`, import.meta.url));
const failures = fileURLToPath(new URL('../../target/fuzz/failures', import.meta.url));
mkdirSync(folder, { recursive: true });
mkdirSync(failures, { recursive: true });

const sum = {
  modules: 0,
  refused: 0,
  inconclusive: 0,
  died: 0,
  exact: 0,
  calls: 0,
  paths: 0,
  throws: 0,
};
let faults = 0;

function judge({ seed, results: { plain, ...probed }, died }, line) {
  sum.modules++;
  const words = Object.entries(died).map(([kind, how]) => `${kind}: ${how}`);
  sum.died += words.length > 0;
  if (plain?.refused) {
    sum.refused++;
  } else if (plain && words.length === 0) {
    sum.calls += Object.values(plain.paths).reduce((all, calls) => all + calls, 0);
    sum.paths += Object.keys(plain.paths).length;
    sum.throws += plain.outcomes.filter((outcome) => outcome.includes(': threw ')).length;
    const compared = compare(plain, probed);
    sum.inconclusive += compared.inconclusive;
    sum.exact += compared.exact ? 1 : 0;
    words.push(...compared.faults);
  }
  if (words.length === 0) return;
  faults++;
  const file = `${failures}/${seed}.wasm`;
  writeFileSync(file, Buffer.from(JSON.parse(line).bytes, 'hex'));
  console.log(`seed ${seed} (${file})\n  ${words.join('\n  ')}`);
}

function print() {
  const n = (value) => value.toLocaleString('en');
  const seconds = Math.round((performance.now() - start) / 1000);
  const { modules, refused, inconclusive, died, exact, calls, paths, throws } = sum;
  console.log(
    `${n(modules)} modules, ${n(refused)} not for this engine, ${n(inconclusive)} out of stack, ${n(died)} killed or crashed; ` +
      `${n(calls)} calls on ${n(paths)} paths, ${n(throws)} steps that threw; every instruction compared in ${n(exact)}; Node ${process.versions.node}, ${seconds} s`,
  );
}

const start = performance.now();
const end = count === undefined ? Number.POSITIVE_INFINITY : Number(first) + Number(count);
let next = Number(first);

async function lane() {
  while (next < end) {
    const from = next;
    next = Math.min(from + BATCH, end);
    const lines = generate(generator, from, next - from);
    const modules = await runBatch(lines, folder, String(from));
    for (const [i, module] of modules.entries()) judge(module, lines[i]);
    if (count === undefined && (next - Number(first)) % ROUND === 0) print();
  }
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, lane));
print();
console.log(`${sum.modules - faults} as they should be, ${faults} faults`);
process.exitCode = faults > 0 ? 1 : 0;
