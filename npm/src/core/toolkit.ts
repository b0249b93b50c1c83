import { readFileSync } from 'node:fs';
import {
  type Instrumented,
  initSync,
  instrument,
  Profile,
  ProfileDiff,
  ProfileMerger,
} from '../../wasm/toolkit/wasm_xray_toolkit.js';
import { InstallationError, ModuleError, messageOf } from '../errors.js';
import { natives } from './natives.js';
import type { Clock, ProbeKind } from './options.js';

/** The rewriter and the profile model, compiled to WebAssembly. */
export interface Toolkit {
  readonly instrument: typeof instrument;
  readonly Profile: typeof Profile;
  readonly ProfileDiff: typeof ProfileDiff;
  readonly ProfileMerger: typeof ProfileMerger;
}

export type { Instrumented, Profile, ProfileDiff, ProfileMerger };

let loaded: Toolkit | undefined;

/**
 * The toolkit, loaded the first time it is needed: a program without wasm does
 * not pay for it.
 * @throws InstallationError if its file is missing
 */
export function toolkit(): Toolkit {
  if (!loaded) {
    const url = new URL('../../wasm/toolkit/wasm_xray_toolkit_bg.wasm', import.meta.url);
    initSync({ module: loadPackaged(url) });
    loaded = { instrument, Profile, ProfileDiff, ProfileMerger };
  }
  return loaded;
}

/**
 * Compiles a wasm file of this package.
 * @throws InstallationError
 */
export function loadPackaged(url: URL): WebAssembly.Module {
  try {
    return new natives.Module(readFileSync(url));
  } catch (error) {
    throw new InstallationError(
      `A part of wasm-xray is missing or broken: ${url.pathname}. Install the package again. (${messageOf(error)})`,
      { cause: error },
    );
  }
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
