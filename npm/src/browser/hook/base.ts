import { replaceConstructor, replaceFunction } from '../../hook/patch.js';

/** Parts of an address as `WorkerLocation` has them. */
const PARTS = [
  'href',
  'origin',
  'protocol',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

/**
 * Makes a worker that was started from a blob see the address that its program
 * was meant to have, and resolve relative addresses against it.
 * @param address of the program
 * @returns resolves an address as the worker would
 */
export function setBase(address: string): (relative: unknown) => string {
  const base = new URL(address);
  const resolve = (relative: unknown) => {
    try {
      return new URL(String(relative), base).href;
    } catch {
      return String(relative); // The engine says what is wrong with it.
    }
  };
  replaceLocation(base);
  const resolveFirst = (args: unknown[]) =>
    isAddress(args[0]) ? [resolve(args[0]), ...args.slice(1)] : args;
  replaceFunction(globalThis, 'fetch', (args, native) => native(resolveFirst(args)));
  replaceFunction(globalThis, 'importScripts', (args, native) => native(args.map(resolve)));
  replaceFunction(XMLHttpRequest.prototype, 'open', (args, native) => {
    const [method, address, ...rest] = args;
    return native(args.length < 2 ? args : [method, resolve(address), ...rest]);
  });
  for (const name of ['Request', 'EventSource', 'WebSocket']) {
    replaceConstructor(globalThis, name, (args, construct) => construct(resolveFirst(args)));
  }
  return resolve;
}

function isAddress(input: unknown): boolean {
  return typeof input === 'string' || input instanceof URL;
}

function replaceLocation(base: URL): void {
  for (let holder: object | null = globalThis; holder; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, 'location');
    if (!descriptor?.get) continue;
    const real = Reflect.get(globalThis, 'location') as object;
    const location: object = Object.create(Object.getPrototypeOf(real));
    for (const part of PARTS) {
      Object.defineProperty(location, part, { value: base[part], enumerable: true });
    }
    Object.defineProperty(location, 'toString', { value: () => base.href });
    const get = new Proxy(descriptor.get, { apply: () => location });
    Object.defineProperty(holder, 'location', { ...descriptor, get });
    return;
  }
}
