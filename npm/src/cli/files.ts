import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileError, messageOf } from '../errors.js';

/**
 * Reads a file that the user named.
 * @param source its path; 0: standard input
 * @param what what it should be, such as `WebAssembly module`
 * @throws FileError
 */
export function readInput(source: string | 0, what: string): Uint8Array<ArrayBuffer> {
  const path = source === 0 ? 'standard input' : source;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = readFileSync(source);
  } catch (error) {
    throw new FileError(`${reason(error, path)} Give the path of a ${what}.`, { cause: error });
  }
  if (bytes.length === 0) throw new FileError(`${path} is empty. Give the path of a ${what}.`);
  return bytes;
}

/**
 * Writes a file that the user asked for.
 * @throws FileError
 */
export function writeOutput(path: string, data: Uint8Array | string): void {
  try {
    writeFileSync(path, data);
  } catch (error) {
    removePartial(path);
    throw new FileError(`${reason(error, path)} Nothing was written there; choose another path.`, {
      cause: error,
    });
  }
}

/** A part of a file says wrong things. Devices stay. */
function removePartial(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
  } catch {
    // It is not ours to remove, so it is not ours either.
  }
}

/**
 * Checks that a file can be written, before much work is done for it.
 * @throws FileError
 */
export function checkOutput(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FileError(`${path} is a directory. Give the path of a file to write.`);
  }
  const directory = dirname(resolve(path));
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FileError(`There is no directory ${directory}. Make it, or write somewhere else.`);
  }
}

function reason(error: unknown, path: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return `There is no file ${path}.`;
    case 'EISDIR':
      return `${path} is a directory, not a file.`;
    case 'ENOTDIR':
      return `${path} leads through something that is not a directory.`;
    case 'EACCES':
    case 'EPERM':
      return `You have no permission for ${path}.`;
    case 'ENOSPC':
      return `There is no space left for ${path}.`;
    default:
      return `${path}: ${messageOf(error)}.`;
  }
}
