// A table of any length: only the rows in sight are elements.

import { fill, h } from '../dom.js';

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** In words, where the title is short. */
  readonly description?: string;
  readonly number?: boolean;
  /** Width as in `grid-template-columns`; without, as the greatest number needs. */
  readonly width?: string;
  /** Left out where there is no room for all. */
  readonly optional?: boolean;
  readonly value: (item: T) => bigint | number | string;
  readonly text: (item: T) => string;
  /** What pointing at the cell shows. */
  readonly hint?: (item: T) => string;
  /** A second, quieter text. */
  readonly note?: (item: T) => string;
}

/** Rows beyond those in sight. */
const SPARE = 8;

export class Table<T> {
  readonly element: HTMLElement;
  readonly #head = h('div', { class: 'xr-tr xr-thead', role: 'row' });
  readonly #body = h('div', { class: 'xr-tbody', role: 'rowgroup' });
  readonly #grid: HTMLElement;
  readonly #empty = h('p', { class: 'xr-empty-table' });
  readonly #onsort: (sort: string) => void;
  readonly #onopen: (item: T) => void;
  readonly #observer: ResizeObserver;
  #columns: readonly Column<T>[] = [];
  #items: T[] = [];
  #active = 0;
  #first = -1;
  #last = -1;
  /** Height of a row, in px; the style sheet knows it. */
  #height = 28;

  constructor(label: string, onsort: (sort: string) => void, onopen: (item: T) => void) {
    this.#onsort = onsort;
    this.#onopen = onopen;
    this.#grid = h(
      'div',
      { class: 'xr-grid', role: 'grid', tabIndex: 0, 'aria-label': label },
      h('div', { role: 'rowgroup', class: 'xr-thead-group' }, this.#head),
      this.#body,
    );
    this.element = h('div', { class: 'xr-table' }, this.#grid, this.#empty);
    this.#grid.addEventListener('scroll', () => this.#render(false));
    this.#grid.addEventListener('keydown', (event) => this.#onKey(event));
    this.#observer = new ResizeObserver(() => this.#render(false));
    this.#observer.observe(this.#grid);
  }

  /** @param sort a column's id, with `-` in front for smallest first */
  show(columns: readonly Column<T>[], items: readonly T[], sort: string, empty: string): void {
    this.#columns = columns;
    const height = getComputedStyle(this.#grid).getPropertyValue('--xr-row');
    this.#height = Number.parseFloat(height) || 28;
    const upwards = sort.startsWith('-');
    const by = columns.find(({ id }) => id === sort.replace(/^-/, ''));
    this.#items = by ? sorted(items, by, upwards) : [...items];
    this.#active = Math.min(this.#active, Math.max(this.#items.length - 1, 0));
    const template = (columns: readonly Column<T>[]) =>
      columns.map((column) => column.width ?? fitting(column, items)).join(' ');
    const { style } = this.#grid;
    style.setProperty('--xr-columns', template(columns));
    style.setProperty('--xr-fewer-columns', template(columns.filter(({ optional }) => !optional)));
    this.#grid.setAttribute('aria-rowcount', String(this.#items.length + 1));
    fill(this.#head, ...columns.map((column) => this.#headCell(column, by, upwards)));
    this.#body.style.height = `${this.#items.length * this.#height}px`;
    this.#empty.textContent = this.#items.length === 0 ? empty : '';
    this.#render(true);
  }

  focus(): void {
    this.#grid.focus();
  }

  destroy(): void {
    this.#observer.disconnect();
  }

  #headCell(column: Column<T>, by: Column<T> | undefined, upwards: boolean): HTMLElement {
    const isSorted = column === by;
    // Numbers start with the greatest, names with A.
    const isUp = isSorted && upwards !== !column.number;
    const next = isSorted && !upwards ? `-${column.id}` : column.id;
    return h(
      'div',
      {
        role: 'columnheader',
        class: classOf(column, ''),
        'aria-sort': isSorted ? (isUp ? 'ascending' : 'descending') : 'none',
      },
      h(
        'button',
        {
          type: 'button',
          class: 'xr-sort',
          title: column.description ?? '',
          onclick: () => this.#onsort(next),
        },
        column.title,
        h('span', { class: 'xr-arrow', 'aria-hidden': 'true' }, isSorted ? (isUp ? '↑' : '↓') : ''),
      ),
    );
  }

  #render(anew: boolean): void {
    const { scrollTop, clientHeight } = this.#grid;
    const first = Math.max(0, Math.floor(scrollTop / this.#height) - SPARE);
    const last = Math.min(
      this.#items.length,
      Math.ceil((scrollTop + clientHeight) / this.#height) + SPARE,
    );
    if (!anew && first === this.#first && last === this.#last) return;
    this.#first = first;
    this.#last = last;
    fill(
      this.#body,
      ...this.#items.slice(first, last).map((item, at) => this.#row(item, first + at)),
    );
    this.#markActive();
  }

  #row(item: T, index: number): HTMLElement {
    const row = h(
      'div',
      {
        class: 'xr-tr',
        role: 'row',
        id: this.#idOf(index),
        'aria-rowindex': String(index + 2),
        onclick: () => {
          this.#active = index;
          this.#markActive();
        },
        ondblclick: () => this.#onopen(item),
      },
      ...this.#columns.map((column, at) =>
        h(
          'div',
          {
            role: at === 0 ? 'rowheader' : 'gridcell',
            class: classOf(column, 'xr-name'),
            title: column.hint?.(item).slice(0, 1000) ?? '',
            // In one piece, though it is shown in two.
            'aria-label': column.number ? undefined : nameOf(column, item),
          },
          column.number ? column.text(item) : cutInside(column.text(item).slice(0, 400)),
          column.note !== undefined && h('span', { class: 'xr-note' }, column.note(item)),
        ),
      ),
    );
    row.style.transform = `translateY(${index * this.#height}px)`;
    return row;
  }

  #idOf(index: number): string {
    return `${this.#grid.getAttribute('aria-label')?.replaceAll(/\W/g, '-')}-${index}`;
  }

  #markActive(): void {
    for (const row of this.#body.children) {
      const isActive = row.id === this.#idOf(this.#active);
      row.classList.toggle('xr-active', isActive);
      row.setAttribute('aria-selected', String(isActive));
    }
    const isDrawn = this.#active >= this.#first && this.#active < this.#last;
    if (isDrawn) this.#grid.setAttribute('aria-activedescendant', this.#idOf(this.#active));
    else this.#grid.removeAttribute('aria-activedescendant');
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.#grid) return;
    const page = Math.max(Math.floor(this.#grid.clientHeight / this.#height) - 2, 1);
    const last = this.#items.length - 1;
    const to = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: last,
    }[event.key];
    const item = this.#items[this.#active];
    if (to !== undefined) {
      this.#active = Math.min(Math.max(to, 0), Math.max(last, 0));
      this.#reveal();
    } else if (event.key === 'Enter' && item !== undefined) {
      this.#onopen(item);
    } else {
      return;
    }
    event.preventDefault();
  }

  #reveal(): void {
    const head = this.#head.offsetHeight;
    const top = this.#active * this.#height;
    const { scrollTop, clientHeight } = this.#grid;
    if (top < scrollTop) this.#grid.scrollTop = top;
    else if (top + this.#height + head > scrollTop + clientHeight) {
      this.#grid.scrollTop = top + this.#height + head - clientHeight;
    }
    this.#render(false);
    this.#markActive();
  }
}

function classOf<T>({ number, optional }: Column<T>, otherwise: string): string {
  return `${number ? 'xr-number' : otherwise}${optional ? ' xr-optional' : ''}`;
}

/** As wide as the title and the longest number, which is that of the greatest or the least value. */
function fitting<T>(column: Column<T>, items: readonly T[]): string {
  let [least, greatest] = [items[0], items[0]];
  for (const item of items) {
    if (least !== undefined && column.value(item) < column.value(least)) least = item;
    if (greatest !== undefined && column.value(item) > column.value(greatest)) greatest = item;
  }
  const texts = [least, greatest].flatMap((item) => (item === undefined ? [] : column.text(item)));
  // Letters are narrower than digits.
  const title = column.title.length * 0.86;
  const characters = Math.max(title, 5, ...texts.map(({ length }) => length));
  return `calc(${Math.ceil(characters)}ch + 24px)`;
}

function nameOf<T>(column: Column<T>, item: T): string {
  return [column.text(item).slice(0, 400), column.note?.(item)].filter(Boolean).join(', ');
}

/** Letters at the end of a name that are always seen: names that begin alike differ there. */
const TAIL = 14;

/** A text that is cut inside if there is no room for it. */
function cutInside(text: string): HTMLElement {
  const at = Math.max(text.length - TAIL, 0);
  return h(
    'span',
    { class: 'xr-cut' },
    h('span', { class: 'xr-cut-head' }, text.slice(0, at)),
    h('span', {}, text.slice(at)),
  );
}

/** Numbers greatest first, texts from A, or the reverse; equal ones stay as they were. */
function sorted<T>(items: readonly T[], by: Column<T>, reverse: boolean): T[] {
  const keyed = items.map((item) => ({ item, key: by.value(item) }));
  const sign = (by.number ? -1 : 1) * (reverse ? -1 : 1);
  keyed.sort(({ key: one }, { key: other }) => {
    if (one === other) return 0;
    return one < other ? -sign : sign;
  });
  return keyed.map(({ item }) => item);
}
