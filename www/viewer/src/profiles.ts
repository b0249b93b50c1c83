// Profiles that are open, and what of them is shown.

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
  readonly threads: readonly { readonly id: number; readonly name: string }[];
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
  const raw = new RawProfile(blocks, new TextDecoder().decode(map));
  const info = JSON.parse(raw.report('{"limit":1}')) as ProfileInfo;
  return { name, hasMap: map.length > 0, raw, info };
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
  readonly #view: RawView;
  readonly #functions: Columns[] = [];

  /** @throws Error if the profiles cannot be compared */
  constructor(profile: OpenProfile, before?: OpenProfile) {
    this.#view = before ? RawView.compare(before.raw, profile.raw) : new RawView(profile.raw);
    this.profiles = before ? [before, profile] : [profile];
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
