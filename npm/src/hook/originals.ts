import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { customSectionNames } from '../core/section.js';
import { messageOf } from '../errors.js';
import { complain } from './messages.js';

/**
 * Modules with debug information, left as they were in the directory of a run:
 * it is read when the program has ended, so that it costs the program no more
 * than writing a file.
 */
export interface Original {
  readonly bytes: Uint8Array;
  /** Path or address of the script that loaded it, or its own. */
  readonly origin: string | undefined;
}

const MODULE = /^original-\w+\.wasm$/;

function hasDebugInfo(bytes: Uint8Array): boolean {
  const names = customSectionNames(bytes);
  return ['.debug_info', 'external_debug_info', 'sourceMappingURL'].some((name) => names.has(name));
}

/** Keeps a module if it has debug information, once for all threads. Never throws. */
export function keepOriginal(directory: string, hash: string, original: Original): void {
  const path = join(directory, `original-${hash}.wasm`);
  try {
    if (existsSync(path) || !hasDebugInfo(original.bytes)) return;
    // Whole or absent: several threads may load it at the same time.
    const part = `${path}.${process.pid}-${threadId}`;
    writeFileSync(`${part}.origin`, original.origin ?? '');
    renameSync(`${part}.origin`, `${path}.origin`);
    writeFileSync(part, original.bytes);
    renameSync(part, path);
  } catch (error) {
    complain(`Source files and lines will be missing: ${messageOf(error)}`);
  }
}

/** Every module that was kept. */
export function* keptOriginals(directory: string): Generator<Original> {
  for (const name of readdirSync(directory).sort()) {
    if (!MODULE.test(name)) continue;
    const path = join(directory, name);
    const origin = readFileSync(`${path}.origin`, 'utf8');
    yield { bytes: readFileSync(path), origin: origin || undefined };
  }
}
