import { InstallationError } from '../errors.js';
import { ByteReader, lebBytes } from './byte-reader.js';

const IMPORT_SECTION = 2;
const [FUNCTION, MEMORY] = [0, 2];
/** Limits with a maximum, of a memory that threads share. */
const SHARED = 3;
const MAX_PAGES = 65_536;

/**
 * The runtime with its memory, an import, declared as shared: then a sampler on another
 * thread can look at it. Nothing else changes, as plain loads and stores work in such a
 * memory too; it holds zeros when the loader makes it.
 * @throws InstallationError if this is not the runtime
 */
export function withSharedMemory(runtime: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new ByteReader(runtime, 8);
  while (reader.at < runtime.length) {
    const start = reader.at;
    const id = reader.u8();
    const section = reader.sized();
    if (id !== IMPORT_SECTION) continue;
    const body = withSharedImport(section);
    return Uint8Array.from([
      ...runtime.subarray(0, start),
      IMPORT_SECTION,
      ...lebBytes(body.length),
      ...body,
      ...runtime.subarray(reader.at),
    ]);
  }
  throw notTheRuntime();
}

/** The contents of an import section; the memory is the first import that is not a function. */
function withSharedImport(section: Uint8Array): number[] {
  const reader = new ByteReader(section);
  for (let count = reader.leb(); count > 0; count--) {
    reader.sized();
    reader.sized();
    const kind = reader.u8();
    if (kind === FUNCTION) reader.leb();
    else if (kind !== MEMORY) break;
    else {
      const limits = reader.at;
      const hasMaximum = reader.u8() === 1;
      const minimum = reader.leb();
      if (hasMaximum) reader.leb();
      return [
        ...section.subarray(0, limits),
        SHARED,
        ...lebBytes(minimum),
        ...lebBytes(MAX_PAGES),
        ...section.subarray(reader.at),
      ];
    }
  }
  throw notTheRuntime();
}

function notTheRuntime(): InstallationError {
  return new InstallationError(
    'The runtime of wasm-xray imports no memory, so it is not what it should be. Install the package again.',
  );
}
