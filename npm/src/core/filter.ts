import { OptionError } from '../errors.js';

/** Which functions to instrument; without any of these, all. The README has the rules. */
export interface FilterOptions {
  /** Globs: only functions that match one are instrumented. */
  readonly include?: readonly string[];
  /** Globs: functions that match one are left out. */
  readonly exclude?: readonly string[];
  /** Functions of fewer instructions that have no loop are left out; default 0. */
  readonly minInstructions?: number;
  /** The text of an attribute list in LLVM XRay's format. */
  readonly attributeList?: string;
}

/** Filter options after checking; the toolkit reads them as JSON. */
export interface Filter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly minInstructions: number;
  readonly attributeList: string;
}

/** Instruments every function. */
export const NO_FILTER: Filter = {
  include: [],
  exclude: [],
  minInstructions: 0,
  attributeList: '',
};

/** Most that `minInstructions` can be. */
const MOST_INSTRUCTIONS = 2 ** 32 - 1;

/**
 * A sentence about a glob of no use.
 * @param glob behind the name of its list, such as `include foo*`
 */
export function describeUnmatched(glob: string): string {
  const place = /^(?:include|exclude) /.test(glob) ? `--${glob}` : `[${glob.replace(' ', '] ')}`;
  return `No function matches ${place}.`;
}

/**
 * Checks the options and fills in the defaults; what is in the attribute list
 * is for the toolkit to check.
 * @throws OptionError
 */
export function filterFrom(options: FilterOptions): Filter {
  return {
    include: globs('include', options.include),
    exclude: globs('exclude', options.exclude),
    minInstructions: parseInstructions(options.minInstructions ?? 0),
    attributeList: text('attributeList', options.attributeList),
  };
}

/**
 * A number of instructions.
 * @throws OptionError
 */
export function parseInstructions(value: number | string): number {
  const instructions =
    typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isInteger(instructions) && instructions >= 0 && instructions <= MOST_INSTRUCTIONS) {
    return instructions;
  }
  throw new OptionError(
    `"${value}" is not a number of instructions. Give a whole number from 0, such as 200.`,
  );
}

/** @throws OptionError for an empty one, which could only match a function without a name */
export function parseGlob(glob: string): string {
  if (glob !== '') return glob;
  throw new OptionError('A glob is empty. Give the name of a function, with * for any characters.');
}

function globs(option: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((glob) => typeof glob === 'string')) {
    throw new OptionError(`The option ${option} must be an array of globs, such as ["parse*"].`);
  }
  return value.map(parseGlob);
}

function text(option: string, value: unknown): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  throw new OptionError(`The option ${option} must be the text of a list, not its file.`);
}
