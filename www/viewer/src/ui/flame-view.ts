// A flame graph on a canvas, with mouse, touch and keyboard.

import { h } from '../dom.js';
import { Bars } from '../flame/bars.js';
import { Camera } from '../flame/camera.js';
import { type Colours, colours } from '../flame/colours.js';
import { FlameColumns, isRow, specialLabel } from '../flame/columns.js';
import { draw } from '../flame/draw.js';
import type { FlameQuery } from '../profiles.js';
import { percentOf, summaryOf } from './figures.js';
import { listenToKeys } from './flame-keys.js';
import { listenToPointer } from './flame-pointer.js';
import type { Host } from './host.js';

const FONT = 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace';
/** Size of the text in a level of a height. */
const TEXT = 0.6;

export class FlameView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly camera = new Camera();
  flame: FlameColumns | undefined;
  selected = 0;
  hovered: number | undefined;
  /** Told when another frame is selected. */
  onselect: (frame: number) => void = () => {};
  /** Told when the user zooms into a frame. */
  onzoom: (frame: number) => void = () => {};
  readonly host: Host;
  readonly #tip: HTMLElement;
  readonly #more: HTMLElement;
  readonly #empty = h('p', { class: 'xr-empty', hidden: true });
  readonly #observer: ResizeObserver;
  readonly #context: CanvasRenderingContext2D;
  readonly #bars = new Bars();
  #colours: Colours | undefined;
  #width = 0;
  #height = 0;
  /** Px of the canvas for one of the page. */
  #ratio = 1;
  /** Width of a character, in px of the canvas. */
  #character = 7.2;
  /** Height of a level, in px of the page; the style sheet knows it. */
  #line = 20;
  #font = '';
  #pending = 0;
  #names = new Map<number, string>();

  constructor(host: Host, label: string) {
    this.host = host;
    this.canvas = h('canvas', {
      class: 'xr-canvas',
      tabIndex: 0,
      role: 'application',
      'aria-label': `${label}. Arrow keys go from frame to frame, Enter zooms in, Backspace out, question mark lists all keys. The list beside it has the same figures.`,
    });
    const context = this.canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('This browser has no 2D canvas: use another one.');
    this.#context = context;
    this.#tip = h('div', { class: 'xr-tip', hidden: true, 'aria-hidden': 'true' });
    this.#more = h('div', { class: 'xr-more', hidden: true, 'aria-hidden': 'true' });
    this.element = h('div', { class: 'xr-flame' }, this.canvas, this.#empty, this.#more, this.#tip);
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(this.canvas);
    listenToPointer(this);
    listenToKeys(this);
    for (const event of ['focus', 'blur']) this.canvas.addEventListener(event, () => this.redraw());
  }

  /** Draws another graph; the frame with these labels is selected and zoomed into. */
  show(query: FlameQuery, zoom: readonly number[]): void {
    this.flame?.free();
    this.flame = new FlameColumns(this.host.shown, query);
    this.camera.whole = this.flame.whole || 1;
    this.#empty.hidden = this.flame.whole > 0;
    this.#empty.textContent = query.calls
      ? 'No function was called.'
      : 'Nothing took any time here: look at calls instead (Weight).';
    this.hovered = undefined;
    this.#tip.hidden = true;
    this.selected = this.flame.find(zoom);
    this.restyle();
    this.#resize();
    this.zoomTo(this.selected, false);
    this.onselect(this.selected);
  }

  /** Colours or names are others now. */
  restyle(): void {
    if (!this.flame) return;
    const { host } = this;
    this.#colours = colours(host.shown, this.flame, host.state.colour, host.dark);
    this.#names.clear();
    this.redraw();
  }

  get legend(): Colours['legend'] {
    return this.#colours?.legend ?? [];
  }

  labelOf(frame: number): string {
    const label = this.flame?.label(frame) ?? 0;
    return this.#nameOf(label);
  }

  /** Selects a frame and brings it into sight. */
  select(frame: number, reveal = true): void {
    const { flame } = this;
    if (!flame || frame < 0 || frame >= flame.length) return;
    this.selected = frame;
    if (reveal) this.#reveal(flame, frame);
    this.redraw();
    this.onselect(frame);
    const share = percentOf(flame, frame);
    this.host.say(
      `${this.labelOf(frame)}: ${summaryOf(this.host.shown, flame, frame)}${share && `, ${share}`}`,
    );
  }

  /** Makes a frame as wide as the canvas. */
  zoomTo(frame: number, animated = true): void {
    const { flame } = this;
    if (!flame) return;
    const level = flame.levelOf(frame);
    const { top } = this.camera.target;
    const inSight = level * this.#line >= top && (level + 3) * this.#line <= top + this.#height;
    this.camera.moveTo(
      {
        start: flame.start(frame),
        width: flame.width(frame) || 1,
        top: inSight ? top : Math.max(level - 2, 0) * this.#line,
      },
      performance.now(),
      animated && this.animates,
    );
    this.redraw();
  }

  get animates(): boolean {
    return !matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  /** The frame at a place on the canvas, in px. */
  frameAt(x: number, y: number): number | undefined {
    const sight = this.camera.at(performance.now());
    const place = sight.start + (x / this.#width) * sight.width;
    return this.flame?.at(Math.floor((y + sight.top) / this.#line), place);
  }

  hover(frame: number | undefined, x = 0, y = 0): void {
    if (frame !== this.hovered) {
      this.hovered = frame;
      this.redraw();
    }
    if (frame === undefined || !this.flame) {
      this.#tip.hidden = true;
      return;
    }
    const label = this.flame.label(frame);
    const row = isRow(label) ? this.host.shown.rows[label] : undefined;
    const share = percentOf(this.flame, frame);
    this.#tip.replaceChildren(
      h('div', { class: 'xr-tip-name' }, this.labelOf(frame).slice(0, 300)),
      h(
        'div',
        {},
        `${summaryOf(this.host.shown, this.flame, frame)}${share && ` · ${share}`}${row?.module ? ` · ${row.module.slice(0, 60)}` : ''}`,
      ),
    );
    this.#tip.hidden = false;
    const { offsetWidth, offsetHeight } = this.#tip;
    const left = Math.max(4, Math.min(x + 14, this.#width - offsetWidth - 4));
    const below = y + 18 + offsetHeight < this.#height;
    this.#tip.style.transform = `translate(${left}px, ${below ? y + 18 : Math.max(y - offsetHeight - 10, 4)}px)`;
  }

  /** Draws before the next frame of the screen. */
  redraw(): void {
    if (this.#pending) return;
    this.#pending = requestAnimationFrame((now) => {
      this.#pending = 0;
      this.#draw(now);
    });
  }

  destroy(): void {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#pending);
    this.flame?.free();
    this.flame = undefined;
  }

  get size(): { readonly width: number; readonly height: number } {
    return { width: this.#width, height: this.#height };
  }

  #reveal(flame: FlameColumns, frame: number): void {
    const { start, width, top } = this.camera.target;
    const y = flame.levelOf(frame) * this.#line;
    const above = Math.min(top, y);
    const newTop =
      y + this.#line * 2 > top + this.#height ? y + this.#line * 2 - this.#height : above;
    const frameWidth = flame.width(frame);
    const middle = flame.start(frame) + frameWidth / 2;
    const isOut = flame.end(frame) <= start || flame.start(frame) >= start + width;
    const isThin = frameWidth / width < 4 / this.#width;
    // A frame of less than 4 px cannot be seen: come closer, so that it has 60.
    const newWidth = isThin ? (frameWidth * this.#width) / 60 : width;
    const newStart = isOut || isThin ? middle - newWidth / 2 : start;
    if (newTop !== top || newStart !== start || newWidth !== width) {
      this.camera.moveTo(
        { start: newStart, width: newWidth, top: newTop },
        performance.now(),
        this.animates,
      );
    }
  }

  #nameOf(label: number): string {
    const known = this.#names.get(label);
    if (known !== undefined) return known;
    const { host } = this;
    const name = isRow(label) ? host.nameOf(label) : specialLabel(host.shown, label);
    this.#names.set(label, name);
    return name;
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#width = clientWidth;
    this.#height = clientHeight;
    const ratio = devicePixelRatio || 1;
    this.#ratio = ratio;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    const wanted = getComputedStyle(this.canvas).getPropertyValue('--xr-level');
    const line = Math.round((Number.parseFloat(wanted) || 20) * ratio);
    this.#line = line / ratio;
    this.#bars.resize(this.canvas.width, Math.ceil(this.canvas.height / line) + 1);
    this.#font = `${Math.round(line * TEXT)}px ${FONT}`;
    this.#context.font = this.#font;
    this.#character = this.#context.measureText('0').width;
    this.camera.maxTop = Math.max(((this.flame?.depth ?? 0) + 1) * this.#line - this.#height, 0);
    // Drawn at once: a canvas that is resized is empty.
    this.#draw(performance.now());
  }

  #draw(now: number): void {
    if (!this.flame || !this.#colours || this.#width === 0) return;
    const sight = this.camera.at(now);
    draw(
      {
        context: this.#context,
        bars: this.#bars,
        width: this.canvas.width,
        height: this.canvas.height,
        ratio: this.#ratio,
        character: this.#character,
        font: this.#font,
        line: Math.round(this.#line * this.#ratio),
      },
      {
        flame: this.flame,
        colours: this.#colours,
        matches: this.host.matches,
        selected: this.selected,
        hovered: this.hovered,
        focused: document.activeElement === this.canvas,
        nameOf: (label) => this.#nameOf(label),
      },
      sight,
    );
    const below = this.flame.depth - Math.floor((sight.top + this.#height) / this.#line);
    this.#more.hidden = below <= 0;
    if (below > 0) this.#more.textContent = `${below} more level${below === 1 ? '' : 's'} below`;
    if (this.camera.moves(now)) this.redraw();
  }
}
