// The specification's tests, plain and with every kind of probe: what the engine
// does with a module must be the same each time. Prints a table by proposal.
//
// usage: node run.mjs [WORD]   only scripts whose name contains WORD

import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { compare } from './compare.mjs';
import { KINDS } from './engines.mjs';
import { printTable } from './table.mjs';

const FLAGS = ['--expose-gc'];
// What engines run only when asked to.
if (Number(process.versions.node.split('.')[0]) >= 26) {
  FLAGS.push('--experimental-wasm-custom-descriptors');
}
const TIMEOUT_MS = 60_000;

const index = new URL('../../target/spec/index.json', import.meta.url);
const word = process.argv[2] ?? '';
const scripts = JSON.parse(readFileSync(index, 'utf8')).filter(({ file }) => file.includes(word));
if (scripts.length === 0) throw new Error(`no script's name contains ${word}`);
const tasks = scripts.flatMap((script) =>
  Object.keys(KINDS).map((kind) => ({ script, kind, result: undefined })),
);

/** Runs one task in the child, which is replaced if it crashes or hangs. */
function runTask(child, task) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const end = (result) => {
      clearTimeout(timer);
      child.off('message', end).off('exit', died);
      task.result = result;
      resolve();
    };
    const died = (code, signal) => end({ died: signal ?? `exit code ${code}` });
    child.once('message', end).once('exit', died);
    child.send({ file: task.script.file, kind: task.kind });
  });
}

async function lane(queue) {
  let child;
  for (let task = queue.pop(); task; task = queue.pop()) {
    child ??= fork(new URL('worker.mjs', import.meta.url), { execArgv: FLAGS });
    await runTask(child, task);
    if (task.result.died) child = undefined;
  }
  child?.disconnect();
}

const start = performance.now();
const queue = tasks.toReversed();
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, () => lane(queue)));

const faults = [];
for (const script of scripts) {
  const results = Object.fromEntries(
    tasks.filter((task) => task.script === script).map(({ kind, result }) => [kind, result]),
  );
  if (results.plain.died) throw new Error(`${script.file}, plain: ${results.plain.died}`);
  script.plain = results.plain.outcomes;
  const compared = compare(script, results);
  script.different = compared.different;
  faults.push(...compared.faults);
}

printTable(scripts);
const seconds = ((performance.now() - start) / 1000).toFixed(1);
console.log(`Node ${process.versions.node}, ${seconds} s, ${faults.length} faults`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
