import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { ABI_VERSION } from '../core/abi.js';
import { PACKAGED_FILES } from '../core/packaged.js';
import type { InstrumentOptions, InstrumentResult } from '../core/toolkit.js';
import { packageVersion } from '../doctor/provenance.js';

/** Smaller modules are instrumented again, which takes no longer than to look for them. */
export const MIN_BYTES = 512 * 1024;
/** What the cache may hold, in bytes. */
const MAX_BYTES = 1024 ** 3;
/** What is left when it held more. */
const KEEP_BYTES = 0.75 * MAX_BYTES;
/** A file that a process began and did not finish for so long is nobody's, in ms. */
const ABANDONED_MS = 3_600_000;

/** Hexadecimal digits of a key. */
const KEY_DIGITS = 40;
/** Names of our files, finished and unfinished: the folder may have others. */
const OURS = /^[0-9a-f]{40}\.wasm(\.\d+-\d+-\d+)?$/;

const MAGIC = Buffer.from('wxcache1');
/** Magic, SHA-256 of the rest, lengths of map and offsets (u32 each). */
const HEADER = MAGIC.length + 32 + 8;

type Rewrite = (bytes: Uint8Array, options: InstrumentOptions) => InstrumentResult;

/**
 * Instrumented modules on disk, by content and options, for the next start of the
 * same program. A file is complete or not there: it is written under another
 * name first. What cannot be read or written is as if it were not there.
 */
export class ModuleCache {
  readonly #folder: string;
  readonly #rewrite: Rewrite;
  #files = 0;

  constructor(folder: string, rewrite: Rewrite) {
    this.#folder = folder;
    this.#rewrite = rewrite;
  }

  /** The same as the function that it was made with, sooner. */
  readonly rewrite: Rewrite = (bytes, options) => {
    if (bytes.length < MIN_BYTES) return this.#rewrite(bytes, options);
    const key = keyOf(bytes, options);
    if (key === undefined) return this.#rewrite(bytes, options);
    const file = join(this.#folder, `${key}.wasm`);
    const known = read(file);
    if (known) return known;
    const result = this.#rewrite(bytes, options);
    this.#write(file, result);
    return result;
  };

  #write(file: string, result: InstrumentResult): void {
    const unfinished = `${file}.${process.pid}-${threadId}-${this.#files++}`;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(unfinished, encode(result), { flag: 'wx' });
      renameSync(unfinished, file);
      trim(this.#folder);
    } catch {
      remove(unfinished);
    }
  }
}

/** Where the cache is, or undefined if `WASM_XRAY_MODULE_CACHE` is `off`. */
export function cacheFolder(): string | undefined {
  const { WASM_XRAY_MODULE_CACHE: own, XDG_CACHE_HOME } = process.env;
  if (own === 'off') return undefined;
  if (own) return own;
  try {
    return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'wasm-xray', 'modules');
  } catch {
    return undefined; // The user has no home.
  }
}

/** Another build of the toolkit may write other modules; not all installers keep the times of files. */
let build: string | undefined;

/** Undefined if it cannot be told. */
function keyOf(bytes: Uint8Array, options: InstrumentOptions): string | undefined {
  try {
    if (build === undefined) {
      const { size, mtimeMs } = statSync(new URL(PACKAGED_FILES.toolkit, import.meta.url));
      build = `${packageVersion()} ${ABI_VERSION} ${size} ${mtimeMs}`;
    }
  } catch {
    return undefined;
  }
  const hash = createHash('sha256')
    .update(`${build} ${JSON.stringify(options)}\0`)
    .update(bytes);
  return hash.digest('hex').slice(0, KEY_DIGITS);
}

function encode({ bytes, map, offsets }: InstrumentResult): Buffer {
  const text = Buffer.from(map);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(offsets.length, 4);
  const rest = [lengths, text, offsets, bytes];
  return Buffer.concat([MAGIC, digest(rest), ...rest]);
}

/** Undefined if there is no such file, or not as it was written. */
function read(file: string): InstrumentResult | undefined {
  try {
    const content = readFileSync(file);
    const sum = content.subarray(MAGIC.length, HEADER - 8);
    if (!content.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    if (!digest([content.subarray(HEADER - 8)]).equals(sum)) return undefined;
    const map = HEADER + content.readUInt32LE(HEADER - 8);
    const offsets = map + content.readUInt32LE(HEADER - 4);
    // For whom looks for the file that was not used the longest.
    const now = new Date();
    utimesSync(file, now, now);
    return {
      map: content.toString('utf8', HEADER, map),
      offsets: new Uint8Array(content.subarray(map, offsets)),
      bytes: new Uint8Array(content.buffer, content.byteOffset + offsets, content.length - offsets),
    };
  } catch {
    return undefined;
  }
}

function digest(parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // There is no such folder, or it is not ours to change.
  }
}

/** Deletes what was not used the longest if there is too much. */
function trim(folder: string): void {
  const files = readdirSync(folder).flatMap((name) => {
    if (!OURS.test(name)) return [];
    const file = join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat
      ? [{ file, bytes: stat.size, usedMs: stat.mtimeMs, done: name.endsWith('.wasm') }]
      : [];
  });
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const limit = bytes > MAX_BYTES ? KEEP_BYTES : bytes;
  // The newest file was written just now; the program may have put another clock in the place of Date's.
  const nowMs = files.reduce((latest, file) => Math.max(latest, file.usedMs), 0);
  for (const one of files.sort((a, b) => a.usedMs - b.usedMs)) {
    const isAbandoned = !one.done && one.usedMs < nowMs - ABANDONED_MS;
    if (!isAbandoned && (bytes <= limit || !one.done)) continue;
    remove(one.file);
    bytes -= one.bytes;
  }
}
