/**
 * Tells buffers apart by what they are and not by their prototype, so that those
 * of other realms and with changed prototypes count: what `node:util` does, in
 * every host.
 */

const typedArrayName = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const arrayBufferSize = getter(ArrayBuffer.prototype, 'byteLength');
const sharedSize = sharedPrototype();

export function isDataView(value: ArrayBufferView): boolean {
  return Reflect.apply(typedArrayName, value, []) === undefined;
}

export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return answers(arrayBufferSize, value);
}

export function isSharedArrayBuffer(value: unknown): value is SharedArrayBuffer {
  return sharedSize !== undefined && answers(sharedSize, value);
}

/** The constructor; a page that is not cross-origin isolated has it under no name, but has the objects. */
export function sharedArrayBuffer(): SharedArrayBufferConstructor | undefined {
  if (typeof SharedArrayBuffer === 'function') return SharedArrayBuffer;
  try {
    const memory = new WebAssembly.Memory({ initial: 0, maximum: 0, shared: true });
    return memory.buffer.constructor as SharedArrayBufferConstructor;
  } catch {
    return undefined;
  }
}

function sharedPrototype(): (() => unknown) | undefined {
  const Shared = sharedArrayBuffer();
  return Shared && getter(Shared.prototype, 'byteLength');
}

function getter(holder: object, name: PropertyKey): () => unknown {
  const get = Object.getOwnPropertyDescriptor(holder, name)?.get;
  if (!get) throw new TypeError(`There is no getter ${String(name)}.`);
  return get;
}

/** Whether a getter takes the value as its object; it throws at everything else. */
function answers(get: () => unknown, value: unknown): boolean {
  try {
    Reflect.apply(get, value, []);
    return true;
  } catch {
    return false;
  }
}
