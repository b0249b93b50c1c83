import { replaceConstructor, replaceFunction } from '../../hook/patch.js';
import { isStrictScript } from './directive.js';

/** Blobs that have an address in this realm. */
const blobs = new Map<string, Blob>();
/** Blobs of which {@link isStrictScript} can tell something. */
const strictness = new WeakMap<Blob, boolean>();
const nativeCreate = URL.createObjectURL;
const nativeRevoke = URL.revokeObjectURL;

/**
 * Remembers which blob an address stands for, as a program may revoke it as soon
 * as it has started a worker from it; and how a blob begins, which can be read only later.
 */
export function rememberBlobs(): void {
  const native = globalThis.Blob;
  replaceConstructor(globalThis, 'Blob', (args, construct) => {
    const blob = construct(args) as Blob;
    const isStrict = isStrictScript(args[0]);
    if (isStrict !== undefined) strictness.set(blob, isStrict);
    return blob;
  });
  if (Object.getPrototypeOf(globalThis.File) === native) {
    Object.setPrototypeOf(globalThis.File, globalThis.Blob);
  }
  replaceFunction(URL, 'createObjectURL', (args, native) => {
    const address = native(args) as string;
    if (args[0] instanceof Blob) blobs.set(address, args[0]);
    return address;
  });
  replaceFunction(URL, 'revokeObjectURL', (args, native) => {
    blobs.delete(String(args[0]));
    return native(args);
  });
}

export function blobOf(address: string): Blob | undefined {
  return blobs.get(address);
}

/** See {@link isStrictScript}. */
export function isStrictBlob(blob: Blob): boolean | undefined {
  return strictness.get(blob);
}

/** An address that the program does not know of. */
export function addressOf(blob: Blob): string {
  return Reflect.apply(nativeCreate, URL, [blob]) as string;
}

export function release(address: string): void {
  Reflect.apply(nativeRevoke, URL, [address]);
}
