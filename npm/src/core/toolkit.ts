import {
  type Instrumented,
  initSync,
  instrument,
  moduleHash,
  Profile,
  ProfileDiff,
  ProfileMerger,
} from '../../wasm/toolkit/wasm_xray_toolkit.js';
import { ModuleError, messageOf } from '../errors.js';
import type { Clock, ProbeKind } from './options.js';
import { packaged } from './packaged.js';

/** The rewriter and the profile model, compiled to WebAssembly. */
export interface Toolkit {
  readonly instrument: typeof instrument;
  readonly moduleHash: typeof moduleHash;
  readonly Profile: typeof Profile;
  readonly ProfileDiff: typeof ProfileDiff;
  readonly ProfileMerger: typeof ProfileMerger;
}

export type { Instrumented, Profile, ProfileDiff, ProfileMerger };

let loaded: Toolkit | undefined;

/**
 * The toolkit, loaded the first time it is needed: a program without wasm does
 * not pay for it.
 * @throws InstallationError if its file is missing or, in a browser, not loaded yet
 */
export function toolkit(): Toolkit {
  if (!loaded) {
    initSync({ module: packaged('toolkit') });
    loaded = { instrument, moduleHash, Profile, ProfileDiff, ProfileMerger };
  }
  return loaded;
}

/** Instrumented bytes and their function map as JSON. */
export interface InstrumentResult {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Empty: the module has no functions of its own and is unchanged. */
  readonly map: string;
}

/**
 * Rewrites a module.
 * @throws ModuleError saying what is wrong with the bytes and where
 */
export function instrumentBytes(
  bytes: Uint8Array,
  options: { readonly probes: ProbeKind; readonly clock: Clock; readonly validate?: boolean },
): InstrumentResult {
  const { instrument } = toolkit();
  let result: Instrumented;
  try {
    result = instrument(bytes, JSON.stringify(options));
  } catch (error) {
    throw new ModuleError(messageOf(error), { cause: error });
  }
  try {
    const map = result.map();
    return { bytes: result.takeBytes() as Uint8Array<ArrayBuffer>, map };
  } finally {
    result.free();
  }
}
