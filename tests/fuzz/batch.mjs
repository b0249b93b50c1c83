// Runs a batch of modules in processes of their own, under every kind of probe.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KINDS } from '../spec/engines.mjs';
import { COUNTING } from './compare.mjs';
import { tracedModules } from './trace.mjs';

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** A module that takes so long is taken to hang, in ms. */
const TIMEOUT_MS = 60_000;
const FLAGS = ['--expose-gc', '--stack-size=3900'];
// Liftoff's code for indirect calls crashes now and then in Node 26 when it is traced after a collection.
const TRACE_FLAGS = ['--trace-wasm', '--no-liftoff'];

/** Makes the modules of `count` seeds. @returns one JSON text each */
export function generate(generator, first, count) {
  const { stdout, stderr, status } = spawnSync(generator, [String(first), String(count)], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`the generator failed at seeds from ${first}: ${stderr}`);
  return stdout.trim().split('\n');
}

/**
 * @param lines modules as `generate` made them
 * @param folder for what the processes write
 * @returns for each module: `seed`, `refused`, the result of each kind by name, and
 * `died`: kinds whose process came to an unnatural end with this module, and how
 */
export async function runBatch(lines, folder, name) {
  const batch = `${folder}/${name}.jsonl`;
  writeFileSync(batch, `${lines.join('\n')}\n`);
  const modules = lines.map((line) => ({ seed: JSON.parse(line).seed, results: {}, died: {} }));
  for (const kind of [...Object.keys(KINDS), COUNTING]) await runKind(kind, batch, modules);
  rmSync(batch);
  return modules;
}

/** One process after the other, each taking up behind the module with which the last one died. */
async function runKind(kind, batch, modules) {
  for (let from = 0; from < modules.length; ) {
    const out = `${batch}.${kind}.out`;
    const traceFile = `${batch}.${kind}.trace`;
    writeFileSync(out, '');
    const died = await runProcess(kind, batch, out, from, traceFile);
    const written = readFileSync(out, 'utf8').trim().split('\n').filter(Boolean);
    const results = written.map((line) => JSON.parse(line));
    const traces = kind === 'plain' ? tracedModules(readFileSync(traceFile, 'utf8')) : [];
    for (const [i, result] of results.entries()) {
      const module = modules[from + i];
      if (result.seed !== module.seed) throw new Error('results are out of order');
      if (kind === 'plain') result.paths = traces[i];
      module.results[kind] = result;
    }
    rmSync(out);
    rmSync(traceFile);
    from += results.length;
    if (from < modules.length) {
      if (!died) throw new Error(`the process for ${kind} ended early`);
      modules[from].died[kind] = died;
      from++;
    }
  }
}

/** @returns undefined, or how the process died */
function runProcess(kind, batch, out, from, traceFile) {
  const trace = openSync(traceFile, 'w');
  const flags = kind === 'plain' ? [...FLAGS, ...TRACE_FLAGS] : FLAGS;
  const child = spawn(process.execPath, [...flags, worker, batch, kind, out, String(from)], {
    stdio: ['ignore', trace, 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  closeSync(trace);
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    words += text;
  });
  return new Promise((resolve) => {
    let hangs = false;
    let size = 0;
    let quietMs = 0;
    // Each module is a line of output, so a process that writes none hangs in one module.
    const timer = setInterval(() => {
      const now = statSync(out).size;
      quietMs = now === size ? quietMs + 1000 : 0;
      size = now;
      if (quietMs < TIMEOUT_MS) return;
      hangs = true;
      child.kill('SIGKILL');
    }, 1000);
    child.on('close', (code, signal) => {
      clearInterval(timer);
      if (hangs) resolve(`killed after ${TIMEOUT_MS / 1000} s`);
      else resolve(code === 0 ? undefined : `${signal ?? `exit code ${code}`}: ${words.trim()}`);
    });
  });
}
