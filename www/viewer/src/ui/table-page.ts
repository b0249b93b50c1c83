// The functions as a table.

import { grouped } from '../format.js';
import { columnsOf, type Figures, type Line, linesOf } from './columns.js';
import type { Host } from './host.js';
import { Table } from './table.js';

export class TablePage {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #table: Table<Line>;

  constructor(host: Host) {
    this.#host = host;
    this.#table = new Table<Line>(
      'Functions',
      (sort) => host.set({ sort }),
      ({ row }) => host.openSandwich(row),
    );
    this.element = this.#table.element;
  }

  update(): void {
    const { shown, matches, state } = this.#host;
    const lines = linesOf(shown.profiles.map((_, side) => shown.functions(side)));
    const found = matches ? lines.filter(({ row }) => matches.rows[row] === 1) : lines;
    const columns = columnsOf(this.#host, wholeOf(lines));
    const otherwise = defaultSort(this.#host);
    this.#table.show(
      columns,
      found,
      columns.some(({ id }) => id === state.sort.replace(/^-/, '')) ? state.sort : otherwise,
      matches
        ? `None of ${grouped(lines.length)} functions has this in its name.`
        : 'No function was called.',
    );
  }

  focus(): void {
    this.#table.focus();
  }

  destroy(): void {
    this.#table.destroy();
  }
}

export function defaultSort({ shown, state }: Host): string {
  const by = shown.unit && !state.calls ? 'self' : 'calls';
  return shown.compares ? `${by}-change` : by;
}

/** Sums over functions; a total is not a sum. */
export function wholeOf(lines: readonly Line[]): Figures {
  let [calls, self] = [0n, 0n];
  for (const { figures } of lines) {
    calls += figures[0]?.calls ?? 0n;
    self += figures[0]?.self ?? 0n;
  }
  return { calls, self, total: self, totalCalls: calls };
}
