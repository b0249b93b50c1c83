import {
  ABI_VERSION,
  FLAG_INLINE,
  FLAG_INSTRUCTIONS,
  FLAG_OWN_MEMORY,
  FLAG_SAMPLED,
  FLAG_SHARED,
  FLAG_WALL,
  PROBE_MODULE,
} from './abi.js';
import { ByteReader } from './byte-reader.js';
import { natives } from './natives.js';
import type { Clock } from './options.js';

/** Names of one module, as `ModuleMap` in `crates/abi/src/map.rs`. */
export interface ModuleMap {
  name: string;
  /** First 16 hex digits of the SHA-256 of the original module. */
  readonly hash: string;
  /** Identity of everything but custom sections. */
  readonly code?: string;
  readonly imports: number;
  readonly names: readonly (string | null)[];
  readonly skipped?: readonly { readonly index: number; readonly reason: string }[];
  /** How many functions were left out by choice. */
  readonly left_out?: number;
  /** Which ones, as a hash. */
  readonly choice?: string;
  /** Globs that match no function, such as `include foo*`. */
  readonly unmatched?: readonly string[];
  readonly warnings?: readonly string[];
}

/** Limits of the memory that the loader makes for the module. */
export interface OwnMemory {
  readonly initialPages: number;
  /** Undefined: no maximum. */
  readonly maximumPages: number | undefined;
  readonly shared: boolean;
}

/** What the nodes of each function have room for. */
export interface Places {
  /** Number of child slots, then of counters, for each function by original index, imports included. */
  readonly counts: Uint32Array;
  /** For each counter, function by function: index of the leaf that it counts, then the cost of each call. */
  readonly counted: Uint32Array;
}

/** The custom section `wasm-xray` of an instrumented module. */
export interface Section {
  readonly inline: boolean;
  readonly clock: Clock;
  /** Whether threads have to share the runtime's memory; without inline probes they may. */
  readonly sharedMemory: boolean;
  readonly ownMemory: OwnMemory | undefined;
  readonly places: Places;
  readonly map: ModuleMap;
}

/** Whether the value is a compiled module, of any realm; and the bytes of its `wasm-xray` section. */
export function probeSection(module: unknown): { bytes: ArrayBuffer | undefined } | undefined {
  try {
    return { bytes: natives.customSections(module, PROBE_MODULE)[0] };
  } catch {
    return undefined;
  }
}

/**
 * Reads a section.
 * @returns undefined if it is of another version of wasm-xray or is not one at all
 */
export function parseSection(bytes: ArrayBuffer): Section | undefined {
  try {
    const view = new DataView(bytes);
    if (view.getUint32(0, true) !== ABI_VERSION) return undefined;
    const count = view.getUint32(4, true);
    const flags = view.getUint32(8, true);
    let offset = 12;
    let ownMemory: OwnMemory | undefined;
    if (flags & FLAG_OWN_MEMORY) {
      const maximum = view.getBigUint64(offset + 8, true);
      ownMemory = {
        initialPages: Number(view.getBigUint64(offset, true)),
        maximumPages: maximum === 0xffff_ffff_ffff_ffffn ? undefined : Number(maximum),
        shared: view.getUint32(offset + 16, true) !== 0,
      };
      offset += 20;
    }
    const counts = words(bytes, offset, 2 * count);
    offset += counts.byteLength;
    const counters = counts.reduce((sum, value, at) => sum + (at % 2) * value, 0);
    const counted = words(bytes, offset, 2 * counters);
    offset += counted.byteLength;
    const text = new Uint8Array(bytes, offset + 4, view.getUint32(offset, true));
    const map = JSON.parse(new TextDecoder().decode(text)) as ModuleMap;
    return {
      inline: (flags & FLAG_INLINE) !== 0,
      clock: clockOf(flags),
      sharedMemory: (flags & (FLAG_SAMPLED | FLAG_SHARED)) !== 0,
      ownMemory,
      places: { counts, counted },
      map,
    };
  } catch {
    return undefined;
  }
}

function clockOf(flags: number): Clock {
  if (flags & FLAG_WALL) return 'wall';
  if (flags & FLAG_SAMPLED) return 'sampled';
  return flags & FLAG_INSTRUCTIONS ? 'instructions' : 'calls';
}

/** @throws RangeError if there are fewer */
function words(bytes: ArrayBuffer, offset: number, count: number): Uint32Array {
  return new Uint32Array(bytes.slice(offset), 0, count);
}

/** Whether the bytes of a module carry a `wasm-xray` section: they were instrumented before. */
export function hasProbes(bytes: Uint8Array): boolean {
  return customSectionNames(bytes).has(PROBE_MODULE);
}

/** Names of the custom sections in the bytes of a module, as far as they can be read. */
export function customSectionNames(bytes: Uint8Array): Set<string> {
  const names = new Set<string>();
  const reader = new ByteReader(bytes, 8);
  while (reader.at < bytes.length) {
    const id = reader.u8();
    const section = reader.sized();
    if (id === 0) names.add(new TextDecoder().decode(new ByteReader(section).sized()));
  }
  return names;
}
