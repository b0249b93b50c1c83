import { readFileSync } from 'node:fs';
import { InstallationError } from '../errors.js';

/** The viewer's files, as the build leaves them. */
const FILES = {
  'index.html': '../../www/index.html',
  'viewer.js': '../../www/viewer.js',
  'viewer.css': '../../www/viewer.css',
  'toolkit.wasm': '../../wasm/toolkit/wasm_xray_toolkit_bg.wasm',
} as const;
export type Asset = keyof typeof FILES;

/**
 * A file of the viewer.
 * @throws InstallationError if it is missing
 */
export function readAsset(name: Asset): Uint8Array<ArrayBuffer> {
  const url = new URL(FILES[name], import.meta.url);
  try {
    return readFileSync(url);
  } catch (error) {
    throw new InstallationError(
      `A part of wasm-xray is missing: ${url.pathname}. Install the package again.`,
      { cause: error },
    );
  }
}

export function isAsset(name: string): name is Asset {
  return Object.hasOwn(FILES, name);
}
