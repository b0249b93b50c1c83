import { toolkit } from '../core/toolkit.js';
import { messageOf, ProfileError } from '../errors.js';
import type { Profile, SymbolsAdded } from '../profile.js';
import { locate } from './locate.js';

/** What a module says belongs to it. */
interface References {
  /** Address of its source map. */
  readonly sourceMap?: string;
  /** Address of a module with its DWARF. */
  readonly debug?: string;
  readonly hasDwarf: boolean;
}

/**
 * Gives a profile what a module and the files beside it say about its functions.
 * @param folders where the module may come from
 * @param sourceMap its source map, if it is known already
 * @throws ProfileError if the module is not one of the profile's
 */
export function addModuleSymbols(
  profile: Profile,
  module: Uint8Array,
  folders: readonly string[],
  sourceMap?: Uint8Array,
): SymbolsAdded {
  const { debug, map, notes } = filesBeside(module, folders, sourceMap);
  const added = profile.addSymbols(module, {
    ...(debug && { debug }),
    ...(map && { sourceMap: map }),
  });
  return { ...added, notes: [...notes, ...added.notes] };
}

/**
 * Finds what a module says belongs to it.
 * @param folders where the module may come from
 * @param sourceMap its source map, if it is known already
 */
export function filesBeside(
  module: Uint8Array,
  folders: readonly string[],
  sourceMap?: Uint8Array,
): { debug: Uint8Array | undefined; map: Uint8Array | undefined; notes: string[] } {
  const references = referencesOf(module);
  const notes: string[] = [];
  const find = (what: string, url: string | undefined) => {
    if (url === undefined) return undefined;
    const { bytes, note } = locate(url, folders);
    if (note !== undefined) notes.push(`the ${what} was not found: ${note}`);
    return bytes;
  };
  // Declarations in DWARF are better than the first mapping, and a map says no more.
  const map =
    sourceMap ?? (references.hasDwarf ? undefined : find('source map', references.sourceMap));
  return { debug: find('file with DWARF', references.debug), map, notes };
}

function referencesOf(module: Uint8Array): References {
  try {
    return JSON.parse(toolkit().symbolReferences(module)) as References;
  } catch (error) {
    throw new ProfileError(messageOf(error), { cause: error });
  }
}
