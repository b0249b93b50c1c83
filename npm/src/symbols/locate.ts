import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../errors.js';

/** A file that a module names, or a sentence on why there is none. */
export type Located =
  | { readonly bytes: Uint8Array; readonly note?: undefined }
  | { readonly bytes?: undefined; readonly note: string };

/**
 * Finds what a section such as `sourceMappingURL` leads to: in the address
 * itself, by its path, or by its name in one of the folders. Nothing is loaded
 * over a network.
 * @param folders where the module may come from
 */
export function locate(url: string, folders: readonly string[]): Located {
  if (url.startsWith('data:')) return inAddress(url);
  let path: string;
  try {
    path = pathOf(url);
  } catch (error) {
    return { note: `the address ${shown(url)} cannot be used: ${messageOf(error)}` };
  }
  const tried = new Set<string>();
  for (const folder of folders) tried.add(resolve(folder, path));
  for (const folder of folders) tried.add(resolve(folder, basename(path)));
  if (isAbsolute(path)) tried.add(path);
  for (const file of tried) {
    // A device or a pipe would never end.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    try {
      return { bytes: readFileSync(file) };
    } catch (error) {
      return { note: messageOf(error) };
    }
  }
  const where = folders.map((folder) => shown(folder)).join(' or ');
  return { note: `there is no ${shown(basename(path))}${where && ` in ${where}`}` };
}

/** The path of an address; of one on a network its file's name. */
function pathOf(url: string): string {
  if (url.startsWith('file:')) return fileURLToPath(url);
  if (!/^[a-z][a-z0-9+.-]+:/i.test(url)) return decode(url.replace(/[?#].*$/s, ''));
  return decode(basename(new URL(url).pathname));
}

/** A `%` that begins no escape is one. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function inAddress(url: string): Located {
  const comma = url.indexOf(',');
  if (comma < 0) return { note: 'the data: address has no data in it' };
  const data = url.slice(comma + 1);
  if (/;\s*base64$/i.test(url.slice(0, comma))) return { bytes: Buffer.from(data, 'base64') };
  return { bytes: new TextEncoder().encode(decode(data)) };
}

/** Folder of a script or module, given its path or address; undefined on a network. */
export function folderOf(origin: string): string | undefined {
  try {
    if (origin.startsWith('file:')) return dirname(fileURLToPath(origin));
  } catch {
    return undefined;
  }
  return isAbsolute(origin) ? dirname(origin) : undefined;
}

/** A text from a file, made fit for a message. */
function shown(text: string): string {
  const printable = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·');
  return printable.length <= 200 ? printable : `${printable.slice(0, 200)}…`;
}
