// One function between its callers and its callees.

import { fill, h } from '../dom.js';
import type { FlameQuery } from '../profiles.js';
import { columnsOf, type Line, linesOf } from './columns.js';
import { FlameView } from './flame-view.js';
import type { Host } from './host.js';
import { Table } from './table.js';
import { defaultSort, wholeOf } from './table-page.js';

export class SandwichPage {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #title = h('div', { class: 'xr-sandwich-title' });
  readonly #parts: readonly Part[];
  #drawn = '';

  constructor(host: Host) {
    this.#host = host;
    this.#parts = [new Part(host, 'callers'), new Part(host, 'callees')];
    this.element = h(
      'div',
      { class: 'xr-sandwich' },
      this.#title,
      ...this.#parts.map((part) => part.element),
    );
  }

  update(key: string): void {
    const host = this.#host;
    const { shown } = host;
    const row = this.row;
    const only = shown.profiles.map((_, side) => shown.functions(side));
    const line = row === undefined ? undefined : linesOf(only).find((line) => line.row === row);
    const source = row === undefined ? undefined : shown.rows[row];
    fill(
      this.#title,
      h('h2', {}, row === undefined ? 'No function was called.' : host.nameOf(row)),
      source &&
        h(
          'p',
          { class: 'xr-muted xr-wrap' },
          [source.raw, source.module, source.file && `${source.file}:${source.line ?? ''}`]
            .filter(Boolean)
            .join(' · '),
        ),
      line && figuresOf(host, line),
    );
    const isStale = this.#drawn !== key;
    this.#drawn = key;
    for (const part of this.#parts) part.update(row, isStale);
  }

  /** The function asked for, else the one with the greatest self cost. */
  get row(): number | undefined {
    const { state, shown } = this.#host;
    if (state.row !== undefined && state.row < shown.rows.length) return state.row;
    const columns = shown.functions(shown.last);
    const by = shown.unit ? columns.self : columns.calls;
    return by.reduce<number | undefined>(
      (most, value, row) => (value > (by[most ?? 0] ?? 0n) || most === undefined ? row : most),
      undefined,
    );
  }

  focus(): void {
    this.#parts[0]?.focus();
  }

  destroy(): void {
    for (const part of this.#parts) part.destroy();
  }
}

/** Callers or callees: a table and a flame graph. */
class Part {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #kind: FlameQuery['kind'];
  readonly #table: Table<Line>;
  readonly #view: FlameView;
  #sort = '';
  #row: number | undefined;

  constructor(host: Host, kind: FlameQuery['kind']) {
    this.#host = host;
    this.#kind = kind;
    const title = kind === 'callers' ? 'Callers' : 'Callees';
    this.#table = new Table<Line>(
      title,
      (sort) => {
        this.#sort = sort;
        this.update(this.#row, false);
      },
      ({ row }) => {
        if (row < host.shown.rows.length) host.openSandwich(row);
      },
    );
    this.#view = new FlameView(host, `Flame graph of ${title.toLowerCase()}`);
    this.#view.onzoom = (frame) => this.#view.zoomTo(frame);
    this.element = h(
      'section',
      { class: 'xr-sandwich-part', 'aria-label': title },
      h('h3', {}, title),
      this.#table.element,
      this.#view.element,
    );
  }

  update(row: number | undefined, isStale: boolean): void {
    const { shown, state } = this.#host;
    this.#row = row;
    if (row === undefined) return;
    const of = (side: number) =>
      this.#kind === 'callers' ? shown.callers(side, row) : shown.callees(side, row);
    const lines = linesOf(shown.profiles.map((_, side) => of(side)));
    const all = linesOf(shown.profiles.map((_, side) => shown.functions(side)));
    this.#table.show(
      // The graph beside it shows the shares, and there is no room for all of a comparison.
      columnsOf(this.#host, wholeOf(all)).filter(
        ({ id }) =>
          !/share|perCall|before/.test(id) &&
          !(shown.compares && shown.unit && /^total|^calls-change/.test(id)),
      ),
      lines,
      this.#sort || defaultSort(this.#host),
      this.#kind === 'callers' ? 'Nothing called it.' : 'It called nothing that is instrumented.',
    );
    if (isStale) this.#view.show({ kind: this.#kind, calls: state.calls || !shown.unit, row }, []);
    else this.#view.restyle();
  }

  focus(): void {
    this.#table.focus();
  }

  destroy(): void {
    this.#table.destroy();
    this.#view.destroy();
  }
}

function figuresOf(host: Host, line: Line): HTMLElement {
  const columns = columnsOf(host, wholeOf([line])).filter(({ id }) => !id.endsWith('share'));
  return h(
    'dl',
    { class: 'xr-facts' },
    ...columns
      .slice(1)
      .flatMap(({ title, text, hint }) => [
        h('div', {}, h('dt', {}, title), h('dd', { title: hint?.(line) ?? '' }, text(line))),
      ]),
  );
}
