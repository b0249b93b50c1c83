import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type ProfileMap, profileMap } from '../core/profile-map.js';
import type { Session } from '../core/session.js';
import { FileError, messageOf } from '../errors.js';

/** Which thread of which process. */
export interface ThreadKey {
  readonly pid: number;
  /** As `worker_threads.threadId`: 0 is the main thread. */
  readonly threadId: number;
}

/** Written when a thread makes its first instance, so that one that leaves no part is missed; with its part at the latest. */
export interface Marker extends ThreadKey {
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  /** The program, for messages. */
  readonly program: string;
  /** Name of the thread, if it is not one of Node's. */
  readonly thread?: string;
  /** Id of the thread that takes its samples or keeps its clock, which is not one of the program's. */
  readonly sampler?: number;
  /** Why its part could not be written. */
  readonly failure?: string;
}

/**
 * Makes the directory for the parts of a run.
 * @throws FileError
 */
export function makePartsFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'wasm-xray-'));
  } catch (error) {
    throw new FileError(
      `There can be no temporary files in ${tmpdir()}: ${messageOf(error)}. Name another folder in the environment variable TMPDIR.`,
      { cause: error },
    );
  }
}

const MARKER = '.seen.json';
const BLOCKS = '.xray';
const MAP = '.map.json';
const NAMES = '.names.json';
/** Before the endings of what a thread wrote while it was running. */
const SNAPSHOT = '.snapshot';

function stem({ pid, threadId }: ThreadKey): string {
  return `${pid}-${threadId}`;
}

/** Whether a part is what a thread left in the end, or what is known of one that could leave nothing. */
export type PartKind = 'final' | 'snapshot';

function partPath(directory: string, key: ThreadKey, kind: PartKind): string {
  return join(directory, stem(key) + (kind === 'snapshot' ? SNAPSHOT : ''));
}

/** Says that a thread profiles. Never throws: the program goes before its profile. */
export function writeMarker(directory: string, marker: Marker): void {
  try {
    writeFileSync(join(directory, stem(marker) + MARKER), JSON.stringify(marker));
  } catch {
    // The directory is gone: whoever wanted the profile no longer waits for it.
  }
}

/**
 * Writes what a thread has recorded; replaces what it wrote before of the same
 * kind. The blocks get their name last, so a part is whole or absent, and a map
 * is never older than its blocks: maps only grow.
 * @throws whatever the file system says
 */
export function writePart(
  directory: string,
  key: ThreadKey,
  session: Session,
  kind: PartKind = 'final',
): void {
  const id = key.threadId + 1;
  writeBlocks(directory, key, profileMap(session, { id, name: '' }), session.blocks(id), kind);
}

/** As {@link writePart}, for what a thread handed over. */
export function writeBlocks(
  directory: string,
  key: ThreadKey,
  map: ProfileMap,
  blocks: Iterable<Uint8Array>,
  kind: PartKind = 'final',
): void {
  const path = partPath(directory, key, kind);
  // The main thread may write for a worker that just begins to do it itself.
  const unfinished = (part: string) => `${path}${part}.by-${threadId}`;
  try {
    writeFileSync(unfinished(MAP), JSON.stringify(map));
    writeAll(unfinished(BLOCKS), blocks);
    for (const part of [MAP, BLOCKS]) renameSync(unfinished(part), path + part);
  } catch (error) {
    for (const part of [MAP, BLOCKS]) rmSync(unfinished(part), { force: true });
    throw error;
  }
}

function writeAll(path: string, blocks: Iterable<Uint8Array>): void {
  const file = openSync(path, 'w');
  try {
    for (const block of blocks) {
      for (let at = 0; at < block.length; ) at += writeSync(file, block, at);
    }
  } finally {
    closeSync(file);
  }
}

/** How modules are named, by their hashes. */
export type ModuleNames = Readonly<Record<string, string>>;

/**
 * Says how a thread names its modules: others to which it posts them do not know.
 * Never throws: they have other names then.
 */
export function writeNames(directory: string, key: ThreadKey, names: ModuleNames): void {
  try {
    writeFileSync(join(directory, stem(key) + NAMES), JSON.stringify(names));
  } catch {
    // As in `writeMarker`.
  }
}

/** How any thread of a run names modules. */
export function readNames(directory: string): ModuleNames {
  const files = readdirSync(directory).filter((name) => name.endsWith(NAMES));
  return Object.assign({}, ...files.map((name) => readJson(join(directory, name))));
}

/** A thread found in a parts directory. */
export interface Part extends ThreadKey {
  readonly marker: Marker | undefined;
  /** What it left; undefined: nothing but the marker. */
  readonly kind: PartKind | undefined;
}

const PART = /^((\d+)-(\d+))(?:\.seen\.json|(?:\.snapshot)?\.xray)$/;

/** Whether a file in a parts directory says that a thread profiles. */
export function isPartFile(name: string): boolean {
  return PART.test(name);
}

/** Every thread that wrote into a directory; processes by start, then threads by id. */
export function listParts(directory: string): Part[] {
  const names = new Set(readdirSync(directory));
  const parts = new Map<string, Part>();
  for (const name of names) {
    const match = PART.exec(name);
    const key = match?.[1];
    if (!match || key === undefined || parts.has(key)) continue;
    parts.set(key, {
      pid: Number(match[2]),
      threadId: Number(match[3]),
      marker: names.has(key + MARKER) ? readJson<Marker>(join(directory, key + MARKER)) : undefined,
      kind: names.has(key + BLOCKS)
        ? 'final'
        : names.has(key + SNAPSHOT + BLOCKS)
          ? 'snapshot'
          : undefined,
    });
  }
  const started = new Map<number, number>();
  for (const { pid, marker } of parts.values()) {
    const ms = marker?.startedMs ?? Number.MAX_SAFE_INTEGER;
    started.set(pid, Math.min(ms, started.get(pid) ?? ms));
  }
  return [...parts.values()].sort(
    (a, b) =>
      (started.get(a.pid) ?? 0) - (started.get(b.pid) ?? 0) ||
      a.pid - b.pid ||
      a.threadId - b.threadId,
  );
}

/** Whether a thread has written its final part. */
export function hasPart(directory: string, key: ThreadKey): boolean {
  return existsSync(join(directory, stem(key) + BLOCKS));
}

/** Whether a thread has an instance of an instrumented module. */
export function hasMarker(directory: string, key: ThreadKey): boolean {
  return existsSync(join(directory, stem(key) + MARKER));
}

export function readPart(
  directory: string,
  key: ThreadKey,
  kind: PartKind,
): { blocks: Uint8Array; map: ProfileMap } {
  const path = partPath(directory, key, kind);
  return {
    blocks: readFileSync(path + BLOCKS),
    map: JSON.parse(readFileSync(path + MAP, 'utf8')) as ProfileMap,
  };
}

/** Undefined if a file is not whole. */
function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
