import { basename, dirname } from 'node:path';
import type { Clock, ProbeKind } from '../core/options.js';
import { mapPath } from '../core/profile-paths.js';
import { hasProbes } from '../core/section.js';
import { toolkit } from '../core/toolkit.js';
import { ModuleError, messageOf, OptionError, ProfileError } from '../errors.js';
import { readFilter } from '../hook/filter.js';
import type { FilterFlags } from '../hook/filter-flags.js';
import type { Profile, SymbolsAdded } from '../profile.js';
import { addModuleSymbols } from '../symbols/symbolize.js';
import { type Translated, translateTrace } from '../symbols/trace.js';
import { checkOutput, readInput, writeOutput } from './files.js';
import { printable } from './printable.js';
import { openProfile } from './profile-file.js';
import { count } from './terminal.js';

export interface SymbolizeOptions {
  readonly with: readonly string[];
  /** Default: the profile's map is replaced. */
  readonly output?: string;
  /** Name of the module that a symbol map is of. */
  readonly module?: string;
  readonly map?: string;
}

interface SymbolFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * `wasm-xray symbolize`
 * @returns what was done, in lines
 * @throws FileError, ProfileError, OptionError; then nothing is written
 */
export function symbolize(path: string, options: SymbolizeOptions): string {
  if (options.output !== undefined) checkOutput(options.output);
  const { modules, map, names } = symbolFiles(options.with);
  const profile = openProfile(path, options.map);
  const lines = [
    ...modules.map(({ path, bytes }) =>
      outcome(path, () => addModuleSymbols(profile, bytes, [dirname(path)], map?.bytes)),
    ),
    ...names.map(({ path, bytes }) =>
      outcome(path, () => profile.addSymbolMap(bytes, options.module)),
    ),
  ];
  lines.push(`Wrote ${write(profile, path, options)}`);
  return lines.join('\n');
}

interface SymbolFiles {
  readonly modules: readonly SymbolFile[];
  /** The source map of the only module. */
  readonly map: SymbolFile | undefined;
  /** Symbol maps. */
  readonly names: readonly SymbolFile[];
}

function symbolFiles(paths: readonly string[]): SymbolFiles {
  const files = { module: [], 'source map': [], 'symbol map': [] } as Record<string, SymbolFile[]>;
  for (const path of paths) {
    const bytes = readInput(path, 'module, source map or symbol map');
    const kind = files[toolkit().symbolFileKind(bytes)];
    if (!kind) {
      throw new ProfileError(
        `${path} holds no symbols. Give a WebAssembly module with names or debug information, a source map of a module, or a symbol map with lines such as 12:main.`,
      );
    }
    kind.push({ path, bytes });
  }
  const { module: modules = [], 'source map': maps = [], 'symbol map': names = [] } = files;
  const [map] = maps;
  if (map && (maps.length > 1 || modules.length !== 1)) {
    throw new OptionError(
      `${map.path} does not say of which module it is. Give it together with that module and no other: --with app.wasm app.wasm.map`,
    );
  }
  return { modules, map, names };
}

export interface TraceFlags extends FilterFlags {
  readonly with: readonly string[];
  /** Path of the text, or `-`. */
  readonly trace: string;
  /** Default: standard output. */
  readonly output?: string;
  readonly clock?: Clock;
  readonly probes?: ProbeKind;
}

/**
 * `wasm-xray symbolize --trace`: the text with the original modules' frames, and notes in sentences
 * @throws FileError, OptionError, ModuleError
 */
export function symbolizeTrace(flags: TraceFlags): Translated {
  const { modules, map } = symbolFiles(flags.with);
  if (modules.length === 0) {
    throw new OptionError('--trace needs the modules as they were: --with app.wasm');
  }
  const traced = modules.map(({ path, bytes }) => {
    if (hasProbes(bytes)) {
      throw new ModuleError(
        `${path} is instrumented. Give the module that it was made from, as the frames are to be of that one.`,
      );
    }
    return { name: basename(path), bytes, folders: [dirname(path)], sourceMap: map?.bytes };
  });
  const { clock, probes } = flags;
  const text = readInput(flags.trace === '-' ? 0 : flags.trace, 'text with stack traces');
  const filter = readFilter(flags);
  return translateTrace(new TextDecoder().decode(text), traced, { clock, probes, filter });
}

function outcome(path: string, add: () => SymbolsAdded): string {
  let added: SymbolsAdded;
  try {
    added = add();
  } catch (error) {
    throw new ProfileError(`${path} was refused: ${messageOf(error)}.`, { cause: error });
  }
  const { modules, named, placed, notes } = added;
  const what = [
    ...(named > 0 ? [`${count(named, 'name')}`] : []),
    ...(placed > 0 ? [`file and line of ${count(placed, 'function')}`] : []),
  ];
  const of = modules.map(printable).join(', ');
  return [
    `${basename(path)}: ${what.join(' and ') || 'nothing new'} for ${of}`,
    ...notes.map((note) => `  ${printable(note)}`),
  ].join('\n');
}

/** Only the map changes, unless the result should be another file. */
function write(profile: Profile, path: string, options: SymbolizeOptions): string {
  if (options.output === undefined) {
    const map = options.map ?? mapPath(path);
    writeOutput(map, profile.map());
    return map;
  }
  const map = mapPath(options.output);
  writeOutput(options.output, profile.blocks());
  writeOutput(map, profile.map());
  return `${options.output} and ${map}`;
}
