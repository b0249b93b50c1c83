// The bars of a flame graph as pixels: a line of them for each level, which the canvas
// stretches to the level's height. So a frame costs what its width has of pixels, and not a
// call of the canvas, of which a large screen would need thousands in each picture.

import type { FlameColumns } from './columns.js';

/** A bar that is wide enough for a name. */
export interface WideBar {
  readonly frame: number;
  readonly level: number;
  /** In px of the canvas; what lies outside of it is cut off. */
  readonly left: number;
  readonly right: number;
}

/** What part of the graph is painted, in px of the canvas. */
export interface Strip {
  readonly firstLevel: number;
  readonly lastLevel: number;
  /** Weight at the canvas's left edge. */
  readonly start: number;
  /** Px for a unit of weight. */
  readonly scale: number;
  /** Between two bars. */
  readonly gap: number;
  /** Bars at least this wide are listed. */
  readonly wide: number;
  /** Colour of a frame, as {@link toPixel} has it. */
  readonly pixelOf: (frame: number) => number;
  readonly background: number;
}

/** However thin a bar is, this much of its colour is seen. */
const LEAST_COVER = 0.4;
/** Bars narrower than so many gaps have none. */
const GAPLESS = 3;

export class Bars {
  readonly #context: CanvasRenderingContext2D;
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.#image.data.buffer);

  constructor() {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!context) throw new Error('This browser has no 2D canvas: use another one.');
    this.#context = context;
  }

  /** What {@link paint} painted: a line of pixels for each level. */
  get canvas(): HTMLCanvasElement {
    return this.#context.canvas;
  }

  resize(width: number, levels: number): void {
    this.#context.canvas.width = width;
    this.#context.canvas.height = levels;
    this.#image = new ImageData(width, levels);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
  }

  /** Paints levels from the top of {@link canvas} down, as many as fit. Returns bars with room for a name. */
  paint(flame: FlameColumns, strip: Strip): WideBar[] {
    const { height } = this.#image;
    const wide: WideBar[] = [];
    const levels = Math.min(strip.lastLevel - strip.firstLevel + 1, height);
    for (let at = 0; at < levels; at++) {
      this.#paintLevel(flame, strip, strip.firstLevel + at, at, wide);
    }
    this.#context.putImageData(this.#image, 0, 0, 0, 0, this.#image.width, levels);
    return wide;
  }

  #paintLevel(
    flame: FlameColumns,
    strip: Strip,
    level: number,
    line: number,
    wide: WideBar[],
  ): void {
    const { width } = this.#image;
    const pixels = this.#pixels.subarray(line * width, (line + 1) * width);
    const { start, scale, gap, pixelOf, background } = strip;
    pixels.fill(background);
    const [first, end] = flame.level(level);
    let frame = flame.firstEndingAfter(start, first, end);
    while (frame < end) {
      const left = (flame.start(frame) - start) * scale;
      const right = (flame.end(frame) - start) * scale;
      const from = Math.max(Math.round(left), 0);
      const to = Math.min(Math.round(right), width);
      if (from >= width) break;
      if (to > from) {
        const own = to - from > GAPLESS * gap && to < width ? gap : 0;
        pixels.fill(pixelOf(frame), from, to - own);
        if (to - from >= strip.wide) wide.push({ frame, level, left: from, right: to - own });
        frame++;
        continue;
      }
      // Less than a pixel: all up to the first that reaches beyond it are one bar.
      const next = flame.skipTo(start + (from + 0.5) / scale, frame + 1, end);
      const reached = (flame.end(next - 1) - start) * scale;
      const cover = Math.min(Math.max(reached - left, LEAST_COVER), 1);
      pixels[from] = mix(pixelOf(frame), background, cover);
      frame = next;
    }
  }
}

/** A colour `#rrggbb` as a pixel of image data; every engine with WebAssembly is little-endian. */
export function toPixel(hex: string): number {
  const rgb = Number.parseInt(hex.slice(1), 16);
  return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

function mix(over: number, under: number, cover: number): number {
  const channel = (shift: number) => {
    const [one, other] = [(over >>> shift) & 0xff, (under >>> shift) & 0xff];
    return Math.round(other + (one - other) * cover) << shift;
  };
  return ((0xff << 24) | channel(16) | channel(8) | channel(0)) >>> 0;
}
