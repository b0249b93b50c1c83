import { readFileSync } from 'node:fs';
import { PACKAGED_FILES, type PackagedFile, readPackagedWith } from '../core/packaged.js';
import { InstallationError, messageOf } from '../errors.js';

/** In Node the files of the package are read when they are needed. */
readPackagedWith((file: PackagedFile) => {
  const url = new URL(PACKAGED_FILES[file], import.meta.url);
  try {
    return new Uint8Array(readFileSync(url));
  } catch (error) {
    throw new InstallationError(
      `A part of wasm-xray is missing: ${url.pathname}. Install the package again. (${messageOf(error)})`,
      { cause: error },
    );
  }
});
