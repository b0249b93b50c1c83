// What the parts of the page have in common.

import type { Shown } from '../profiles.js';
import type { Matches } from '../search.js';
import type { State } from '../state.js';

/** The viewer, as its parts see it. */
export interface Host {
  readonly state: State;
  readonly shown: Shown;
  readonly matches: Matches | undefined;
  /** Whether colours are dark, whatever decided it. */
  readonly dark: boolean;
  set(change: Partial<State>): void;
  /** Shows a function with its callers and callees. */
  openSandwich(row: number): void;
  /** Name of a function as the user wants it. */
  nameOf(row: number): string;
  /** Shows a line at the bottom, which is read out, too. */
  say(text: string): void;
  copy(text: string, what: string): void;
}
