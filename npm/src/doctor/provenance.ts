import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { InstallationError, messageOf } from '../errors.js';

/** A wasm file of this package. */
export interface PackagedWasm {
  /** Path in the package. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

const FILES = ['npm/wasm/runtime/runtime_bg.wasm', 'npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm'];
const ROOT = new URL('../../../', import.meta.url);

/** Version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string })
    .version;
}

/**
 * What is inside, to be compared with what was released.
 * @throws InstallationError if a file is missing
 */
export function packagedWasm(): PackagedWasm[] {
  return FILES.map((file) => {
    try {
      const content = readFileSync(new URL(file, ROOT));
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { file, bytes: content.length, sha256 };
    } catch (error) {
      throw new InstallationError(
        `A part of wasm-xray is missing: ${file}. Install the package again. (${messageOf(error)})`,
        { cause: error },
      );
    }
  });
}
