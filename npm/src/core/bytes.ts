import { isArrayBuffer, isDataView, isSharedArrayBuffer, sharedArrayBuffer } from './brands.js';
import { natives } from './natives.js';

/** `(module)` */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** Whether the engine takes bytes in a kind of buffer; engines differ. */
const accepted = new Map<string, boolean>();

/**
 * Copies what the engine accepts as bytes. At once, since a view may be of live
 * memory; respecting its offset; from any realm.
 * @returns undefined for everything else: the engine says best what is wrong with it
 */
export function copyBytes(source: unknown): Uint8Array<ArrayBuffer> | undefined {
  try {
    if (ArrayBuffer.isView(source)) {
      if (!isAccepted(source.buffer, isDataView(source) ? 'data view' : 'view')) return undefined;
      return new Uint8Array(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    }
    const isBuffer = isArrayBuffer(source) || isSharedArrayBuffer(source);
    if (isBuffer && isAccepted(source, 'buffer')) {
      return new Uint8Array(new Uint8Array(source));
    }
  } catch {
    // Detached or out of bounds.
  }
  return undefined;
}

function isAccepted(buffer: ArrayBufferLike, form: 'buffer' | 'view' | 'data view'): boolean {
  const shared = isSharedArrayBuffer(buffer);
  const resizable = Boolean(Reflect.get(buffer, shared ? 'growable' : 'resizable'));
  const kind = `${form} ${shared} ${resizable}`;
  let answer = accepted.get(kind);
  if (answer === undefined) {
    answer = tryKind(form, shared, resizable);
    accepted.set(kind, answer);
  }
  return answer;
}

function tryKind(form: string, shared: boolean, resizable: boolean): boolean {
  const size = EMPTY_MODULE.length;
  const Buffer = (shared ? sharedArrayBuffer() : ArrayBuffer) as new (
    size: number,
    options?: object,
  ) => ArrayBuffer;
  const buffer = new Buffer(size, resizable ? { maxByteLength: size } : undefined);
  const view = new Uint8Array(buffer);
  view.set(EMPTY_MODULE);
  const source = form === 'buffer' ? buffer : form === 'view' ? view : new DataView(buffer);
  try {
    return natives.validate(source);
  } catch {
    return false;
  }
}

/** Whether the engine would accept the value as an import object. */
export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
