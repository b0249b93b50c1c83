// Draws what is in sight of a flame graph, and nothing else.

import { shorten } from '../format.js';
import type { Matches } from '../search.js';
import { type Bars, toPixel, type WideBar } from './bars.js';
import type { Sight } from './camera.js';
import type { Colours } from './colours.js';
import { type FlameColumns, isRow } from './columns.js';

/** Bars narrower than this have no text, in px of the page. */
const MIN_TEXT = 28;
const PADDING = 5;
/** Less of a name says nothing. */
const MIN_CHARACTERS = 5;

export interface Scene {
  readonly flame: FlameColumns;
  readonly colours: Colours;
  readonly matches: Matches | undefined;
  readonly selected: number;
  readonly hovered: number | undefined;
  readonly focused: boolean;
  readonly nameOf: (label: number) => string;
}

/** Where it is drawn. All lengths are in px of the canvas, of which {@link ratio} are one of the page. */
export interface Surface {
  readonly context: CanvasRenderingContext2D;
  readonly bars: Bars;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** Width of a character of the fixed-width font. */
  readonly character: number;
  readonly font: string;
  /** Height of a level; a whole number, so that levels are alike. */
  readonly line: number;
}

export function draw(surface: Surface, scene: Scene, sight: Sight): void {
  const { context, bars, width, height, ratio, line } = surface;
  const { flame, colours } = scene;
  const { palette } = colours;
  const gap = Math.max(Math.round(ratio), 1);
  const top = Math.round(sight.top * ratio);
  const firstLevel = Math.max(0, Math.floor(top / line));
  const lastLevel = Math.min(flame.depth, Math.ceil((top + height) / line)) - 1;
  const levels = Math.max(lastLevel - firstLevel + 1, 0);
  const y = firstLevel * line - top;
  const wide = bars.paint(flame, {
    firstLevel,
    lastLevel,
    start: sight.start,
    scale: width / sight.width,
    gap,
    wide: MIN_TEXT * ratio,
    pixelOf: pixelsOf(scene),
    background: toPixel(palette.background),
  });
  context.imageSmoothingEnabled = false;
  if (levels > 0) context.drawImage(bars.canvas, 0, 0, width, levels, 0, y, width, levels * line);
  context.fillStyle = palette.background;
  for (let level = 1; level <= levels; level++) {
    context.fillRect(0, y + level * line - gap, width, gap);
  }
  const end = y + levels * line;
  if (end < height) context.fillRect(0, end, width, height - end);
  context.font = surface.font;
  context.textBaseline = 'middle';
  for (const bar of wide) drawName(surface, scene, bar, bar.level * line - top);
  const outlined = (frame: number, thick: number) =>
    outline(surface, scene, sight, frame, Math.round(thick * ratio));
  if (scene.hovered !== undefined) outlined(scene.hovered, 1);
  outlined(scene.selected, scene.focused ? 2 : 1);
}

/** What found frames and others look like while something is searched for. */
type Look = 'match' | 'dimmed' | 'plain';

function lookOf({ matches, flame }: Scene, frame: number): Look {
  if (!matches) return 'plain';
  return matches.rows[flame.label(frame)] === 1 ? 'match' : 'dimmed';
}

function pixelsOf(scene: Scene): (frame: number) => number {
  const { palette, of } = scene.colours;
  if (scene.matches) {
    const [match, dimmed] = [toPixel(palette.match), toPixel(palette.dimmed)];
    return (frame) => (lookOf(scene, frame) === 'match' ? match : dimmed);
  }
  const pixels = Uint32Array.from(palette.fills, toPixel);
  const special = toPixel(palette.special);
  return (frame) => pixels[of(frame)] ?? special;
}

function drawName(surface: Surface, scene: Scene, bar: WideBar, top: number): void {
  const { context, character, line, ratio } = surface;
  const { palette } = scene.colours;
  const label = scene.flame.label(bar.frame);
  const padding = PADDING * ratio;
  const room = bar.right - bar.left - 2 * padding;
  const text = fit(scene.nameOf(label), room, character, context);
  if (text === '') return;
  const look = lookOf(scene, bar.frame);
  context.fillStyle =
    look === 'match'
      ? palette.matchText
      : look === 'dimmed'
        ? palette.dimmedText
        : isRow(label)
          ? palette.text
          : palette.specialText;
  context.fillText(text, bar.left + padding, top + line / 2);
}

/** As much of a name as there is room for. */
function fit(
  name: string,
  room: number,
  character: number,
  context: CanvasRenderingContext2D,
): string {
  let length = Math.floor(room / character);
  if (length < Math.min(name.length, MIN_CHARACTERS)) return '';
  let text = shorten(name, length);
  // Other scripts can be wider than the fixed-width font.
  while (length > 1 && !/^[\x20-\x7e…]*$/.test(text) && context.measureText(text).width > room) {
    length = Math.floor(length * 0.8);
    text = shorten(name, length);
  }
  return text;
}

function outline(
  { context, width, line, ratio }: Surface,
  { flame, colours }: Scene,
  sight: Sight,
  frame: number,
  thick: number,
): void {
  const scale = width / sight.width;
  const left = Math.max(Math.round((flame.start(frame) - sight.start) * scale), 0);
  const right = Math.min(Math.round((flame.end(frame) - sight.start) * scale), width);
  if (right < 0 || left > width) return;
  const top = flame.levelOf(frame) * line - Math.round(sight.top * ratio);
  context.strokeStyle = colours.palette.focus;
  context.lineWidth = thick;
  const inset = thick / 2;
  const gap = Math.round(ratio);
  context.strokeRect(
    left + inset,
    top + inset,
    Math.max(right - left - gap - thick, 1),
    line - gap - thick,
  );
}
