import { OptionError } from '../errors.js';
import { ARENA_DEFAULT, ARENA_MAX, ARENA_MIN, PAGE } from './abi.js';
import { type Filter, type FilterOptions, filterFrom } from './filter.js';

/**
 * What self cost means: `calls` counts only and is the cheapest, `instructions` is the
 * WebAssembly instructions executed, `sampled` is time in ns by samples of a second thread,
 * `wall` is the host's clock in ns.
 */
export type Clock = 'calls' | 'instructions' | 'sampled' | 'wall';

/** How a module tells the runtime about a call; both give the same profile. */
export type ProbeKind = 'inline' | 'imported';

/** Options as users give them. */
export interface ProfilerOptions extends FilterOptions {
  /** Default `calls`. */
  clock?: Clock;
  /** Size of the arena: bytes, or a text such as `64M`; from `64K` to `4G`, default `64M`. */
  arena?: number | string;
  /** Default: `inline` where the engine has multi-memory and the clock is not `wall`, else `imported`. */
  probes?: ProbeKind;
  /**
   * Clock `wall`, in Node: a thread of its own keeps the time, which makes a call some three times
   * cheaper and takes a processor. Default false.
   */
  clockThread?: boolean;
}

/** Options after checking. */
export interface Settings {
  readonly clock: Clock;
  /** A multiple of {@link PAGE}. */
  readonly arenaBytes: number;
  /** Undefined: what suits engine and clock. */
  readonly probes: ProbeKind | undefined;
  readonly filter: Filter;
  /** Clock `wall`: a thread keeps the time. */
  readonly clockThread?: boolean;
  /** Other threads are to be able to read the runtime's memory, as with the clock `sampled`. */
  readonly sharedMemory?: boolean;
}

export const CLOCKS: readonly Clock[] = ['calls', 'instructions', 'sampled', 'wall'];
export const PROBE_KINDS: readonly ProbeKind[] = ['inline', 'imported'];

const UNITS = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const;

/**
 * Bytes of a size such as `512K`, `64M`, `1G` or `1048576`, rounded up to whole pages.
 * @throws OptionError naming the bounds
 */
export function parseArena(size: number | string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(String(size).trim());
  if (!match) {
    throw new OptionError(
      `"${size}" is not an arena size. Give a number with K, M or G, such as 64M; from 64K to 4G.`,
    );
  }
  const unit = (match[2] ?? '').toLowerCase() as keyof typeof UNITS;
  const bytes = Number(match[1]) * UNITS[unit];
  if (bytes < ARENA_MIN) {
    throw new OptionError(
      `An arena of ${size} is too small: it must be from 64K to 4G. The default is 64M.`,
    );
  }
  if (bytes > 4 * UNITS.g) {
    throw new OptionError(
      `An arena of ${size} is too large: it must be from 64K to 4G. The default is 64M.`,
    );
  }
  return Math.min(Math.ceil(bytes / PAGE) * PAGE, ARENA_MAX);
}

/**
 * Checks options and fills in the defaults.
 * @throws OptionError
 */
export function settingsFrom(options: ProfilerOptions = {}): Settings {
  const clock = options.clock ?? 'calls';
  if (!CLOCKS.includes(clock)) {
    throw new OptionError(`There is no clock "${clock}". Choose one of ${CLOCKS.join(', ')}.`);
  }
  const probes = options.probes;
  if (probes !== undefined && !PROBE_KINDS.includes(probes)) {
    throw new OptionError(
      `There are no probes "${probes}". Choose one of ${PROBE_KINDS.join(', ')}.`,
    );
  }
  if (clock === 'wall' && probes === 'inline') {
    throw new OptionError('The clock wall needs imported probes. Leave out --probes inline.');
  }
  const { clockThread = false } = options;
  if (clockThread && clock !== 'wall') {
    throw new OptionError(
      `A thread that keeps the time is for the clock wall, and this is the clock ${clock}. Leave it out, or choose --clock wall.`,
    );
  }
  const arenaBytes = parseArena(options.arena ?? ARENA_DEFAULT);
  const filter = filterFrom(options);
  return { clock, arenaBytes, probes, filter, ...(clockThread && { clockThread }) };
}

const MS = { ms: 1, s: 1000, m: 60_000 } as const;
/** Longest time that a timer takes, in ms. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Milliseconds of a time such as `10s`, `500ms` or `2m`.
 * @throws OptionError naming the bounds
 */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)$/.exec(text.trim());
  const ms = match ? Number(match[1]) * MS[match[2] as keyof typeof MS] : 0;
  if (ms >= 10 && ms <= LONGEST_MS) return Math.round(ms);
  throw new OptionError(
    `"${text}" is not a time between snapshots. Give a number with ms, s or m, such as 10s; from 10ms to 24 days.`,
  );
}

/** `64M` for 64 MiB; rounds to the largest unit that loses nothing, else to two digits. */
export function describeBytes(bytes: number): string {
  for (const [unit, size] of [
    ['G', 1024 ** 3],
    ['M', 1024 ** 2],
  ] as const) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(1))}${unit}`;
  }
  return `${Number((bytes / 1024).toFixed(1))}K`;
}
