import { PROBE_MODULE } from '../core/abi.js';
import { copyBytes } from '../core/bytes.js';
import { natives } from '../core/natives.js';
import type { Session } from '../core/session.js';
import type { Loader } from './loader.js';
import { compileStreaming, instantiateStreaming } from './streaming.js';

type AnyFunction = (...args: unknown[]) => unknown;
type AnyConstructor = abstract new (...args: unknown[]) => object;

/**
 * Replaces what loads modules. Proxies keep everything else about the functions:
 * names, lengths, prototypes, statics, how they print, and what they say when
 * they are called in the wrong way.
 */
export function patchWebAssembly(session: Session, loader: Loader): void {
  const engine = globalThis.WebAssembly;

  replaceConstructor(engine, 'Module', (args, construct) => {
    const [source, ...options] = args;
    const bytes = copyBytes(source);
    if (!bytes) return construct(args);
    return loader.compileSync(
      bytes,
      options,
      (bytes) => construct([bytes, ...options]) as WebAssembly.Module,
    );
  });

  replaceConstructor(engine, 'Instance', (args, construct) => {
    const [module, imports, ...rest] = args;
    return loader.instantiateSync(
      module as WebAssembly.Module,
      imports,
      (module, imports) => construct([module, imports, ...rest]) as WebAssembly.Instance,
    );
  });

  replaceFunction(engine, 'compile', (args, native) => {
    const [source, ...options] = args;
    const bytes = copyBytes(source);
    if (!bytes) return native(args);
    return loader.compile(bytes, options, undefined, () => natives.compile(bytes, ...options));
  });

  replaceFunction(engine, 'instantiate', (args, native) => {
    const [source, imports, ...options] = args;
    const bytes = copyBytes(source);
    if (bytes) {
      return loader.instantiateBytes(bytes, imports, options, undefined, () =>
        natives.instantiate(bytes, imports, ...options),
      );
    }
    if (!isModule(source)) return native(args);
    return loader.instantiateModule(source, imports, options);
  });

  replaceFunction(engine, 'compileStreaming', ([source, ...options]) =>
    compileStreaming(loader, source, options),
  );
  replaceFunction(engine, 'instantiateStreaming', ([source, imports, ...options]) =>
    instantiateStreaming(loader, source, imports, options),
  );

  replaceFunction(natives.Module, 'imports', (args, native) => {
    const imports = native(args) as { module: string }[];
    return session.isInstrumented(args[0])
      ? imports.filter((i) => i.module !== PROBE_MODULE)
      : imports;
  });
  replaceFunction(natives.Module, 'customSections', (args, native) => {
    const sections = native(args);
    return args[1] === PROBE_MODULE && session.isInstrumented(args[0]) ? [] : sections;
  });
}

function isModule(value: unknown): value is WebAssembly.Module {
  try {
    natives.customSections(value, '');
    return true;
  } catch {
    return false;
  }
}

/** Replaces a property's value and nothing else about it. */
function replaceValue(holder: object, name: string, value: unknown): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  if (descriptor?.configurable) Object.defineProperty(holder, name, { ...descriptor, value });
}

/** Replaces a function; does nothing where the engine does not have it. */
export function replaceFunction(
  holder: object,
  name: string,
  replacement: (args: unknown[], native: (args: unknown[]) => unknown) => unknown,
): void {
  const native: unknown = Reflect.get(holder, name);
  if (typeof native !== 'function') return;
  const proxy = new Proxy(native as AnyFunction, {
    apply: (target, self, args: unknown[]) =>
      replacement(args, (args) => Reflect.apply(target, self, args)),
  });
  replaceValue(holder, name, proxy);
}

/** Replaces a constructor and the link to it from its prototype; subclasses of it work. */
export function replaceConstructor(
  holder: object,
  name: string,
  replacement: (args: unknown[], construct: (args: unknown[]) => object) => object,
): void {
  const native = Reflect.get(holder, name) as AnyConstructor;
  const proxy: AnyConstructor = new Proxy(native, {
    construct: (target, args: unknown[], newTarget) =>
      replacement(args, (args) =>
        Reflect.construct(target, args, newTarget === proxy ? target : newTarget),
      ),
  });
  replaceValue(holder, name, proxy);
  replaceValue(native.prototype as object, 'constructor', proxy);
}
