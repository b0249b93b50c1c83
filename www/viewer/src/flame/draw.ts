// Draws what is in sight of a flame graph, and nothing else.

import { shorten } from '../format.js';
import type { Matches } from '../search.js';
import type { Sight } from './camera.js';
import type { Colours } from './colours.js';
import { type FlameColumns, isRow } from './columns.js';

/** Frames narrower than this are drawn together as one thin bar, in px. */
const MIN_WIDTH = 0.6;
/** Frames narrower than this have no text, in px. */
const MIN_TEXT = 28;
const PADDING = 5;

export interface Scene {
  readonly flame: FlameColumns;
  readonly colours: Colours;
  readonly matches: Matches | undefined;
  readonly selected: number;
  readonly hovered: number | undefined;
  readonly focused: boolean;
  readonly nameOf: (label: number) => string;
}

/** What was drawn, for measurements. */
export interface Drawn {
  readonly frames: number;
}

export interface Surface {
  readonly context: CanvasRenderingContext2D;
  /** In px of the page. */
  readonly width: number;
  readonly height: number;
  /** Width of a character of the fixed-width font. */
  readonly character: number;
  readonly font: string;
  /** Height of a level. */
  readonly line: number;
}

export function draw(surface: Surface, scene: Scene, sight: Sight): Drawn {
  const { context, width, height, line } = surface;
  const { flame } = scene;
  context.fillStyle = scene.colours.palette.background;
  context.fillRect(0, 0, width, height);
  context.font = surface.font;
  context.textBaseline = 'middle';
  let frames = 0;
  const firstLevel = Math.max(0, Math.floor(sight.top / line));
  const lastLevel = Math.min(flame.depth - 1, Math.floor((sight.top + height) / line));
  for (let level = firstLevel; level <= lastLevel; level++) {
    frames += drawLevel(surface, scene, sight, level);
  }
  outline(surface, scene, sight);
  return { frames };
}

function drawLevel(surface: Surface, scene: Scene, sight: Sight, level: number): number {
  const { context, width, line } = surface;
  const { flame, colours } = scene;
  const { palette } = colours;
  const scale = width / sight.width;
  const top = level * line - sight.top;
  const [first, end] = flame.level(level);
  const sightEnd = sight.start + sight.width;
  let frames = 0;
  let frame = flame.firstEndingAfter(sight.start, first, end);
  while (frame < end && flame.start(frame) < sightEnd) {
    frames++;
    const left = Math.max((flame.start(frame) - sight.start) * scale, -1);
    const right = Math.min((flame.end(frame) - sight.start) * scale, width + 1);
    if (right - left < MIN_WIDTH) {
      // Skip to the first frame that ends beyond this px: what lies between is one bar.
      const next = flame.firstEndingAfter(sight.start + (left + 1) / scale, frame + 1, end);
      context.fillStyle = style(scene, frame).fill;
      const reached = (flame.end(next - 1) - sight.start) * scale;
      context.fillRect(left, top, Math.max(Math.min(reached - left, 1), 0.4), line - 1);
      frame = next;
      continue;
    }
    const { fill, text } = style(scene, frame);
    const box = Math.max(right - left - (right - left > 3 ? 1 : 0), MIN_WIDTH);
    context.fillStyle = fill;
    context.fillRect(left, top, box, line - 1);
    if (box >= MIN_TEXT) drawText(surface, scene, frame, left, top, box, text);
    if (frame === scene.hovered) {
      context.strokeStyle = palette.focus;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, top + 0.5, box - 1, line - 2);
    }
    frame++;
  }
  return frames;
}

function style(scene: Scene, frame: number): { fill: string; text: string } {
  const { palette, of } = scene.colours;
  if (scene.matches) {
    const found = scene.matches.rows[scene.flame.label(frame)] === 1;
    return found
      ? { fill: palette.match, text: palette.matchText }
      : { fill: palette.dimmed, text: palette.dimmedText };
  }
  return { fill: palette.fills[of(frame)] ?? palette.special, text: palette.text };
}

function drawText(
  surface: Surface,
  scene: Scene,
  frame: number,
  left: number,
  top: number,
  width: number,
  colour: string,
): void {
  const { context, character, line } = surface;
  // What begins left of the canvas keeps its name in sight.
  const from = Math.max(left, 0) + PADDING;
  const room = left + width - PADDING - from;
  const label = scene.flame.label(frame);
  const text = fit(scene.nameOf(label), room, character, context);
  if (text === '') return;
  context.fillStyle = colour;
  context.globalAlpha = isRow(label) ? 1 : 0.8;
  context.fillText(text, from, top + line / 2);
  context.globalAlpha = 1;
}

/** As much of a name as there is room for. */
function fit(
  name: string,
  room: number,
  character: number,
  context: CanvasRenderingContext2D,
): string {
  let length = Math.floor(room / character);
  if (length < 2) return '';
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  if (name.length <= length && isPlain) return name;
  let text = shorten(name, length);
  // Other scripts can be wider than the fixed-width font.
  while (!isPlain && length > 1 && context.measureText(text).width > room) {
    length = Math.floor(length * 0.8);
    text = shorten(name, length);
  }
  return text;
}

function outline(surface: Surface, scene: Scene, sight: Sight): void {
  const { context, width, line } = surface;
  const { flame, selected, colours } = scene;
  const scale = width / sight.width;
  const left = Math.max((flame.start(selected) - sight.start) * scale, 0);
  const right = Math.min((flame.end(selected) - sight.start) * scale, width);
  const top = flame.levelOf(selected) * line - sight.top;
  if (right < 0 || left > width) return;
  context.strokeStyle = colours.palette.focus;
  context.lineWidth = scene.focused ? 2 : 1;
  context.strokeRect(left + 1, top + 1, Math.max(right - left - 3, 1), line - 3);
}
