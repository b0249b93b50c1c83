// The selected frame in figures, and the frames below it as a list: what the canvas
// shows, for who does not see it.

import { fill, h } from '../dom.js';
import { type FlameColumns, isRow } from '../flame/columns.js';
import { grouped, percent, signed } from '../format.js';
import type { Shown } from '../profiles.js';
import { weightOf } from './figures.js';
import type { FlameView } from './flame-view.js';

/** Rows of the list; the rest is one line. */
const MAX_CHILDREN = 200;

export class Details {
  readonly element = h('section', { class: 'xr-details', 'aria-label': 'Selected frame' });
  readonly #view: FlameView;

  constructor(view: FlameView) {
    this.#view = view;
  }

  show(frame: number): void {
    const view = this.#view;
    const { flame, host } = view;
    if (!flame) return;
    const label = flame.label(frame);
    const row = isRow(label) ? host.shown.rows[label] : undefined;
    this.element.classList.toggle('xr-compared', host.shown.compares);
    const place =
      row &&
      [row.module, row.kind === 'wasm' ? `function ${row.index}` : row.kind]
        .filter(Boolean)
        .join(' · ');
    const source = row?.file && (row.line === undefined ? row.file : `${row.file}:${row.line}`);
    const title = h('h2', { class: 'xr-details-name', tabIndex: -1 }, view.labelOf(frame));
    const hadFocus = this.element.contains(document.activeElement);
    fill(
      this.element,
      title,
      row?.raw !== undefined &&
        h('p', { class: 'xr-muted xr-wrap' }, host.state.raw ? row.name : row.raw),
      place !== undefined && h('p', { class: 'xr-muted xr-wrap' }, place),
      source ? h('p', { class: 'xr-muted xr-wrap' }, source) : undefined,
      figuresTable(host.shown, flame, frame),
      h(
        'div',
        { class: 'xr-row' },
        h('button', { type: 'button', onclick: () => view.onzoom(frame) }, 'Zoom in'),
        row &&
          h(
            'button',
            { type: 'button', onclick: () => host.openSandwich(label) },
            'Callers and callees',
          ),
        h(
          'button',
          { type: 'button', onclick: () => host.copy(pathText(view, frame), 'the path') },
          'Copy path',
        ),
      ),
      flame.cut.has(frame) &&
        h(
          'p',
          { class: 'xr-muted' },
          'It has more callers than this graph draws. “Callers and callees” starts from it and shows them.',
        ),
      this.#children(flame, frame),
    );
    // The frame that was chosen in the list is the one that is shown now.
    if (hadFocus) title.focus();
  }

  #children(flame: FlameColumns, frame: number): HTMLElement {
    const view = this.#view;
    const [first, end] = flame.children(frame);
    const isStart = flame.query.kind === 'callers' && !isRow(flame.label(frame));
    const what = flame.query.kind === 'callees' ? 'Callees' : isStart ? 'Functions' : 'Callers';
    if (first === end) return h('p', { class: 'xr-muted' }, `No ${what.toLowerCase()}.`);
    const { shown } = view.host;
    const text = textOf(shown, flame);
    const whole = weightOf(flame, flame.figures(shown.last, 0));
    const rows = [];
    for (let child = first; child < Math.min(end, first + MAX_CHILDREN); child++) {
      const weight = weightOf(flame, flame.figures(shown.last, child));
      const change = shown.compares && weight - weightOf(flame, flame.figures(0, child));
      rows.push(
        h(
          'tr',
          {},
          h(
            'td',
            {},
            h(
              'button',
              { type: 'button', class: 'xr-link xr-name', onclick: () => view.select(child) },
              view.labelOf(child).slice(0, 400),
            ),
          ),
          h('td', { class: 'xr-number' }, text(weight)),
          h(
            'td',
            { class: 'xr-number xr-muted' },
            change === false ? percent(weight, whole) : signed(change, text),
          ),
        ),
      );
    }
    const rest = end - first - rows.length;
    return h(
      'div',
      {},
      h(
        'table',
        { class: 'xr-list' },
        h('caption', {}, `${what}: ${grouped(end - first)}`),
        h(
          'colgroup',
          {},
          h('col'),
          h('col', { class: 'xr-col-weight' }),
          h('col', { class: 'xr-col-share' }),
        ),
        h(
          'thead',
          { class: 'xr-hidden' },
          h(
            'tr',
            {},
            h('th', {}, 'Function'),
            h('th', {}, 'Weight'),
            h('th', {}, shown.compares ? 'Change' : 'Share'),
          ),
        ),
        h('tbody', {}, ...rows),
      ),
      rest > 0 && h('p', { class: 'xr-muted' }, `and ${grouped(rest)} lighter ones`),
    );
  }
}

/** The figures that a graph of this kind has, with a line each. */
function figuresTable(shown: Shown, flame: FlameColumns, frame: number): HTMLElement {
  const sides = shown.profiles.map((_, side) => flame.figures(side, frame));
  const { unit } = shown;
  const inverted = flame.query.kind === 'callers';
  const lines: [string, bigint[], (value: bigint) => string, (value: bigint) => string][] = [];
  const add = (
    title: string,
    of: (side: (typeof sides)[number]) => bigint,
    text = grouped as (value: bigint) => string,
    mark: (value: bigint) => string = () => '',
  ) => lines.push([title, sides.map(of), text, mark]);
  const isFunction = isRow(flame.label(frame));
  if (isFunction || inverted) add('Calls', (side) => side.calls);
  if (unit) {
    if (isFunction) {
      add(
        'Self',
        (side) => side.self,
        unit.text,
        (self) => shown.guessMark(self),
      );
    }
    if (!inverted || !isFunction || flame.query.row !== undefined)
      add('Total', (side) => side.total, unit.text);
    if (isFunction) {
      add('Self per call', ({ self, calls }) => (calls ? self / calls : 0n), unit.text);
    }
  }
  if (!inverted) add('Calls with callees', (side) => side.totalCalls);
  return h(
    'table',
    { class: 'xr-figures' },
    h(
      'thead',
      { class: shown.compares ? '' : 'xr-hidden' },
      h(
        'tr',
        {},
        h('th', {}, 'Figure'),
        ...(shown.compares ? ['Before', 'After', 'Change'] : ['Value']).map((title) =>
          h('th', {}, title),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      ...lines.map(([title, values, text, mark]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, title),
          ...values.map((value) =>
            h(
              'td',
              { class: 'xr-number', title: exact(value, text, shown) },
              `${mark(value)}${text(value)}`,
            ),
          ),
          shown.compares &&
            h('td', { class: 'xr-number' }, signed((values[1] ?? 0n) - (values[0] ?? 0n), text)),
        ),
      ),
    ),
  );
}

function exact(value: bigint, text: (value: bigint) => string, shown: Shown): string {
  return text === shown.unit?.text ? shown.unit.exact(value) : text(value);
}

function textOf(shown: Shown, flame: FlameColumns): (value: bigint) => string {
  return flame.query.calls || !shown.unit ? grouped : shown.unit.text;
}

/** The path as folded stacks have it. */
function pathText(view: FlameView, frame: number): string {
  const { flame } = view;
  if (!flame) return '';
  const frames = flame.path(frame).filter((at) => isRow(flame.label(at)));
  return frames.map((at) => view.labelOf(at)).join(';');
}
