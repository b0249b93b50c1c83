import { type Natives, natives, nativesOf } from '../core/natives.js';

/**
 * A world of JavaScript with a `WebAssembly`, an `Object` and errors of its own, such
 * as a context of `node:vm`: what is loaded in one has to be of that one.
 */
export interface Realm {
  readonly natives: Natives;
  /** The same promise, of the realm. */
  readonly promise: <T>(promise: Promise<T>) => Promise<T>;
  /** The same object, of the realm. */
  readonly object: <T extends object>(object: T) => T;
}

/** The one that we run in ourselves. */
export const OWN_REALM: Realm = {
  natives,
  promise: (promise) => promise,
  object: (object) => object,
};

/**
 * Another one.
 * @param engine its `WebAssembly`, not patched yet
 */
export function realmOf(engine: typeof WebAssembly): Realm {
  const natives = nativesOf(engine);
  const prototype: unknown = Object.getPrototypeOf(engine);
  return {
    natives,
    promise<T>(promise: Promise<T>) {
      const OfRealm = promiseOf(natives);
      return new OfRealm<T>((resolve, reject) => promise.then(resolve, reject));
    },
    object: (object) => Object.setPrototypeOf(object, prototype as object),
  };
}

/** The constructor of the promises that the engine's functions return; the name `Promise` may mean another. */
function promiseOf({ compile }: Natives): PromiseConstructor {
  const refused = compile(undefined);
  refused.then(undefined, () => {});
  return refused.constructor as PromiseConstructor;
}
