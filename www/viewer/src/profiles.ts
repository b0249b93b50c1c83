// Profiles that are open, and what of them is shown.

import { messageOf } from './dom.js';
import { type Unit, unitOf } from './format.js';
import { type RawFlame, RawProfile, RawView, type Table } from './toolkit.js';

/** A profile as files hold it. */
export interface ProfileInput {
  readonly name: string;
  /** `P.xray` */
  readonly blocks: Uint8Array;
  /** `P.map.json`; empty for a native file without one. */
  readonly map: Uint8Array;
}

/** What a report says besides its functions. */
export interface ProfileInfo {
  readonly clock: string;
  readonly unit: string;
  /** Smallest step of the clock, in ns; absent if it is not known. */
  readonly clockStepNs?: number;
  /** Where times come from samples: how many, and how many in a second. */
  readonly sampling?: {
    readonly samples: number;
    readonly perSecond: number;
    readonly maxErrorPoints?: number;
  };
  readonly threads: readonly {
    readonly id: number;
    readonly name: string;
    readonly phase?: string;
  }[];
  readonly dropped: { readonly paths: number; readonly calls: number };
  readonly skipped: readonly {
    readonly module: string;
    readonly index: number | null;
    readonly name: string | null;
    readonly reason: string;
  }[];
  readonly unseen: readonly string[];
  readonly warnings: readonly { readonly module: string; readonly warning: string }[];
}

/** A profile that was read. */
export interface OpenProfile {
  readonly name: string;
  /** Whether there is a map, which has the names. */
  readonly hasMap: boolean;
  readonly raw: RawProfile;
  readonly info: ProfileInfo;
}

/** @throws Error whose message says what is wrong with the file, for people */
export function openProfile({ name, blocks, map }: ProfileInput): OpenProfile {
  try {
    const raw = new RawProfile(blocks, new TextDecoder().decode(map));
    const info = infoOf(raw);
    return { name, hasMap: map.length > 0, raw, info };
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

function infoOf(raw: RawProfile): ProfileInfo {
  return JSON.parse(raw.report('{"limit":1}')) as ProfileInfo;
}

/** What to show of a profile; the names are those of `TransformOptions` in the library. */
export interface Selection {
  /** Names of threads; none: all. */
  readonly threads: readonly string[];
  /** Names of phases; none: all. */
  readonly phases: readonly string[];
  readonly collapseRecursion: boolean;
  /** What functions are taken together by. */
  readonly group?: string;
}

/** The part of a profile that is selected, and what its report says. */
function select(
  { raw, info }: OpenProfile,
  selection: Selection,
): { raw: RawProfile; info: ProfileInfo } {
  const { threads, phases, collapseRecursion, group } = selection;
  if (threads.length === 0 && phases.length === 0 && !collapseRecursion && !group) {
    return { raw, info };
  }
  const selected = raw.transform(JSON.stringify(selection));
  return { raw: selected, info: infoOf(selected) };
}

/** A function. Names are harmless to print but are to be set as text only. */
export interface Row {
  readonly name: string;
  readonly raw?: string;
  readonly module: string;
  readonly index: number;
  readonly kind: string;
  readonly file?: string;
  readonly line?: number;
}

/** Columns of exact figures. */
export interface Columns {
  readonly rows: Uint32Array;
  readonly calls: BigUint64Array;
  readonly self: BigUint64Array;
  readonly total: BigUint64Array;
  readonly totalCalls: BigUint64Array;
}

/** The caller that is no function: JavaScript or a thread's start. */
export const HOST = 2 ** 32 - 1;
/** In a flame graph: everything. */
export const ALL = 2 ** 32 - 1;
/** Paths that were dropped. */
export const DROPPED = 2 ** 32 - 2;
/** The first thread; others count down from it. */
export const FIRST_THREAD = 2 ** 32 - 3;

/** A flame graph to ask for. */
export interface FlameQuery {
  readonly kind: 'callees' | 'callers';
  /** Whether widths are calls. */
  readonly calls: boolean;
  readonly row?: number;
  readonly apart?: boolean;
}

/** A profile, or two compared, as shown. */
export class Shown {
  readonly rows: readonly Row[];
  readonly threads: readonly string[];
  /** Of costs; none if only calls were counted. */
  readonly unit: Unit | undefined;
  readonly profiles: readonly OpenProfile[];
  /** Of what is selected of each profile. */
  readonly infos: readonly ProfileInfo[];
  readonly #view: RawView;
  readonly #functions: Columns[] = [];

  /** @throws Error if the profiles cannot be compared or have nothing that is selected */
  constructor(selection: Selection, profile: OpenProfile, before?: OpenProfile) {
    this.profiles = before ? [before, profile] : [profile];
    const selected = this.profiles.map((one) => select(one, selection));
    this.infos = selected.map(({ info }) => info);
    const raws = selected.map(({ raw }) => raw);
    try {
      const [first, second] = raws as [RawProfile, RawProfile?];
      this.#view = second ? RawView.compare(first, second) : new RawView(first);
    } finally {
      // The view keeps what it needs.
      for (const raw of raws) {
        if (!this.profiles.some((one) => one.raw === raw)) raw.free();
      }
    }
    const names = JSON.parse(this.#view.names()) as { rows: Row[]; threads: string[] };
    this.rows = names.rows;
    this.threads = names.threads;
    this.unit = unitOf(profile.info.unit);
  }

  /** Whether two profiles are compared: sides are before and after. */
  get compares(): boolean {
    return this.profiles.length === 2;
  }

  /** The last side: the profile, or the one after. */
  get last(): number {
    return this.profiles.length - 1;
  }

  /** What to put in front of a self time that the clock cannot tell. */
  guessMark(self: bigint): string {
    return self < BigInt(this.profiles[0]?.info.clockStepNs ?? 0) ? '~' : '';
  }

  /** Figures of every function, by row. */
  functions(side: number): Columns {
    this.#functions[side] ??= columns(this.#view.functions(side));
    return this.#functions[side];
  }

  /** What whoever compares two profiles must know, in sentences. */
  get notes(): readonly string[] {
    return this.#view.notes();
  }

  callers(side: number, row: number): Columns {
    return columns(this.#view.callers(side, row));
  }

  callees(side: number, row: number): Columns {
    return columns(this.#view.callees(side, row));
  }

  flame(query: FlameQuery): RawFlame {
    return this.#view.flame(JSON.stringify(query));
  }

  free(): void {
    this.#view.free();
  }
}

function columns(table: Table): Columns {
  const result = {
    rows: table.rows,
    calls: table.calls,
    self: table.selfCosts,
    total: table.totalCosts,
    totalCalls: table.totalCalls,
  };
  table.free();
  return result;
}
