// What colour a frame has. Calm, and dark text or light text is always readable on it.

import type { Shown } from '../profiles.js';
import type { Colouring } from '../state.js';
import { type FlameColumns, isRow } from './columns.js';

/** Colours of frames as CSS, by number; a frame has one number. */
export interface Palette {
  readonly fills: readonly string[];
  readonly text: string;
  readonly dimmed: string;
  readonly dimmedText: string;
  readonly match: string;
  readonly matchText: string;
  readonly special: string;
  readonly specialText: string;
  /** The page's: the canvas is opaque, which is quicker to draw. */
  readonly background: string;
  readonly focus: string;
}

/** An entry of the legend. */
export interface LegendEntry {
  readonly colour: string;
  readonly label: string;
}

/** The number of each frame's colour, and what they mean. */
export interface Colours {
  readonly of: (frame: number) => number;
  readonly palette: Palette;
  readonly legend: readonly LegendEntry[];
}

/** Hues in degrees, far enough from each other to be told apart side by side. */
const HUES = [245, 155, 75, 310, 25, 200, 115, 350, 275, 55];
const SHADES = 7;

/** As reports name them. */
const KINDS = ['wasm', 'import', 'javascript', 'native', 'group', 'unknown'];
const KIND_NAMES = [
  'WebAssembly',
  'Import',
  'JavaScript',
  'Native',
  'Several functions',
  'Unknown',
];
const KIND_HUES = [245, 65, 145, 310, 200, 0];

const STEPS = 9;

export function colours(
  shown: Shown,
  flame: FlameColumns,
  colouring: Colouring,
  dark: boolean,
): Colours {
  const base = palette(dark);
  const chosen = choose();
  return { ...chosen, palette: { ...chosen.palette, fills: chosen.palette.fills.map(toHex) } };

  function choose(): Colours {
    switch (colouring) {
      case 'module':
        return byModule(shown, flame, base, dark);
      case 'kind':
        return byKind(shown, flame, base, dark);
      case 'cost':
        return byCost(shown, flame, base, dark);
      case 'change':
        return byChange(flame, base, dark);
    }
  }
}

const hexes = new Map<string, string>();
let scratch: CanvasRenderingContext2D | null | undefined;

/** The colour as a canvas takes it quickest: thousands of frames change it in each picture. */
function toHex(colour: string): string {
  const known = hexes.get(colour);
  if (known !== undefined) return known;
  scratch ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!scratch) return colour;
  scratch.fillStyle = colour;
  scratch.fillRect(0, 0, 1, 1);
  const channels = scratch.getImageData(0, 0, 1, 1).data.subarray(0, 3);
  const hex = `#${[...channels].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
  hexes.set(colour, hex);
  return hex;
}

function palette(dark: boolean): Palette {
  return dark
    ? {
        fills: [],
        text: '#f1f3f6',
        dimmed: '#262b33',
        dimmedText: '#8b94a3',
        match: '#f2c14e',
        matchText: '#1b1e24',
        special: '#39414d',
        specialText: '#d4d8df',
        background: '#14171c',
        focus: '#ffffff',
      }
    : {
        fills: [],
        text: '#1d2129',
        dimmed: '#e9ecf0',
        dimmedText: '#6a7280',
        match: '#f7c948',
        matchText: '#1d2129',
        special: '#d8dde4',
        specialText: '#3a404b',
        background: '#ffffff',
        focus: '#11151c',
      };
}

/** A shade of a hue; shades of one hue differ just enough to see where a frame ends. */
function fill(hue: number, shade: number, dark: boolean, chroma = 1): string {
  const step = shade / (SHADES - 1) - 0.5;
  const lightness = (dark ? 0.43 : 0.87) + step * 0.06;
  const strength = (dark ? 0.07 : 0.055) * chroma;
  // The order of the hues is not that of the lightness.
  const turn = ((shade * 3) % SHADES) / (SHADES - 1) - 0.5;
  return `oklch(${lightness.toFixed(3)} ${strength.toFixed(3)} ${(hue + turn * 34).toFixed(1)})`;
}

function shadeOf(row: number): number {
  return (Math.imul(row + 1, 0x9e3779b1) >>> 16) % SHADES;
}

function byHue(
  shown: Shown,
  flame: FlameColumns,
  base: Palette,
  dark: boolean,
  groups: readonly { readonly name: string; readonly hue: number; readonly chroma?: number }[],
  groupOf: readonly number[],
): Colours {
  const fills = groups.flatMap(({ hue, chroma }) =>
    Array.from({ length: SHADES }, (_, shade) => fill(hue, shade, dark, chroma)),
  );
  const byRow = Uint16Array.from(
    shown.rows,
    (_, row) => (groupOf[row] ?? 0) * SHADES + shadeOf(row),
  );
  const special = fills.length;
  return {
    of: (frame) => byRow[flame.label(frame)] ?? special,
    palette: { ...base, fills: [...fills, base.special] },
    legend: groups.map(({ name }, group) => ({
      colour: fills[group * SHADES + 3] ?? '',
      label: name,
    })),
  };
}

function byModule(shown: Shown, flame: FlameColumns, base: Palette, dark: boolean): Colours {
  const numbers = new Map<string, number>();
  const groupOf = shown.rows.map(({ module }) => {
    const known = numbers.get(module);
    if (known !== undefined) return known;
    numbers.set(module, numbers.size);
    return numbers.size - 1;
  });
  const groups = [...numbers.keys()].map((name, at) => ({
    name: name || 'no module',
    hue: HUES[at % HUES.length] ?? 0,
  }));
  return byHue(shown, flame, base, dark, groups, groupOf);
}

function byKind(shown: Shown, flame: FlameColumns, base: Palette, dark: boolean): Colours {
  const used = new Set(shown.rows.map(({ kind }) => kind));
  const groups = KINDS.map((_, at) => ({
    name: KIND_NAMES[at] ?? '',
    hue: KIND_HUES[at] ?? 0,
    chroma: at === KINDS.length - 1 ? 0.1 : 1.1,
  }));
  const groupOf = shown.rows.map(({ kind }) => {
    const at = KINDS.indexOf(kind);
    return at < 0 ? KINDS.length - 1 : at;
  });
  const result = byHue(shown, flame, base, dark, groups, groupOf);
  const legend = result.legend.filter((_, at) => used.has(KINDS[at] ?? ''));
  return { ...result, legend };
}

/** From cool and pale to warm and strong, on a logarithmic scale. */
function byCost(shown: Shown, flame: FlameColumns, base: Palette, dark: boolean): Colours {
  const side = shown.functions(shown.last);
  const perCall = Float64Array.from(shown.rows, (_, row) => {
    const calls = Number(side.calls[row] ?? 0n);
    const cost = Number((shown.unit ? side.self[row] : side.totalCalls[row]) ?? 0n);
    return calls > 0 ? cost / calls : 0;
  });
  const known = perCall.filter((value) => value > 0);
  const least = Math.log(known.reduce((least, value) => Math.min(least, value), Number.MAX_VALUE));
  const most = Math.log(known.reduce((most, value) => Math.max(most, value), 0));
  const fills = Array.from({ length: STEPS }, (_, step) => heat(step / (STEPS - 1), dark));
  const stepOf = Uint8Array.from(perCall, (value) =>
    value > 0 && most > least
      ? Math.round(((Math.log(value) - least) / (most - least)) * (STEPS - 1))
      : 0,
  );
  const text = (value: number) =>
    shown.unit
      ? shown.unit.text(BigInt(Math.round(value)))
      : Math.round(value).toLocaleString('en');
  const [first, last] = known.length > 0 ? [Math.exp(least), Math.exp(most)] : [0, 0];
  return {
    of: (frame) => stepOf[flame.label(frame)] ?? STEPS,
    palette: { ...base, fills: [...fills, base.special] },
    legend: [0, 4, 8].map((step) => ({
      colour: fills[step] ?? '',
      label: text(first * (last / (first || 1)) ** (step / (STEPS - 1))),
    })),
  };
}

function heat(part: number, dark: boolean): string {
  const hue = 95 - part * 70;
  return dark
    ? `oklch(${0.36 + part * 0.12} ${0.03 + part * 0.11} ${hue})`
    : `oklch(${0.94 - part * 0.2} ${0.03 + part * 0.11} ${hue})`;
}

/** Blue is less than before, orange more; the stronger, the greater the part that changed. */
function byChange(flame: FlameColumns, base: Palette, dark: boolean): Colours {
  const [before, after] = flame.weights;
  const middle = (STEPS - 1) / 2;
  const fills = Array.from({ length: STEPS }, (_, step) => {
    const part = (step - middle) / middle;
    const hue = part < 0 ? 245 : 45;
    const strength = Math.abs(part);
    return dark
      ? `oklch(${0.33 + strength * 0.13} ${strength * 0.12} ${hue})`
      : `oklch(${0.92 - strength * 0.17} ${0.002 + strength * 0.12} ${hue})`;
  });
  const of = (frame: number) => {
    if (!isRow(flame.label(frame))) return STEPS;
    const [one, other] = [before?.[frame] ?? 0, after?.[frame] ?? 0];
    if (one === other) return middle;
    const part = (other - one) / Math.max(one, other);
    // Any change is at least one step off the middle.
    const steps = Math.max(1, Math.round(Math.abs(part) * middle));
    return middle + Math.sign(part) * steps;
  };
  return {
    of,
    palette: { ...base, fills: [...fills, base.special] },
    legend: [
      { colour: fills[0] ?? '', label: 'less, or gone' },
      { colour: fills[middle] ?? '', label: 'the same' },
      { colour: fills[STEPS - 1] ?? '', label: 'more, or new' },
    ],
  };
}
