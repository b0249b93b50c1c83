import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { defaultName } from '../core/session.js';
import { toolkit } from '../core/toolkit.js';
import '../node/packaged.js';
import { Profile } from '../profile.js';
import { listParts, type Part, readNames, readPart } from './parts.js';
import { addRunSymbols, type RunSymbols } from './symbols.js';

/** What the threads and processes of a run left. */
export interface MergedRun {
  /** Undefined: none left its part. */
  readonly profile: Profile | undefined;
  /** Undefined: no module has debug information, or it stays unread. */
  readonly symbols: RunSymbols | undefined;
  /** What the profile does not show, in sentences; also in its map. */
  readonly unseen: readonly string[];
  /** Whether a part could not be written. */
  readonly failed: boolean;
}

/** The process that was started, as opposed to those that it started. */
export interface RootProcess {
  readonly pid: number;
  /** Whether it runs a Node program for sure. */
  readonly isNode: boolean;
  /** What ended it, if a signal did. */
  readonly signal?: NodeJS.Signals | undefined;
}

/**
 * Merges the parts of a run. Threads are named after their place in it, not
 * after ids of the operating system: `main`, `worker 2`, `process 2 (a.mjs) main`.
 * @param options `symbols` false: debug information stays unread
 * @returns undefined if no thread loaded wasm
 * @throws whatever is wrong with a part
 */
export function mergeParts(
  directory: string,
  root: RootProcess,
  options: { readonly symbols?: boolean } = {},
): MergedRun | undefined {
  const parts = listParts(directory);
  if (parts.length === 0) return undefined;
  parts.sort((a, b) => Number(b.pid === root.pid) - Number(a.pid === root.pid));
  const name = namer(parts, root);

  const names = readNames(directory);

  const { ProfileMerger } = toolkit();
  const merger = new ProfileMerger();
  const unseen = parts
    .filter((part) => part.kind !== 'final')
    .map((part) => sentence(name(part), part, part.pid === root.pid ? root.signal : undefined));
  const left = parts.filter((part) => part.kind !== undefined);
  const failed = parts.some((part) => part.kind !== 'final' && part.marker?.failure !== undefined);
  if (left.length === 0) return { profile: undefined, symbols: undefined, unseen, failed };
  for (const [index, part] of left.entries()) {
    const { blocks, map } = readPart(directory, part, part.kind ?? 'final');
    for (const thread of map.threads) thread.name = name(part);
    for (const { map: module } of map.modules) {
      if (module.name === defaultName(module.hash)) module.name = names[module.hash] ?? module.name;
    }
    if (index === 0) map.unseen.push(...unseen);
    merger.add(blocks, JSON.stringify(map));
  }
  const profile = new Profile(merger.finish());
  const symbols = options.symbols === false ? undefined : addRunSymbols(profile, directory);
  return { profile, symbols, unseen, failed };
}

/** Names threads. Processes count from the root, or from 1 if that is not one of Node's. */
function namer(parts: readonly Part[], root: RootProcess): (part: Part) => string {
  const pids = [...new Set(parts.map(({ pid }) => pid))];
  const hasRoot = root.isNode || pids.includes(root.pid);
  const others = pids.filter((pid) => pid !== root.pid);
  const programs = new Map(parts.map(({ pid, marker }) => [pid, marker?.program]));
  const samplers = new Set(parts.map(({ pid, marker }) => `${pid} ${marker?.sampler}`));
  return ({ pid, threadId, marker }) => {
    let number = threadId;
    for (let other = 1; other < threadId; other++) if (samplers.has(`${pid} ${other}`)) number--;
    const thread = marker?.thread ?? (threadId === 0 ? 'main' : `worker ${number}`);
    if (pid === root.pid) return thread;
    const process = others.indexOf(pid) + (hasRoot ? 2 : 1);
    const program = programs.get(pid);
    return `process ${process}${program ? ` (${basename(program)})` : ''} ${thread}`;
  };
}

function sentence(name: string, part: Part, signal: NodeJS.Signals | undefined): string {
  const failure = part.marker?.failure;
  if (failure !== undefined) {
    const left = part.kind === 'snapshot' ? 'its last snapshot is in the profile' : 'it is missing';
    return `${name} could not write its part of the profile, so ${left}: ${failure}. Free some space in ${tmpdir()}, or name another folder in TMPDIR.`;
  }
  const ended =
    signal && part.threadId === 0
      ? `${name} was ended by ${signal}`
      : `${name} was killed, or busy when its process ended`;
  if (part.kind === 'snapshot') return `${ended}; its last snapshot is in the profile.`;
  return `${ended}, and left no profile. Let it end by itself, or take snapshots with --snapshot 10s.`;
}
