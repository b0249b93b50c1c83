import { toolkit } from '../core/toolkit.js';
import { Profile } from '../profile.js';
import { listParts, type Part, readPart } from './parts.js';

/** What the threads and processes of a run left. */
export interface MergedRun {
  /** Undefined: none left its part. */
  readonly profile: Profile | undefined;
  /** What the profile does not show, in sentences; also in its map. */
  readonly unseen: readonly string[];
}

/**
 * Merges the parts of a run. Threads are named after their place in it, not
 * after ids of the operating system: `main`, `worker 2`, `process 2 main`.
 * @param root the process whose main thread is `main`
 * @param signal what ended that process, if a signal did
 * @returns undefined if no thread loaded wasm
 * @throws whatever is wrong with a part
 */
export function mergeParts(
  directory: string,
  root: number,
  signal?: NodeJS.Signals,
): MergedRun | undefined {
  const parts = listParts(directory);
  if (parts.length === 0) return undefined;
  const others = [...new Set(parts.map((part) => part.pid))].filter((pid) => pid !== root);
  const nameOf = ({ pid, threadId }: Part) => {
    const thread = threadId === 0 ? 'main' : `worker ${threadId}`;
    return pid === root ? thread : `process ${others.indexOf(pid) + 2} ${thread}`;
  };

  const { ProfileMerger } = toolkit();
  const merger = new ProfileMerger();
  parts.sort((a, b) => Number(b.pid === root) - Number(a.pid === root));
  const unseen = parts
    .filter((part) => !part.complete)
    .map((part) => sentence(nameOf(part), part, part.pid === root ? signal : undefined));
  const complete = parts.filter((part) => part.complete);
  if (complete.length === 0) return { profile: undefined, unseen };
  for (const [index, part] of complete.entries()) {
    const { blocks, map } = readPart(directory, part);
    for (const thread of map.threads) thread.name = nameOf(part);
    if (index === 0) map.unseen.push(...unseen);
    merger.add(blocks, JSON.stringify(map));
  }
  return { profile: new Profile(merger.finish()), unseen };
}

function sentence(name: string, part: Part, signal: NodeJS.Signals | undefined): string {
  if (signal && part.threadId === 0) {
    return `${name} was ended by ${signal} and left no profile. Let it end by itself, or handle the signal with process.exit().`;
  }
  const program = part.marker && name.startsWith('process') ? ` (${part.marker.program})` : '';
  return `${name}${program} ended without leaving its profile: it was killed, or busy when its process ended.`;
}
