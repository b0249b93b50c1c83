type AnyFunction = (...args: unknown[]) => unknown;
type AnyConstructor = abstract new (...args: unknown[]) => object;

/** Does the work of a function. `native` is the engine's, with the same `this`. */
type FunctionHandler = (
  args: unknown[],
  native: (args: unknown[]) => unknown,
  self: unknown,
) => unknown;
/** Does the work of a constructor. `construct` is the engine's, with the same `new.target`. */
type ConstructorHandler = (args: unknown[], construct: (args: unknown[]) => object) => object;

/** What takes the place of the functions that load modules or tell of them. */
export interface Handlers {
  readonly Module: ConstructorHandler;
  readonly Instance: ConstructorHandler;
  readonly Suspending: ConstructorHandler;
  readonly compile: FunctionHandler;
  readonly instantiate: FunctionHandler;
  readonly compileStreaming: FunctionHandler;
  readonly instantiateStreaming: FunctionHandler;
  readonly imports: FunctionHandler;
  readonly customSections: FunctionHandler;
}

const CONSTRUCTORS = ['Module', 'Instance', 'Suspending'] as const;

/**
 * Replaces what loads modules.
 * @param load called at each use; undefined leaves it to the engine
 */
export function patchWebAssembly(
  load: () => Handlers | undefined,
  engine: typeof WebAssembly = globalThis.WebAssembly,
): void {
  const { Module } = engine;
  for (const name of CONSTRUCTORS) {
    replaceConstructor(engine, name, (args, construct) => {
      const handlers = load();
      return handlers ? handlers[name](args, construct) : construct(args);
    });
  }
  const replace = (holder: object, name: Exclude<keyof Handlers, (typeof CONSTRUCTORS)[number]>) =>
    replaceFunction(holder, name, (args, native, self) => {
      const handlers = load();
      return handlers ? handlers[name](args, native, self) : native(args);
    });
  replace(engine, 'compile');
  replace(engine, 'instantiate');
  replace(engine, 'compileStreaming');
  replace(engine, 'instantiateStreaming');
  replace(Module, 'imports');
  replace(Module, 'customSections');
}

/** What each replacement stands for. */
const replaced = new WeakMap<object, AnyFunction | AnyConstructor>();

/** Makes replacements print as what they stand for: the text of a proxy has no name. */
export function hideReplacements(): void {
  replaceFunction(Function.prototype, 'toString', (args, native, self) => {
    const original = replaced.get(self as object);
    return original ? Reflect.apply(functionText, original, args) : native(args);
  });
}
const functionText = Function.prototype.toString;

/**
 * Replaces a function; does nothing where the engine does not have it. A proxy
 * keeps everything else about it: name, length, how it prints, what it says when
 * it is used in the wrong way.
 */
export function replaceFunction(holder: object, name: string, handler: FunctionHandler): void {
  const native: unknown = Reflect.get(holder, name);
  if (typeof native !== 'function') return;
  const proxy = new Proxy(native as AnyFunction, {
    apply: (target, self, args: unknown[]) =>
      handler(args, (args) => Reflect.apply(target, self, args), self),
  });
  replaced.set(proxy, native as AnyFunction);
  replaceValue(holder, name, proxy);
}

/**
 * Replaces a constructor and the link to it from its prototype; subclasses of it
 * work. Does nothing where the engine does not have it.
 */
export function replaceConstructor(
  holder: object,
  name: string,
  handler: ConstructorHandler,
): void {
  const native = Reflect.get(holder, name) as AnyConstructor | undefined;
  if (typeof native !== 'function') return;
  const proxy: AnyConstructor = new Proxy(native, {
    construct: (target, args: unknown[], newTarget) =>
      handler(args, (args) =>
        Reflect.construct(target, args, newTarget === proxy ? target : newTarget),
      ),
  });
  replaced.set(proxy, native);
  replaceValue(holder, name, proxy);
  replaceValue(native.prototype as object, 'constructor', proxy);
}

/**
 * Calls `action` before a getter answers; does nothing where there is none.
 * @returns undoes it
 */
export function beforeGet(
  holder: object,
  name: string,
  action: (self: unknown) => void,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  if (!descriptor?.get) return () => {};
  const native = descriptor.get;
  const get = new Proxy(native, {
    apply(target, self, args) {
      action(self);
      return Reflect.apply(target, self, args);
    },
  });
  replaced.set(get, native);
  Object.defineProperty(holder, name, { ...descriptor, get });
  return () => Object.defineProperty(holder, name, descriptor);
}

/** Replaces a property's value and nothing else about it, wherever it is inherited from. */
function replaceValue(holder: object, name: string, value: unknown): void {
  for (let owner: object | null = holder; owner; owner = Object.getPrototypeOf(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    if (!descriptor) continue;
    if (descriptor.configurable) Object.defineProperty(owner, name, { ...descriptor, value });
    return;
  }
}
