// A flame graph's frames, as the toolkit lays them out.

import { ALL, DROPPED, FIRST_THREAD, type FlameQuery, type Shown } from '../profiles.js';
import type { RawFlame } from '../toolkit.js';

/** Exact figures of a frame on one side. */
export interface FrameFigures {
  readonly calls: bigint;
  readonly self: bigint;
  readonly total: bigint;
  readonly totalCalls: bigint;
}

/** Frames by level and then from left to right. A frame is an index. */
export class FlameColumns {
  readonly levels: Uint32Array;
  readonly starts: Float64Array;
  readonly widths: Float64Array;
  readonly parents: Uint32Array;
  readonly labels: Uint32Array;
  /** What a frame weighs on each side. */
  readonly weights: readonly Float64Array[];
  /** Frames whose callers were left out. */
  readonly cut: ReadonlySet<number>;
  readonly query: FlameQuery;
  readonly #raw: RawFlame;

  constructor(shown: Shown, query: FlameQuery) {
    const raw = shown.flame(query);
    this.levels = raw.levels;
    this.starts = raw.starts;
    this.widths = raw.widths;
    this.parents = raw.parents;
    this.labels = raw.labels;
    this.weights = shown.compares ? [raw.weights(0), raw.weights(1)] : [this.widths];
    this.cut = new Set(raw.cut);
    this.query = query;
    this.#raw = raw;
  }

  get length(): number {
    return this.labels.length;
  }

  get depth(): number {
    return this.levels.length - 1;
  }

  /** Weight of everything. */
  get whole(): number {
    return this.widths[0] ?? 0;
  }

  start(frame: number): number {
    return this.starts[frame] ?? 0;
  }

  end(frame: number): number {
    return (this.starts[frame] ?? 0) + (this.widths[frame] ?? 0);
  }

  width(frame: number): number {
    return this.widths[frame] ?? 0;
  }

  label(frame: number): number {
    return this.labels[frame] ?? ALL;
  }

  parent(frame: number): number | undefined {
    return frame === 0 ? undefined : this.parents[frame];
  }

  /** Frames of a level: first, and the one after the last. */
  level(level: number): [number, number] {
    return [this.levels[level] ?? this.length, this.levels[level + 1] ?? this.length];
  }

  levelOf(frame: number): number {
    let low = 0;
    let high = this.depth - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.levels[middle] ?? 0) <= frame) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** First frame of `[first, end)` that ends after `x`; `end` if there is none. */
  firstEndingAfter(x: number, first: number, end: number): number {
    let low = first;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.end(middle) > x) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The same, for who expects it near `first`. */
  skipTo(x: number, first: number, end: number): number {
    let step = 1;
    let last = first;
    while (last < end && this.end(last) <= x) {
      first = last + 1;
      last = first + step;
      step *= 2;
    }
    return this.firstEndingAfter(x, first, Math.min(last, end));
  }

  /** The frame of a level at a place. */
  at(level: number, x: number): number | undefined {
    const [first, end] = this.level(level);
    const frame = this.firstEndingAfter(x, first, end);
    return frame < end && this.start(frame) <= x ? frame : undefined;
  }

  /** Children of a frame: first, and the one after the last. */
  children(frame: number): [number, number] {
    const [first, end] = this.level(this.levelOf(frame) + 1);
    // By parent and not by place, which rounds for weights beyond 2^53.
    return [
      lowerBound(this.parents, frame, first, end),
      lowerBound(this.parents, frame + 1, first, end),
    ];
  }

  /** From the first frame to this one. */
  path(frame: number): number[] {
    const path = [frame];
    for (let at = this.parent(frame); at !== undefined; at = this.parent(at)) path.push(at);
    return path.reverse();
  }

  /** The frame with these labels below the first one, as far as they lead. */
  find(labels: readonly number[]): number {
    let frame = 0;
    for (const label of labels) {
      const [first, end] = this.children(frame);
      let next = first;
      while (next < end && this.labels[next] !== label) next++;
      if (next === end) break;
      frame = next;
    }
    return frame;
  }

  figures(side: number, frame: number): FrameFigures {
    const [calls = 0n, self = 0n, total = 0n, totalCalls = 0n] = this.#raw.figures(side, frame);
    return { calls, self, total, totalCalls };
  }

  free(): void {
    this.#raw.free();
  }
}

function lowerBound(sorted: Uint32Array, value: number, first: number, end: number): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a label is that of a function. */
export function isRow(label: number): boolean {
  return label < 2 ** 31;
}

/** What to call a frame that is not a function. */
export function specialLabel(shown: Shown, label: number): string {
  if (label === ALL) return shown.compares ? 'all, before and after' : 'all';
  if (label === DROPPED) return '(path dropped: the arena was full)';
  return shown.threads[FIRST_THREAD - label] ?? 'thread';
}
