import {
  type ProfileDiff as RawDiff,
  type Profile as RawProfile,
  toolkit,
} from './core/toolkit.js';
import { messageOf, ProfileError } from './errors.js';

/** By what functions are ordered. */
export type SortKey = 'self' | 'total' | 'calls' | 'average';
export const SORT_KEYS: readonly SortKey[] = ['self', 'total', 'calls', 'average'];

/** What functions have in common that a view shows as one. */
export const GROUPS = ['module', 'crate', 'file'] as const;
export type GroupKey = (typeof GROUPS)[number];

/** What a profile can be written as. */
export const CONVERT_FORMATS = [
  'speedscope',
  'cpuprofile',
  'firefox',
  'pprof',
  'callgrind',
  'folded',
  'svg',
  'xray',
  'json',
  'csv',
] as const;
export type ConvertFormat = (typeof CONVERT_FORMATS)[number];

/** What a profile says; `docs/report.schema.json` has it in full. */
export interface Report {
  readonly clock: string;
  /** Of self and total; `none` if only calls were counted. */
  readonly unit: string;
  /** The smallest step of the clock, in ns, if it is known: a self time below it is no more than a guess. */
  readonly clockStepNs?: number;
  /** Only with clock `sampled`: samples that found a function running, how many in a second of it, and what any share may be off by. */
  readonly sampling?: {
    readonly samples: number;
    readonly perSecond: number;
    readonly maxErrorPoints?: number;
  };
  /**
   * What the probes of a call add to the self time of the callee (inner) and of the
   * caller (outer), in ps; absent if it is not known or was subtracted.
   */
  readonly probeCostPs?: { readonly inner: number; readonly outer: number };
  readonly threads: readonly ThreadEntry[];
  readonly dropped: { readonly paths: number; readonly calls: number };
  readonly skipped: readonly SkippedEntry[];
  /** How many functions were left out by choice; absent if none. */
  readonly leftOut?: number;
  /** Globs that match no function, such as `include foo*`; absent if there are none. */
  readonly unmatched?: readonly string[];
  /** Sentences about threads and processes without data. */
  readonly unseen: readonly string[];
  /** Debug sections that were left out, malformed names and the like. */
  readonly warnings: readonly { readonly module: string; readonly warning: string }[];
  readonly functions: readonly FunctionEntry[];
  /** Only if asked for. */
  readonly paths?: readonly PathEntry[];
}

/** A thread, or a part of its run that the program named. */
export interface ThreadEntry {
  readonly id: number;
  readonly name: string;
  readonly phase?: string;
}

/** A function that was called. */
export interface FunctionEntry {
  readonly id: number;
  readonly module: string;
  readonly index: number;
  readonly name: string;
  readonly kind: string;
  readonly calls: number;
  /** In the report's unit. */
  readonly self: number;
  /** Only with {@link Report.sampling}: `self` is off by no more than this, in ns, with 95 % probability. */
  readonly selfError?: number;
  /** In the report's unit; of recursion only the outermost activation. */
  readonly total: number;
  /** Source file, if it is known. */
  readonly file?: string;
  /** Line in the file. */
  readonly line?: number;
}

/** A module (index null) or a function that ran as it was. */
export interface SkippedEntry {
  readonly module: string;
  readonly index: number | null;
  readonly name: string | null;
  readonly reason: string;
}

export interface PathEntry {
  /** A thread's id. */
  readonly thread: number;
  /** Function ids, root first. */
  readonly path: readonly number[];
  readonly calls: number;
  readonly self: number;
}

export interface ReportOptions {
  /** Default: self, or calls if there are no times. */
  readonly by?: SortKey;
  /** Functions at most; default: all. */
  readonly limit?: number;
  readonly paths?: boolean;
  /** The heaviest paths. */
  readonly tree?: boolean;
  /** Who called a function: its name, a part of it that no other has, or `#ID`. */
  readonly callers?: string;
  /** What a function called. */
  readonly callees?: string;
}

/**
 * What to show of a profile; applied in this order. A name is the whole name of a
 * function or thread, or else a part of it, or a glob with `*` and `?` that fits
 * all of it. Functions go by shown and by raw name; so they and threads do by `#ID`.
 */
export interface TransformOptions {
  /** Only these threads. */
  readonly threads?: readonly string[];
  /** Only these phases. */
  readonly phases?: readonly string[];
  /**
   * Self times (clock `wall`) without what the probes took, as it was measured when the
   * profile was recorded, and never below 0; `unseen` says how much that was.
   */
  readonly subtractProbeCost?: boolean;
  /** All threads as one. */
  readonly mergeThreads?: boolean;
  /** Only paths with such a function on them. */
  readonly focus?: readonly string[];
  /** No path with such a function on it. */
  readonly ignore?: readonly string[];
  /** Only what is below such a function, which becomes the root. */
  readonly from?: readonly string[];
  /** Functions of a module, crate (namespace, package) or file as one. */
  readonly group?: GroupKey;
  /** A function that is on its own path already is that caller again. */
  readonly collapseRecursion?: boolean;
  /** Callers below their callees; a path's calls and cost are at its end. */
  readonly invert?: boolean;
  /** What is lighter than this share of the whole, such as `0.5%`, becomes `(other)`. */
  readonly prune?: string;
}

export interface DiffOptions {
  /** Rows of each table at most; default: all in JSON, 30 in text. */
  readonly limit?: number;
}

/** A profile as it is kept in files: `P.xray` and the text of `P.map.json`. */
export interface ProfileFile {
  readonly blocks: Uint8Array;
  readonly map: string;
}

/** Debug information that is not in the module. */
export interface DebugFiles {
  /** A module with DWARF, to which the section `external_debug_info` leads. */
  readonly debug?: Uint8Array;
  /** The source map, to which the section `sourceMappingURL` leads. */
  readonly sourceMap?: Uint8Array;
}

/** What symbols changed in a profile. */
export interface SymbolsAdded {
  /** Names of the modules. */
  readonly modules: readonly string[];
  /** Functions that have another name now. */
  readonly named: number;
  /** Functions whose file is known now. */
  readonly placed: number;
  readonly fromDwarf: number;
  readonly fromSourceMap: number;
  /** What could not be read or used. */
  readonly notes: readonly string[];
}

/** A profile that can be asked and written. */
export class Profile {
  readonly #raw: RawProfile;

  /** @internal */
  constructor(raw: RawProfile) {
    this.#raw = raw;
  }

  /**
   * Reads a profile file.
   * @param blocks `P.xray`
   * @param map `P.map.json`
   * @throws ProfileError saying what is wrong and where
   */
  static read(blocks: Uint8Array, map: string): Profile {
    const { Profile: Raw } = toolkit();
    return new Profile(attempt(() => new Raw(blocks, map)));
  }

  /**
   * The profile as the options want to see it; for every report and format.
   * @throws ProfileError if a name fits nothing, the cost of a probe is not known, or an
   *   inverted tree would be too large
   */
  transform(options: TransformOptions): Profile {
    return new Profile(attempt(() => this.#raw.transform(JSON.stringify(options))));
  }

  /**
   * One profile out of the parts of several threads; the maps name the threads.
   * @throws ProfileError if a part is broken or their clocks differ
   */
  static merge(parts: Iterable<ProfileFile>): Profile {
    const { ProfileMerger } = toolkit();
    return attempt(() => {
      const merger = new ProfileMerger();
      for (const { blocks, map } of parts) merger.add(blocks, map);
      return new Profile(merger.finish());
    });
  }

  /** The report as the JSON text of `wasm-xray report --json`. */
  reportText(options: ReportOptions = {}): string {
    return attempt(() => this.#raw.report(JSON.stringify(options)));
  }

  /**
   * The report as tables of text: the functions, or the tree, callers or callees.
   * @param columns most characters in a line; default: names are whole
   */
  tables(options: Omit<ReportOptions, 'paths'> & { readonly columns?: number } = {}): string {
    return attempt(() => this.#raw.report(JSON.stringify({ ...options, format: 'text' })));
  }

  report(options: ReportOptions = {}): Report {
    return JSON.parse(this.reportText(options)) as Report;
  }

  /**
   * Writes the profile in another format.
   * @throws ProfileError if the format cannot hold it
   */
  convert(format: ConvertFormat): Uint8Array {
    return attempt(() => this.#raw.convert(format));
  }

  /**
   * What changed from this profile to another one.
   * @throws ProfileError if their clocks are not the same
   */
  diff(after: Profile): ProfileDiff {
    const { ProfileDiff: Raw } = toolkit();
    return new ProfileDiff(attempt(() => new Raw(this.#raw, after.#raw)));
  }

  /**
   * Gives functions the names, files and lines that a module and its debug
   * information have. The module's code must be that of a module of the profile,
   * as an unstripped twin's is.
   * @param module a WebAssembly module
   * @throws ProfileError if it is not, saying why that may be
   */
  addSymbols(module: Uint8Array, beside: DebugFiles = {}): SymbolsAdded {
    const { debug, sourceMap } = beside;
    const text = attempt(() => this.#raw.addSymbols(module, debug, sourceMap));
    return JSON.parse(text) as SymbolsAdded;
  }

  /**
   * Gives functions the names of a symbol map: lines of index, colon and name.
   * @param module the module's name; can be left out where only one has such indices
   * @throws ProfileError if it does not fit
   */
  addSymbolMap(text: Uint8Array, module = ''): SymbolsAdded {
    return JSON.parse(attempt(() => this.#raw.addSymbolMap(text, module))) as SymbolsAdded;
  }

  /** Gives its memory back; it cannot be used any more. Otherwise the garbage collector does. */
  free(): void {
    this.#raw.free();
  }

  /**
   * Compares several runs of a program with several of another. Figures are those
   * of the median run of each side; the others say what is noise.
   * @throws ProfileError if a side has no run, or the clocks are not the same
   */
  static diffRuns(before: readonly Profile[], after: readonly Profile[]): ProfileDiff {
    const { ProfileRuns } = toolkit();
    return new ProfileDiff(
      attempt(() => {
        const runs = new ProfileRuns();
        for (const run of before) runs.addBefore(run.#raw);
        for (const run of after) runs.addAfter(run.#raw);
        return runs.diff();
      }),
    );
  }

  /** The profile as a file, `P.xray`. */
  blocks(): Uint8Array {
    return attempt(() => this.#raw.compact());
  }

  /** What belongs to {@link blocks}: `P.map.json`. */
  map(): string {
    return attempt(() => this.#raw.map());
  }
}

/** Profiles compared; see {@link Profile.diff} and {@link Profile.diffRuns}. */
export class ProfileDiff {
  readonly #raw: RawDiff;

  /** @internal */
  constructor(raw: RawDiff) {
    this.#raw = raw;
  }

  /** Tables for people. */
  text(options: DiffOptions = {}): string {
    return attempt(() => this.#raw.text(JSON.stringify(options)));
  }

  /** A page that needs no other file and no network. */
  html(title: string, options: DiffOptions = {}): string {
    return attempt(() => this.#raw.html(title, JSON.stringify(options)));
  }

  /** One JSON object, as in `docs/diff.schema.json`; figures are pairs of before and after. */
  json(options: DiffOptions = {}): string {
    return attempt(() => this.#raw.json(JSON.stringify(options)));
  }

  /** Whether the whole time, or without times all calls, grew by more than so many percent. */
  grewAbove(percent: number): boolean {
    return attempt(() => this.#raw.grewAbove(percent));
  }
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new ProfileError(messageOf(error), { cause: error });
  }
}
