// Runs the modules of a batch, one after the other, and writes a line about each.
//
// usage: node worker.mjs BATCH KIND OUT FROM   (FROM: how many of the batch to leave out)

import { appendFileSync, readFileSync } from 'node:fs';
import { countsOf, executedIn, reportedPaths } from '../node/oracle.mjs';
import { createEngine } from '../spec/engines.mjs';
import { COUNTING } from './compare.mjs';
import { Host } from './host.mjs';
import { SEPARATOR_FUNCTION } from './trace.mjs';

const [batch, kind, out, from] = process.argv.slice(2);
const modules = readFileSync(batch, 'utf8').trim().split('\n').slice(Number(from));
const write = (line) => appendFileSync(out, `${JSON.stringify(line)}\n`);
const leb = (n) => [(n & 0x7f) | 0x80, n >> 7];
const wasm = (...sections) => new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);
const TYPE = [1, 4, 1, 0x60, 0, 0];
const exported = (name, index) => {
  const body = [1, name.length, ...Buffer.from(name), 0, ...leb(index)];
  return [7, body.length, ...body];
};

/** In V8's trace, a call of it is the end of a module. */
function separator() {
  const count = SEPARATOR_FUNCTION + 1;
  const sized = (id, body) => [id, ...leb(body.length), ...body];
  const types = sized(3, [...leb(count), ...Array(count).fill(0)]);
  const codes = sized(10, [...leb(count), ...Array(count).fill([2, 0, 0x0b]).flat()]);
  const module = wasm(TYPE, types, exported('separate', SEPARATOR_FUNCTION), codes);
  return new WebAssembly.Instance(new WebAssembly.Module(module)).exports.separate;
}

/**
 * A call through a table that traps leaves the next call from the host under the
 * frame that trapped (a known limit). This function is then the next one called;
 * paths that it is on are left out.
 */
const RINSE = wasm(TYPE, [3, 2, 1, 0], exported('rinse', 0), [10, 4, 1, 2, 0, 0x0b]);

const separate = separator();
for (const [i, line] of modules.entries()) {
  write(runModule(JSON.parse(line)));
  separate();
  // Memories and arenas would else pile up.
  if (i % 10 === 9) globalThis.gc();
}

function runModule({ seed, functions, ...hex }) {
  const [bytes, counting] = [hex.bytes, hex.counting].map((text) => Buffer.from(text, 'hex'));
  if (!WebAssembly.validate(bytes)) return { seed, refused: true };
  const engine = createEngine(kind === COUNTING ? 'plain' : kind, '2M');
  const rinse =
    kind === 'plain' || kind === COUNTING
      ? () => {}
      : engine.instantiate(engine.compile(RINSE), {}).exports.rinse;
  const host = new Host(
    seed,
    functions.filter((f) => !f.imported),
    rinse,
    engine.hostRuns,
  );
  const module = engine.compile(kind === COUNTING ? counting : bytes);
  let instance;
  host.run((imports) => {
    instance = engine.instantiate(module, imports);
    return instance;
  });
  if (kind === COUNTING) {
    return {
      seed,
      accessTraps: host.accessTraps,
      executed: instance && countsOf(instance.exports),
    };
  }
  const result = { seed, outcomes: host.outcomes, hostCalls: host.calls };
  if (kind === 'plain') return result;
  const report = engine.report();
  const rinses = new Set(report.functions.filter((f) => f.name === 'rinse').map((f) => f.id));
  report.paths = report.paths.filter(({ path }) => !path.some((id) => rinses.has(id)));
  const names = WebAssembly.Module.imports(new WebAssembly.Module(bytes))
    .filter(({ kind }) => kind === 'function')
    .map(({ name }) => name);
  const imports = report.functions.filter((f) => f.kind === 'import' && f.calls > 0);
  return {
    ...result,
    paths: Object.fromEntries(reportedPaths(report)),
    ...(report.clock === 'instructions' && {
      executed: executedIn({ functions: report.functions.filter((f) => !rinses.has(f.id)) }),
    }),
    importCalls: Object.fromEntries(imports.map((f) => [names[f.index], f.calls])),
    dropped: report.dropped.calls,
    skipped: [...engine.skipped(), ...report.skipped.map(({ reason }) => reason)],
  };
}
