// The keyboard on a flame graph.

import { isRow } from '../flame/columns.js';
import type { FlameView } from './flame-view.js';

const ZOOM = 1.5;
const PAN = 0.15;

export function listenToKeys(view: FlameView): void {
  view.canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!handle(view, event.key, event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function handle(view: FlameView, key: string, shift: boolean): boolean {
  const { flame, selected, camera, host } = view;
  if (!flame) return false;
  const now = performance.now();
  const pan = (parts: number, px: number) => {
    camera.pan(parts, px, now, view.animates);
    view.redraw();
  };
  switch (key) {
    case 'ArrowDown': {
      const [first, end] = flame.children(selected);
      if (first < end) view.select(first);
      return true;
    }
    case 'ArrowUp': {
      const parent = flame.parent(selected);
      if (parent !== undefined) view.select(parent);
      return true;
    }
    case 'ArrowLeft':
    case 'ArrowRight': {
      if (shift) pan(key === 'ArrowLeft' ? -PAN : PAN, 0);
      else sibling(view, key === 'ArrowLeft' ? -1 : 1);
      return true;
    }
    case 'Home':
      view.select(0);
      return true;
    case 'PageUp':
    case 'PageDown':
      pan(0, (key === 'PageUp' ? -0.8 : 0.8) * view.size.height);
      return true;
    case 'Enter':
    case ' ':
      view.onzoom(selected);
      return true;
    case 'Backspace':
    case 'Escape': {
      const parent = flame.parent(selected) ?? 0;
      view.select(key === 'Escape' ? 0 : parent, false);
      view.onzoom(key === 'Escape' ? 0 : parent);
      return true;
    }
    case '+':
    case '=':
    case '-': {
      const { start, width } = camera.target;
      const middle = flame.start(selected) + flame.width(selected) / 2;
      const place = Math.min(Math.max((middle - start) / width, 0), 1);
      camera.zoom(key === '-' ? 1 / ZOOM : ZOOM, place, now, view.animates);
      view.redraw();
      return true;
    }
    case '0':
      view.onzoom(0);
      return true;
    case 'n':
    case 'N':
      nextMatch(view, key === 'N' || shift ? -1 : 1);
      return true;
    case 's': {
      const label = flame.label(selected);
      if (isRow(label)) host.openSandwich(label);
      return true;
    }
    case 'c':
      host.copy(view.labelOf(selected), 'the name');
      return true;
    default:
      return false;
  }
}

/** The frame beside it on the same level, whoever its parent is. */
function sibling(view: FlameView, step: number): void {
  const { flame, selected } = view;
  if (!flame) return;
  const [first, end] = flame.level(flame.levelOf(selected));
  const next = selected + step;
  if (next >= first && next < end) view.select(next);
}

/** The next frame whose function the search found, from left to right and downwards. */
export function nextMatch(view: FlameView, step: number): void {
  const { flame, host, selected } = view;
  if (!flame || !host.matches) return;
  for (let tried = 1; tried <= flame.length; tried++) {
    const frame = (((selected + step * tried) % flame.length) + flame.length) % flame.length;
    if (host.matches.rows[flame.label(frame)] === 1) {
      view.select(frame);
      return;
    }
  }
}
