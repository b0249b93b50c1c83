// The tables of docs/PERFORMANCE.md out of the rows, in Markdown that can be read as it is.

import { WORKLOADS } from './workloads/index.mjs';

const grouped = (n) => Math.round(n).toLocaleString('en');
const times = (n) => `${n.toFixed(2)} ×`;

/** @param {string[][]} rows the header first; numbers are right-aligned */
export function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(3, ...rows.map((row) => [...row[at]].length)));
  const isNumeric = rows[0].map((_, at) => rows.slice(1).every((row) => /^(-?\d|–)/.test(row[at])));
  const line = (cells) =>
    `| ${cells.map((cell, at) => pad(cell, widths[at], isNumeric[at])).join(' | ')} |`;
  const rule = widths.map((width, at) => '-'.repeat(width - 1) + (isNumeric[at] ? ':' : '-'));
  return [line(rows[0]), `| ${rule.join(' | ')} |`, ...rows.slice(1).map(line)].join('\n');
}

function pad(text, width, right) {
  const spaces = ' '.repeat(width - [...text].length);
  return right ? spaces + text : text + spaces;
}

const column = ({ clock, probes }) => (probes ? `\`${clock}\`, ${probes}` : `\`${clock}\``);
const shortEngine = (engine) => engine.replace(/^node (\d+).*/, 'Node $1').replace('chro', 'Chro');
const unique = (values) => [...new Set(values)];
const isWasm = ({ clock }) => !['plain', 'cpu-prof', 'xray-profiling'].includes(clock);
const label = (workload) => WORKLOADS[workload] ?? workload;

/** Ratio and ns a call of each variant, a row for each workload and engine. */
export function overheadTable(rows) {
  const measured = rows.filter(({ engine }) => !engine.startsWith('native'));
  const columns = unique(measured.filter(({ clock }) => clock !== 'plain').map(column));
  const keys = unique(measured.map(({ workload, engine }) => `${workload}|${engine}`));
  const body = keys.map((key) => {
    const [workload, engine] = key.split('|');
    const mine = measured.filter((row) => row.workload === workload && row.engine === engine);
    const plain = mine.find(({ clock }) => clock === 'plain');
    const cells = columns.map((name) => {
      const row = mine.find((one) => column(one) === name);
      if (!row) return '–';
      return row.calls > 0
        ? `${times(row.ratio)} (${row.nsPerCall.toFixed(1)} ns)`
        : times(row.ratio);
    });
    return [label(workload), shortEngine(engine), plain ? plain.ms.toFixed(1) : '–', ...cells];
  });
  return table([['workload', 'engine', 'plain, ms', ...columns], ...body]);
}

/** What a profile takes, a row for each workload: of the last Node that was measured. */
export function sizeTable(rows) {
  const engine = rows.filter(({ engine }) => engine.startsWith('node')).at(-1)?.engine;
  const measured = rows.filter((row) => row.engine === engine);
  const columns = unique(measured.filter(isWasm).map(column));
  const body = unique(measured.map(({ workload }) => workload)).map((workload) => {
    const mine = measured.filter((row) => row.workload === workload);
    const plain = mine.find(({ clock }) => clock === 'plain');
    const first = mine.find(isWasm);
    const sampled = mine.find(({ functions }) => functions !== undefined);
    return [
      label(workload),
      grouped(first.calls),
      grouped(first.nodes),
      first.bytesPerNode.toFixed(1),
      sampled ? grouped(sampled.functions) : '–',
      plain.startMs.toFixed(1),
      ...columns.map((name) => {
        const row = mine.find((one) => column(one) === name);
        return row ? `${times(row.sizeRatio)}, ${row.startMs.toFixed(1)} ms` : '–';
      }),
    ];
  });
  const head = ['workload', 'calls a run', 'paths', 'bytes a path', 'functions seen by `cpu-prof`'];
  return `${shortEngine(engine)}:\n\n${table([[...head, 'plain: start, ms', ...columns], ...body])}`;
}

/** LLVM XRay's profiling mode beside ours on the same micro workloads. */
export function nativeTable(rows) {
  const native = rows.filter(({ clock }) => clock === 'xray-profiling');
  if (native.length === 0) return undefined;
  const body = native.map((row) => [
    label(row.workload).replace('fib(30)', 'fib(24)').replace('5,000', '1,000'),
    grouped(row.calls),
    grouped(row.nodes),
    times(row.ratio),
    row.nsPerCall.toFixed(1),
  ]);
  return table([[native[0].engine, 'calls a run', 'paths', 'ratio', 'ns a call'], ...body]);
}

export function startupTable(rows) {
  const body = rows.map(({ engine, program, plainMs, firstMs, nextMs }) => [
    program,
    shortEngine(engine),
    plainMs.toFixed(1),
    `${firstMs.toFixed(1)} (+${(firstMs - plainMs).toFixed(1)})`,
    `${nextMs.toFixed(1)} (+${(nextMs - plainMs).toFixed(1)})`,
  ]);
  const head = ['program', 'engine', 'plain, ms', 'hook, first time, ms', 'hook, next time, ms'];
  return table([head, ...body]);
}

export function rewriterTable(rows) {
  const body = rows.map(({ module, engine, bytes, MBps, peakMB }) => [
    module.replace(/.*\//, ''),
    shortEngine(engine),
    (bytes / 1e6).toFixed(1),
    MBps.toFixed(1),
    peakMB.toFixed(0),
  ]);
  return table([['module', 'engine', 'MB', 'MB/s', 'peak memory, MB'], ...body]);
}

export function profilesTable(rows) {
  const body = rows.map(({ operation, paths, ms }) => [operation, grouped(paths), grouped(ms)]);
  return table([['operation', 'paths', 'ms'], ...body]);
}
