import Table from 'cli-table3';
import type { FunctionEntry, Report } from '../profile.js';
import { grouped, type Style, shorten } from './terminal.js';

const COLUMNS = ['function', 'module', 'calls', 'self', 'total'] as const;
/** Between two columns. */
const GAP = '  ';
/** Names are cut to no less than this. */
const MIN_NAME_WIDTH = 16;
const MAX_MODULE_WIDTH = 24;

/** The functions of a report, one a line, as wide as the terminal at most. */
export function functionTable(
  report: Report,
  rows: readonly FunctionEntry[],
  style: Style,
): string {
  const unit = costUnit(report);
  const cells = rows.map((row) => [
    row.name,
    row.module,
    grouped(row.calls),
    unit ? unit.format(row.self) : '-',
    unit ? unit.format(row.total) : '-',
  ]);
  const head = COLUMNS.map((name) =>
    unit && (name === 'self' || name === 'total') ? `${name} ${unit.name}` : name,
  );
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const moduleWidth = Math.min(widths[1] ?? 0, MAX_MODULE_WIDTH);
  const fixed =
    moduleWidth + (widths[2] ?? 0) + (widths[3] ?? 0) + (widths[4] ?? 0) + 4 * GAP.length;
  const nameWidth = Math.max(Math.min(widths[0] ?? 0, style.columns - fixed), MIN_NAME_WIDTH);

  const table = new Table({
    head: head.map(style.bold),
    colAligns: ['left', 'left', 'right', 'right', 'right'],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    chars: NO_BORDERS,
  });
  for (const [name = '', module = '', ...numbers] of cells) {
    table.push([
      shorten(printable(name), nameWidth),
      style.dim(shorten(printable(module), moduleWidth)),
      ...numbers,
    ]);
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
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

/** Names come from a file: control characters in them must not reach a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '·');
}

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
