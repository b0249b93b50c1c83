import { types } from 'node:util';

/**
 * Copies what `WebAssembly` functions accept as bytes. At once, since a view may
 * be of live memory; respecting its offset; from any realm.
 * @returns undefined if the value is not a buffer or view with bytes
 */
export function copyBytes(source: unknown): Uint8Array<ArrayBuffer> | undefined {
  try {
    if (ArrayBuffer.isView(source)) {
      return new Uint8Array(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    }
    if (types.isAnyArrayBuffer(source)) return new Uint8Array(new Uint8Array(source));
  } catch {
    // Detached or out of bounds: the engine says so better than we can.
  }
  return undefined;
}

/** Whether the engine would accept the value as an import object. */
export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
