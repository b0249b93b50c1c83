// Which part of a flame graph is in sight, and how it moves there.

/** Part of the whole's width in sight, in units of weight, and lines scrolled off the top, in px. */
export interface Sight {
  readonly start: number;
  readonly width: number;
  readonly top: number;
}

/** How long a move takes, in ms. */
const MOVE_MS = 180;

/** Frames are never drawn wider than the whole would be at this many times its width. */
const MAX_ZOOM = 1e9;

export class Camera {
  whole = 1;
  /** Height of everything less what is in sight, in px. */
  maxTop = 0;
  #from: Sight = { start: 0, width: 1, top: 0 };
  #to: Sight = this.#from;
  #began = Number.NEGATIVE_INFINITY;

  /** Sight at a time; ends at where the last move leads. */
  at(now: number): Sight {
    const part = Math.min(Math.max((now - this.#began) / MOVE_MS, 0), 1);
    if (part === 1) return this.#to;
    const eased = 1 - (1 - part) ** 3;
    const between = (from: number, to: number) => from + (to - from) * eased;
    return {
      start: between(this.#from.start, this.#to.start),
      width: between(this.#from.width, this.#to.width),
      top: between(this.#from.top, this.#to.top),
    };
  }

  /** Whether a move is under way. */
  moves(now: number): boolean {
    return now - this.#began < MOVE_MS;
  }

  /** Where the last move leads. */
  get target(): Sight {
    return this.#to;
  }

  /** Goes there, over time unless the user wants no animation. */
  moveTo(sight: Sight, now: number, animated: boolean): void {
    this.#from = this.at(now);
    this.#to = this.#within(sight);
    this.#began = animated ? now : Number.NEGATIVE_INFINITY;
  }

  /** Zooms by a factor, with a place (0 to 1 of what is in sight) staying where it is. */
  zoom(factor: number, place: number, now: number, animated: boolean): void {
    const { start, width, top } = this.#to;
    const narrowed = Math.min(Math.max(width / factor, this.whole / MAX_ZOOM), this.whole);
    this.moveTo({ start: start + (width - narrowed) * place, width: narrowed, top }, now, animated);
  }

  /** Shifts by parts of what is in sight, and by px. */
  pan(parts: number, px: number, now: number, animated: boolean): void {
    const { start, width, top } = this.#to;
    this.moveTo({ start: start + width * parts, width, top: top + px }, now, animated);
  }

  #within({ start, width, top }: Sight): Sight {
    const fitting = Math.min(width, this.whole) || 1;
    return {
      width: fitting,
      start: Math.min(Math.max(start, 0), Math.max(this.whole - fitting, 0)),
      top: Math.min(Math.max(top, 0), this.maxTop),
    };
  }
}
