// What the viewer shows, and the same in the address: whoever gets the link sees the same.

export const VIEWS = ['flame', 'callers', 'table', 'sandwich'] as const;
export type ViewName = (typeof VIEWS)[number];

export const COLOURINGS = ['module', 'kind', 'cost', 'change'] as const;
export type Colouring = (typeof COLOURINGS)[number];

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export interface State {
  readonly view: ViewName;
  /** Index of the profile. */
  readonly profile: number;
  /** Index of the profile before it, if two are compared. */
  readonly before: number | undefined;
  /** Widths and shares are calls rather than cost. */
  readonly calls: boolean;
  readonly colour: Colouring;
  /** Recursion is folded onto the first activation. */
  readonly fold: boolean;
  /** Names as in the module. */
  readonly raw: boolean;
  /** Each thread by itself. */
  readonly apart: boolean;
  /** Only these threads and phases, by name; none: all. */
  readonly threads: readonly string[];
  readonly phases: readonly string[];
  /** What functions are taken together by; empty: nothing. */
  readonly group: string;
  readonly query: string;
  /** Row of the function in the sandwich. */
  readonly row: number | undefined;
  /** Labels from the first frame to the one zoomed into. */
  readonly zoom: readonly number[];
  /** Column that the table is sorted by; `-` in front: smallest first. */
  readonly sort: string;
  readonly theme: Theme;
}

export const INITIAL: State = {
  view: 'flame',
  profile: 0,
  before: undefined,
  calls: false,
  colour: 'module',
  fold: false,
  raw: false,
  apart: false,
  threads: [],
  phases: [],
  group: '',
  query: '',
  row: undefined,
  zoom: [],
  sort: '',
  theme: 'auto',
};

/** What differs from the start, as the part of an address after `#`. */
export function toHash(state: State): string {
  const parameters = new URLSearchParams();
  for (const key of Object.keys(INITIAL) as (keyof State)[]) {
    const value = state[key];
    if (String(value ?? '') === String(INITIAL[key] ?? '')) continue;
    parameters.set(key, textOf(value));
  }
  return parameters.toString();
}

function textOf(value: State[keyof State]): string {
  if (value === true) return '1';
  if (!Array.isArray(value)) return String(value);
  // Names can hold any character.
  return typeof value[0] === 'string' ? JSON.stringify(value) : value.join('.');
}

function namesFrom(text: string | undefined): string[] {
  try {
    const names: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : [];
  } catch {
    return [];
  }
}

/** The reverse; what makes no sense is left as at the start. */
export function fromHash(hash: string): State {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const text = (key: string) => parameters.get(key) ?? undefined;
  const flag = (key: string) => text(key) === '1';
  const index = (key: string) => {
    const value = Number(text(key) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const oneOf = <T extends string>(key: string, values: readonly T[], otherwise: T) =>
    values.find((value) => value === text(key)) ?? otherwise;
  const zoom = (text('zoom') ?? '').split('.').filter(Boolean).map(Number);
  return {
    view: oneOf('view', VIEWS, INITIAL.view),
    profile: index('profile') ?? 0,
    before: index('before'),
    calls: flag('calls'),
    colour: oneOf('colour', COLOURINGS, INITIAL.colour),
    fold: flag('fold'),
    raw: flag('raw'),
    apart: flag('apart'),
    threads: namesFrom(text('threads')),
    phases: namesFrom(text('phases')),
    group: text('group') ?? '',
    query: text('query') ?? '',
    row: index('row'),
    zoom: zoom.every((label) => Number.isSafeInteger(label)) ? zoom : [],
    sort: text('sort') ?? '',
    theme: oneOf('theme', THEMES, INITIAL.theme),
  };
}
