import { replaceFunction } from '../../hook/patch.js';

/** Blobs that have an address in this realm. */
const blobs = new Map<string, Blob>();
const nativeCreate = URL.createObjectURL;
const nativeRevoke = URL.revokeObjectURL;

/**
 * Remembers which blob an address stands for, as a program may revoke it as soon
 * as it has started a worker from it.
 */
export function rememberBlobs(): void {
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

/** An address that the program does not know of. */
export function addressOf(blob: Blob): string {
  return Reflect.apply(nativeCreate, URL, [blob]) as string;
}

export function release(address: string): void {
  Reflect.apply(nativeRevoke, URL, [address]);
}
