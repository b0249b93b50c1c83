import Table from 'cli-table3';
import type { FunctionEntry, Profile, Report } from '../profile.js';
import { printable } from './printable.js';
import { count, grouped, type Style, shorten } from './terminal.js';

const COLUMNS = ['function', 'module', 'calls', 'self', 'total', 'source'] as const;
/** Between two columns. */
const GAP = '  ';
/** Names are cut to no less than this. */
const MIN_NAME_WIDTH = 16;
const MAX_MODULE_WIDTH = 24;
const MAX_SOURCE_WIDTH = 32;
/** The same where threads need the room. */
const MIN_THREAD_NAME_WIDTH = 24;
/** Where names would get less than this, sources are left out. */
const NAME_WIDTH_BESIDE_SOURCES = 30;

/** The functions of a report, one a line, as wide as the terminal at most. */
export function functionTable(
  report: Report,
  rows: readonly FunctionEntry[],
  style: Style,
): string {
  const unit = costUnit(report);
  const cells = rows.map((row) => [
    printable(row.name),
    shorten(printable(row.module), MAX_MODULE_WIDTH),
    grouped(row.calls),
    unit ? selfCell(report, row, unit) : '-',
    unit ? unit.format(row.total) : '-',
    shorten(sourceOf(row), MAX_SOURCE_WIDTH),
  ]);
  const head = COLUMNS.map((name) =>
    unit && (name === 'self' || name === 'total') ? `${name} ${unit.name}` : name,
  );
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const without = widths.slice(1, 5).reduce((sum, width) => sum + GAP.length + width, 0);
  const beside = style.columns - without - GAP.length - (widths[5] ?? 0);
  const hasSources =
    beside >= Math.min(widths[0] ?? 0, NAME_WIDTH_BESIDE_SOURCES) && cells.some((row) => row[5]);
  const room = hasSources ? beside : style.columns - without;
  const nameWidth = Math.max(Math.min(widths[0] ?? 0, room), MIN_NAME_WIDTH);

  const shown = hasSources ? COLUMNS.length : COLUMNS.length - 1;
  const lines = cells.map(
    ([name = '', module = '', calls = '', own = '', total = '', source = '']) => {
      const row = [shorten(name, nameWidth), style.dim(module), calls, own, total];
      return hasSources ? [...row, style.dim(source)] : row;
    },
  );
  return render(head.slice(0, shown).map(style.bold), [0, 1, 5], lines);
}

/**
 * The calls of some functions in each thread, as wide as the terminal at most; the threads
 * that fit. Empty if there is one thread only.
 */
export function threadTable(
  profile: Profile,
  report: Report,
  rows: readonly FunctionEntry[],
  style: Style,
): string {
  if (report.threads.length < 2 || rows.length === 0) return '';
  const names = rows.map((row) => printable(row.name));
  const longest = Math.max(...names.map((name) => name.length));
  const columns: string[][] = [];
  let room = style.columns - Math.min(longest, MIN_THREAD_NAME_WIDTH);
  for (const thread of report.threads) {
    const { functions } = profile.transform({ threads: [`#${thread.id}`] }).report();
    const calls = new Map(functions.map((f) => [keyOf(f), f.calls]));
    const title = shorten(printable(thread.name), MAX_MODULE_WIDTH);
    const column = [title, ...rows.map((row) => grouped(calls.get(keyOf(row)) ?? 0))];
    room -= GAP.length + Math.max(...column.map((cell) => cell.length));
    if (room < 0) break;
    columns.push(column);
  }
  const nameWidth = Math.min(longest, MIN_THREAD_NAME_WIDTH) + Math.max(room, 0);
  const head = ['calls by thread', ...columns.map(([title = '']) => title)];
  const lines = names.map((name, i) => [
    shorten(name, nameWidth),
    ...columns.map((column) => column[i + 1] ?? ''),
  ]);
  const more = report.threads.length - columns.length;
  return [
    render(head.map(style.bold), [0], lines),
    ...(more > 0 ? [style.dim(`… and ${count(more, 'more thread')} (--thread NAME)`)] : []),
  ].join('\n');
}

/** What stays the same when threads are left out. */
function keyOf({ module, index, name }: FunctionEntry): string {
  return `${module}\n${index}\n${name}`;
}

/** @param left the columns that are aligned to the left */
function render(head: string[], left: readonly number[], rows: readonly string[][]): string {
  const table = new Table({
    head,
    colAligns: head.map((_, column) => (left.includes(column) ? 'left' : 'right')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    chars: NO_BORDERS,
  });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Whether the clock cannot tell the self time of a function. */
export function isGuess({ unit, clockStepNs = 0 }: Report, { self }: FunctionEntry): boolean {
  return unit === 'ns' && self < clockStepNs;
}

function selfCell(report: Report, row: FunctionEntry, { format }: CostUnit): string {
  const error = row.selfError === undefined ? '' : ` ±${format(row.selfError)}`;
  return `${isGuess(report, row) ? '~' : ''}${format(row.self)}${error}`;
}

/** The end of the path, and the line: `src/subtree.c:1074`. */
function sourceOf({ file, line }: FunctionEntry): string {
  if (file === undefined) return '';
  const end = file.split(/[/\\]/).slice(-2).join('/');
  return printable(line === undefined ? end : `${end}:${line}`);
}

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};

interface CostUnit {
  readonly name: string;
  readonly format: (cost: number) => string;
}

/** One unit for the whole table, so that figures can be compared; undefined if there are calls only. */
function costUnit({ unit, functions }: Report): CostUnit | undefined {
  if (unit === 'none') return undefined;
  if (unit !== 'ns') return { name: unit, format: grouped };
  let longest = 0;
  for (const { total } of functions) longest = Math.max(longest, total);
  const [name, size] = longest >= 10e9 ? ['s', 1e9] : longest >= 1e6 ? ['ms', 1e6] : ['µs', 1e3];
  const format = (ns: number) =>
    (ns / size).toLocaleString('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
  return { name, format };
}
