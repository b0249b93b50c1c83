import { messageOf } from '../errors.js';
import type { Profile } from '../profile.js';
import { folderOf } from '../symbols/locate.js';
import { addModuleSymbols } from '../symbols/symbolize.js';
import { keptOriginals } from './originals.js';

/** What the debug information of a run's modules gave. */
export interface RunSymbols {
  /** Functions whose source file is known. */
  readonly placed: number;
  readonly ms: number;
  /** What could not be read, in sentences. */
  readonly notes: readonly string[];
}

/**
 * Reads the debug information of the modules of a run into its profile. What
 * goes wrong is a note: the figures are complete without it.
 * @returns undefined if no module has any
 */
export function addRunSymbols(profile: Profile, directory: string): RunSymbols | undefined {
  const startMs = performance.now();
  let placed = 0;
  let any = false;
  const notes: string[] = [];
  for (const { bytes, origin } of keptOriginals(directory)) {
    any = true;
    const folder = origin === undefined ? undefined : folderOf(origin);
    try {
      const added = addModuleSymbols(profile, bytes, folder === undefined ? [] : [folder]);
      placed += added.placed;
      notes.push(...added.notes.map((note) => `In ${added.modules.join(', ')}: ${note}`));
    } catch (error) {
      notes.push(messageOf(error));
    }
  }
  return any ? { placed, ms: performance.now() - startMs, notes } : undefined;
}
