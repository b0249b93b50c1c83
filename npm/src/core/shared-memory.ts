import { InstallationError } from '../errors.js';
import { FLAG_SHARED, PROBE_MODULE } from './abi.js';
import { ByteReader, lebBytes } from './byte-reader.js';

const [CUSTOM_SECTION, IMPORT_SECTION] = [0, 2];
const [FUNCTION, MEMORY] = [0, 2];
/** Limits with a maximum, of a memory that is one thread's, and of one that threads share. */
const [UNSHARED, SHARED] = [1, 3];
const MAX_PAGES = 65_536;
/** How the import of the runtime's memory ends, the last one of a module with inline probes: kind and limits. */
const MEMORY_IMPORT = [MEMORY, UNSHARED, 4, ...lebBytes(MAX_PAGES)];
/** Where an instrumented module's section has its flags, behind its name. */
const FLAGS_AT = 8;

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
    const head = [IMPORT_SECTION, ...lebBytes(body.length), ...body];
    const result = new Uint8Array(start + head.length + runtime.length - reader.at);
    result.set(runtime.subarray(0, start));
    result.set(head, start);
    result.set(runtime.subarray(reader.at), start + head.length);
    return result;
  }
  throw notTheRuntime();
}

/**
 * Lets a module with inline probes import a runtime's memory that threads share, by
 * changing two bytes of it; one with imported probes, which imports none, stays as it is.
 */
export function shareMemory(module: Uint8Array): void {
  const reader = new ByteReader(module, 8);
  let limits: number | undefined;
  while (reader.at < module.length) {
    const id = reader.u8();
    const section = reader.sized();
    if (id === IMPORT_SECTION) {
      const start = section.length - MEMORY_IMPORT.length;
      const isOurs = MEMORY_IMPORT.every((byte, at) => section[start + at] === byte);
      if (isOurs) limits = reader.at - MEMORY_IMPORT.length + 1;
    } else if (id === CUSTOM_SECTION && limits !== undefined) {
      const contents = new ByteReader(section);
      if (new TextDecoder().decode(contents.sized()) !== PROBE_MODULE) continue;
      module[limits] = SHARED;
      module[reader.at - section.length + contents.at + FLAGS_AT] =
        (section[contents.at + FLAGS_AT] ?? 0) | FLAG_SHARED;
      return;
    }
  }
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
