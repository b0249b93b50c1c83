import vm from 'node:vm';
import { replaceFunction } from './patch.js';

/**
 * Calls `patch` with the `WebAssembly` of each context of `node:vm` before code
 * runs there: Jest runs each test file in one. Whatever has no `WebAssembly` of
 * its own, as the program gave it another, is left alone.
 */
export function patchContexts(patch: (engine: typeof WebAssembly) => void): void {
  const { isContext, runInContext } = vm;
  const seen = new WeakSet<object>();
  const engines = new WeakSet<object>([globalThis.WebAssembly]);

  const enter = (context: unknown) => {
    if (typeof context !== 'object' || context === null || seen.has(context)) return;
    try {
      if (!isContext(context)) return;
      seen.add(context);
      if (hasGetter(context)) return;
      const engine: unknown = runInContext('WebAssembly', context);
      if (!isEngine(engine) || engines.has(engine)) return;
      engines.add(engine);
      patch(engine);
    } catch {
      // A context may be without one, or forbid to look.
    }
  };

  replaceFunction(vm, 'createContext', (args, native) => {
    const context = native(args);
    enter(context);
    return context;
  });
  // What `runInNewContext` makes comes by here.
  replaceFunction(vm.Script.prototype, 'runInContext', (args, native) => {
    enter(args[0]);
    return native(args);
  });
}

function hasGetter(context: object): boolean {
  return Object.getOwnPropertyDescriptor(context, 'WebAssembly')?.get !== undefined;
}

function isEngine(value: unknown): value is typeof WebAssembly {
  return Object.prototype.toString.call(value) === '[object WebAssembly]';
}
