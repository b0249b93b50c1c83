import { InstallationError, messageOf } from '../errors.js';
import { natives } from './natives.js';

/** The wasm files of this package. */
export type PackagedFile = 'runtime' | 'toolkit';

/** Where each file is, as seen from `npm/dist/<folder>/`. */
export const PACKAGED_FILES: Readonly<Record<PackagedFile, string>> = {
  runtime: '../../wasm/runtime/runtime_bg.wasm',
  toolkit: '../../wasm/toolkit/wasm_xray_toolkit_bg.wasm',
};

const compiled = new Map<PackagedFile, WebAssembly.Module>();
const contents = new Map<PackagedFile, Uint8Array<ArrayBuffer>>();
let read: ((file: PackagedFile) => Uint8Array<ArrayBuffer>) | undefined;

/**
 * A file of this package, compiled.
 * @throws InstallationError if it is missing or nobody provided it yet
 */
export function packaged(file: PackagedFile): WebAssembly.Module {
  let module = compiled.get(file);
  if (!module) {
    const bytes = packagedBytes(file);
    try {
      module = new natives.Module(bytes);
    } catch (error) {
      throw new InstallationError(
        `The ${file} of wasm-xray is broken. Install the package again. (${messageOf(error)})`,
        { cause: error },
      );
    }
    compiled.set(file, module);
  }
  return module;
}

/**
 * The bytes of a file of this package.
 * @throws InstallationError if it is missing, nobody provided it yet, or only as a module
 */
export function packagedBytes(file: PackagedFile): Uint8Array<ArrayBuffer> {
  const known = contents.get(file);
  if (known) return known;
  if (read) return read(file);
  throw new InstallationError(
    compiled.has(file)
      ? `The clock sampled needs the bytes of wasm-xray's ${file}, and load() got a compiled module. Give its address or bytes to load().`
      : 'wasm-xray is not loaded yet. Await load() before anything that works at once.',
  );
}

/** Whether {@link packaged} has the file already. */
export function isPackagedLoaded(file: PackagedFile): boolean {
  return compiled.has(file);
}

/** Gives a file beforehand, compiled, and its bytes if they are at hand. */
export function providePackaged(
  file: PackagedFile,
  module: WebAssembly.Module,
  bytes?: Uint8Array<ArrayBuffer>,
): void {
  compiled.set(file, module);
  if (bytes) contents.set(file, bytes);
}

/** Says how to get a file when it is needed; `reader` throws InstallationError. */
export function readPackagedWith(reader: (file: PackagedFile) => Uint8Array<ArrayBuffer>): void {
  read = reader;
}
