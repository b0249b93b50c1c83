// The columns of tables of functions.

import { grouped, percent, signed } from '../format.js';
import { type Columns, DROPPED, HOST, type Shown } from '../profiles.js';
import type { Host } from './host.js';
import type { Column } from './table.js';

/** A line: a function with its figures, on each side. */
export interface Line {
  /** Row, or HOST, or DROPPED. */
  readonly row: number;
  readonly figures: readonly Figures[];
}

export interface Figures {
  readonly calls: bigint;
  readonly self: bigint;
  readonly total: bigint;
  readonly totalCalls: bigint;
}

const NONE: Figures = { calls: 0n, self: 0n, total: 0n, totalCalls: 0n };

/** Lines of columns of each side, joined by row. Functions with nothing to show are left out. */
export function linesOf(sides: readonly Columns[]): Line[] {
  const lines = new Map<number, Figures[]>();
  for (const [side, columns] of sides.entries()) {
    for (const [at, row] of columns.rows.entries()) {
      const figures = {
        calls: columns.calls[at] ?? 0n,
        self: columns.self[at] ?? 0n,
        total: columns.total[at] ?? 0n,
        totalCalls: columns.totalCalls[at] ?? 0n,
      };
      const isNothing =
        figures.calls === 0n &&
        figures.self === 0n &&
        figures.total === 0n &&
        figures.totalCalls === 0n;
      if (isNothing) continue;
      const line = lines.get(row) ?? sides.map(() => NONE);
      line[side] = figures;
      lines.set(row, line);
    }
  }
  const result = [...lines].map(([row, figures]) => ({ row, figures }));
  // As reports have it: what a column has equal is by calls, then by function.
  return result.sort((one, other) => {
    const [a, b] = [one.figures.at(-1)?.calls ?? 0n, other.figures.at(-1)?.calls ?? 0n];
    if (a === b) return one.row - other.row;
    return a < b ? 1 : -1;
  });
}

export function partyName(host: Host, row: number): string {
  if (row === HOST) return '(host: JavaScript, or a thread’s start)';
  if (row === DROPPED) return '(path dropped: the arena was full)';
  return host.nameOf(row);
}

/** Columns as the profiles have them. */
export function columnsOf(host: Host, whole: Figures): Column<Line>[] {
  const { shown } = host;
  const name: Column<Line> = {
    id: 'name',
    title: 'Function',
    width: 'minmax(14em, 1fr)',
    value: ({ row }) => partyName(host, row).toLowerCase(),
    text: ({ row }) => partyName(host, row),
    hint: ({ row }) => {
      const { raw, file, line } = shown.rows[row] ?? {};
      return [partyName(host, row), raw, file && `${file}${line === undefined ? '' : `:${line}`}`]
        .filter(Boolean)
        .join('\n');
    },
    note: ({ row }) => shown.rows[row]?.module ?? '',
  };
  return [name, ...(shown.compares ? changes(shown) : figures(shown, whole))];
}

function figures(shown: Shown, whole: Figures): Column<Line>[] {
  const { unit } = shown;
  const of = (line: Line) => line.figures[0] ?? NONE;
  const perCall = (value: bigint, calls: bigint) => (calls > 0n ? (value * 1000n) / calls : 0n);
  const columns: Column<Line>[] = [
    number('calls', 'Calls', 'How often it was called', (line) => of(line).calls, grouped),
    share('calls-share', 'Calls %', 'Share of all calls', (line) => of(line).calls, whole.calls),
  ];
  if (!unit) {
    columns.push(
      number(
        'totalCalls',
        'With callees',
        'Its calls and all below them; recursion counts once',
        (line) => of(line).totalCalls,
        grouped,
      ),
      number(
        'perCall',
        'Per call',
        'Calls below it for each of its calls',
        (line) => perCall(of(line).totalCalls, of(line).calls),
        thousandths,
      ),
    );
    return columns;
  }
  const { cell, exact, column } = unit;
  const guess = (self: bigint) => `${shown.guessMark(self)}${cell(self)}`;
  columns.push(
    number('self', `Self ${column}`, 'Without callees', (line) => of(line).self, guess, exact),
    share('self-share', 'Self %', 'Share of the whole', (line) => of(line).self, whole.self),
    number(
      'total',
      `Total ${column}`,
      'With callees; recursion counts once',
      (line) => of(line).total,
      cell,
      exact,
    ),
    share('total-share', 'Total %', 'Share of the whole', (line) => of(line).total, whole.self),
    number(
      'perCall',
      'Self per call',
      'Mean of its calls, without callees',
      (line) => (of(line).calls > 0n ? of(line).self / of(line).calls : 0n),
      unit.text,
      exact,
      '8.6em',
    ),
  );
  return columns;
}

function changes(shown: Shown): Column<Line>[] {
  const { unit } = shown;
  const columns: Column<Line>[] = [];
  const add = (
    id: 'calls' | 'self' | 'total' | 'totalCalls',
    title: string,
    text: (value: bigint) => string,
    exact?: (value: bigint) => string,
  ) => {
    const before = (line: Line) => (line.figures[0] ?? NONE)[id];
    const after = (line: Line) => (line.figures[1] ?? NONE)[id];
    columns.push(
      number(`${id}-before`, `${title} before`, '', before, text, exact),
      number(id, `${title} after`, '', after, text, exact),
      {
        ...number(
          `${id}-change`,
          'Change',
          `After less before: ${title.toLowerCase()}`,
          (line) => after(line) - before(line),
          text,
        ),
        text: (line) => signed(after(line) - before(line), text),
        width: '8.4em',
        // The greatest change first, whichever way.
        value: (line) => {
          const change = after(line) - before(line);
          return change < 0n ? -change : change;
        },
      },
    );
  };
  add('calls', 'Calls', grouped);
  if (unit) {
    add('self', `Self ${unit.column}`, unit.cell, unit.exact);
    add('total', `Total ${unit.column}`, unit.cell, unit.exact);
  } else {
    add('totalCalls', 'With callees', grouped);
  }
  return columns;
}

function number(
  id: string,
  title: string,
  description: string,
  value: (line: Line) => bigint,
  text: (value: bigint) => string,
  exact?: (value: bigint) => string,
  width?: string,
): Column<Line> {
  return {
    id,
    title,
    description,
    number: true,
    ...(width !== undefined && { width }),
    value,
    text: (line) => text(value(line)),
    ...(exact && { hint: (line: Line) => exact(value(line)) }),
  };
}

function share(
  id: string,
  title: string,
  description: string,
  value: (line: Line) => bigint,
  whole: bigint,
): Column<Line> {
  return {
    ...number(id, title, description, value, (part) => percent(part, whole), undefined, '5.8em'),
    optional: true,
  };
}

/** 12345n → `12.345`. */
function thousandths(value: bigint): string {
  return `${grouped(value / 1000n)}.${String(value % 1000n).padStart(3, '0')}`;
}
