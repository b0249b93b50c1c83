// Figures of a frame or a function, in words.

import { type FlameColumns, type FrameFigures, isRow } from '../flame/columns.js';
import { count, grouped, percent, signed } from '../format.js';
import type { Shown } from '../profiles.js';

/** What is drawn of a frame: calls or cost. */
export function weightOf(flame: FlameColumns, figures: FrameFigures): bigint {
  const { kind, calls, row } = flame.query;
  if (kind === 'callers') {
    if (calls) return figures.calls;
    return row === undefined ? figures.self : figures.total;
  }
  return calls ? figures.totalCalls : figures.total;
}

/** One line on a frame. */
export function summaryOf(shown: Shown, flame: FlameColumns, frame: number): string {
  const text = (value: bigint) =>
    flame.query.calls || !shown.unit ? count(value, 'call') : shown.unit.text(value);
  const after = flame.figures(shown.last, frame);
  const weight = weightOf(flame, after);
  if (shown.compares) {
    const change = weight - weightOf(flame, flame.figures(0, frame));
    return `${text(weight)}, ${signed(change, text)}`;
  }
  const isTotal = flame.query.kind === 'callees';
  if (!isRow(flame.label(frame))) return text(weight);
  if (flame.query.calls || !shown.unit) {
    return isTotal
      ? `${count(after.calls, 'call')}, ${grouped(weight)} with callees`
      : text(weight);
  }
  return `${text(weight)}${isTotal ? ` total, ${text(after.self)} self` : ''}, ${count(after.calls, 'call')}`;
}

/** Share of the whole graph; empty in a comparison, where there are two. */
export function percentOf(flame: FlameColumns, frame: number): string {
  if (flame.weights.length > 1) return '';
  return percent(weightOf(flame, flame.figures(0, frame)), weightOf(flame, flame.figures(0, 0)));
}
