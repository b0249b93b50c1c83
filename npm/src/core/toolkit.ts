import {
  CodeOffsets,
  checkFilter,
  type Instrumented,
  initSync,
  instrument,
  locate,
  moduleHash,
  Profile,
  ProfileDiff,
  ProfileMerger,
  ProfileRuns,
  symbolFileKind,
  symbolReferences,
  TraceModule,
} from '../../wasm/toolkit/wasm_xray_toolkit.js';
import { ModuleError, messageOf, OptionError } from '../errors.js';
import type { Filter } from './filter.js';
import type { Clock, ProbeKind } from './options.js';
import { packaged } from './packaged.js';

/** The rewriter and the profile model, compiled to WebAssembly. */
export interface Toolkit {
  readonly instrument: typeof instrument;
  readonly checkFilter: typeof checkFilter;
  readonly moduleHash: typeof moduleHash;
  readonly CodeOffsets: typeof CodeOffsets;
  readonly Profile: typeof Profile;
  readonly ProfileDiff: typeof ProfileDiff;
  readonly ProfileMerger: typeof ProfileMerger;
  readonly symbolFileKind: typeof symbolFileKind;
  readonly symbolReferences: typeof symbolReferences;
  readonly ProfileRuns: typeof ProfileRuns;
  readonly TraceModule: typeof TraceModule;
  readonly locate: typeof locate;
}

export type { CodeOffsets, Instrumented, Profile, ProfileDiff, ProfileMerger, TraceModule };

let loaded: Toolkit | undefined;

/**
 * The toolkit, loaded the first time it is needed: a program without wasm does
 * not pay for it.
 * @throws InstallationError if its file is missing or, in a browser, not loaded yet
 */
export function toolkit(): Toolkit {
  if (!loaded) {
    initSync({ module: packaged('toolkit') });
    loaded = {
      instrument,
      checkFilter,
      moduleHash,
      CodeOffsets,
      Profile,
      ProfileDiff,
      ProfileMerger,
      symbolFileKind,
      symbolReferences,
      ProfileRuns,
      TraceModule,
      locate,
    };
  }
  return loaded;
}

/** Instrumented bytes and their function map as JSON. */
export interface InstrumentResult {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Empty: the module has no functions of its own and is unchanged. */
  readonly map: string;
  /** Where the code comes from, for {@link CodeOffsets}; empty unless it was asked for. */
  readonly offsets: Uint8Array<ArrayBuffer>;
}

export interface InstrumentOptions {
  readonly probes: ProbeKind;
  readonly clock: Clock;
  readonly filter: Filter;
  /** What globs call a module that has no name of its own. */
  readonly moduleName?: string | undefined;
  readonly validate?: boolean;
  /** Ask for {@link InstrumentResult.offsets}. */
  readonly offsets?: boolean;
}

/**
 * Checks what {@link filterFrom} cannot.
 * @throws OptionError naming the line of the attribute list that is wrong
 */
export function checkAttributeList(filter: Filter, name = 'The attribute list'): void {
  if (filter.attributeList === '') return;
  const { checkFilter } = toolkit();
  try {
    checkFilter(JSON.stringify(filter));
  } catch (error) {
    throw new OptionError(`${name}, ${messageOf(error)}.`);
  }
}

/**
 * Rewrites a module.
 * @throws ModuleError saying what is wrong with the bytes and where
 */
export function instrumentBytes(bytes: Uint8Array, options: InstrumentOptions): InstrumentResult {
  const { instrument } = toolkit();
  let result: Instrumented;
  try {
    result = instrument(bytes, JSON.stringify(options));
  } catch (error) {
    throw new ModuleError(messageOf(error), { cause: error });
  }
  try {
    const map = result.map();
    const offsets = result.takeOffsets() as Uint8Array<ArrayBuffer>;
    return { bytes: result.takeBytes() as Uint8Array<ArrayBuffer>, map, offsets };
  } finally {
    result.free();
  }
}
