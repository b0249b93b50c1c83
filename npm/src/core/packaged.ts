import { InstallationError } from '../errors.js';

/** The wasm files of this package. */
export type PackagedFile = 'runtime' | 'toolkit';

/** Where each file is, as seen from `npm/dist/<folder>/`. */
export const PACKAGED_FILES: Readonly<Record<PackagedFile, string>> = {
  runtime: '../../wasm/runtime/runtime_bg.wasm',
  toolkit: '../../wasm/toolkit/wasm_xray_toolkit_bg.wasm',
};

const compiled = new Map<PackagedFile, WebAssembly.Module>();
let read: ((file: PackagedFile) => WebAssembly.Module) | undefined;

/**
 * A file of this package, compiled.
 * @throws InstallationError if it is missing or nobody provided it yet
 */
export function packaged(file: PackagedFile): WebAssembly.Module {
  let module = compiled.get(file);
  if (!module) {
    if (!read) {
      throw new InstallationError(
        'wasm-xray is not loaded yet. Await load() before anything that works at once.',
      );
    }
    module = read(file);
    compiled.set(file, module);
  }
  return module;
}

/** Whether {@link packaged} has the file already. */
export function isPackagedLoaded(file: PackagedFile): boolean {
  return compiled.has(file);
}

/** Gives a file beforehand. */
export function providePackaged(file: PackagedFile, module: WebAssembly.Module): void {
  compiled.set(file, module);
}

/** Says how to get a file when it is needed; `reader` throws InstallationError. */
export function readPackagedWith(reader: (file: PackagedFile) => WebAssembly.Module): void {
  read = reader;
}
