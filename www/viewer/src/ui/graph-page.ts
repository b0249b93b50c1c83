// The page with one flame graph: what it is zoomed into, the canvas, the legend, the details.

import { fill, h } from '../dom.js';
import { shorten } from '../format.js';
import { Details } from './details.js';
import { FlameView } from './flame-view.js';
import type { Host } from './host.js';

/** Frames of the path that are named; the ones between are one. */
const MAX_CRUMBS = 7;

export class GraphPage {
  readonly element: HTMLElement;
  readonly view: FlameView;
  readonly #host: Host;
  readonly #details: Details;
  readonly #crumbs = h('ol', {});
  readonly #legend = h('ul', { class: 'xr-legend', 'aria-label': 'What colours mean' });
  /** What is drawn, so that nothing is laid out twice. */
  #drawn = '';

  constructor(host: Host) {
    this.#host = host;
    this.view = new FlameView(host, 'Flame graph');
    this.#details = new Details(this.view);
    this.view.onselect = (frame) => this.#details.show(frame);
    this.view.onzoom = (frame) => {
      const { flame } = this.view;
      if (!flame) return;
      const path = flame.path(frame);
      host.set({ zoom: path.slice(1).map((at) => flame.label(at)) });
      this.view.zoomTo(frame);
      this.#showCrumbs();
    };
    this.element = h(
      'div',
      { class: 'xr-graph' },
      h(
        'div',
        { class: 'xr-graph-main' },
        h('nav', { class: 'xr-crumbs', 'aria-label': 'Zoomed into' }, this.#crumbs),
        this.view.element,
        this.#legend,
      ),
      this.#details.element,
    );
  }

  focus(): void {
    this.view.canvas.focus();
  }

  /** Whether {@link update} has to lay out anew, which can take a while. */
  isStale(key: string): boolean {
    return this.#drawn !== key;
  }

  update(key: string): void {
    const { state } = this.#host;
    if (this.isStale(key)) {
      this.#drawn = key;
      const kind = state.view === 'callers' ? 'callers' : 'callees';
      const { calls, apart } = state;
      this.view.show({ kind, calls: calls || !this.#host.shown.unit, apart }, state.zoom);
    } else {
      this.view.restyle();
      this.#details.show(this.view.selected);
    }
    this.#showCrumbs();
    fill(
      this.#legend,
      ...this.view.legend.slice(0, 12).map(({ colour, label }) => {
        const swatch = h('span', { class: 'xr-swatch', 'aria-hidden': 'true' });
        swatch.style.backgroundColor = colour;
        return h('li', {}, swatch, shorten(label, 40));
      }),
    );
  }

  #showCrumbs(): void {
    const { flame } = this.view;
    if (!flame) return;
    const path = flame.path(flame.find(this.#host.state.zoom));
    const shown = path.length > MAX_CRUMBS ? [path[0] ?? 0, ...path.slice(1 - MAX_CRUMBS)] : path;
    const hadFocus = this.#crumbs.contains(document.activeElement);
    fill(
      this.#crumbs,
      ...shown.map((frame, at) =>
        h(
          'li',
          { class: at === 1 && shown.length < path.length ? 'xr-gap' : '' },
          h(
            'button',
            {
              type: 'button',
              class: 'xr-link',
              'aria-current': at === shown.length - 1 ? 'location' : undefined,
              onclick: () => {
                this.view.select(frame, false);
                this.view.onzoom(frame);
              },
            },
            shorten(this.view.labelOf(frame), 36),
          ),
        ),
      ),
    );
    if (hadFocus) this.#crumbs.querySelector<HTMLElement>('[aria-current]')?.focus();
  }
}
