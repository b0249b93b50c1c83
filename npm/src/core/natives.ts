/** `WebAssembly.compile` and friends with the options that newer engines take. */
export type CompileOptions = unknown;

/** What an import object may hold; the engine checks it. */
export type ImportObject = object;

type Compile = (source: unknown, ...options: CompileOptions[]) => Promise<WebAssembly.Module>;
type Instantiate = (
  source: unknown,
  imports?: unknown,
  ...options: CompileOptions[]
) => Promise<unknown>;

export interface ImportDescriptor {
  readonly module: string;
  readonly name: string;
  readonly kind: string;
}

const { performance } = globalThis;
const { now } = performance;

/** The host's clock in ms, taken now: a program may put fake timers in its place. */
export function nowMs(): number {
  return Reflect.apply(now, performance, []) as number;
}

/** The engine's WebAssembly interface in one realm. */
export interface Natives {
  readonly Module: typeof WebAssembly.Module;
  readonly Instance: typeof WebAssembly.Instance;
  readonly Memory: typeof WebAssembly.Memory;
  readonly Global: typeof WebAssembly.Global;
  readonly Table: typeof WebAssembly.Table;
  readonly LinkError: typeof WebAssembly.LinkError;
  /** Absent where the engine cannot suspend a stack. */
  readonly Suspending: (new (f: unknown) => object) | undefined;
  readonly compile: Compile;
  readonly instantiate: Instantiate;
  readonly validate: typeof WebAssembly.validate;
  /** Absent where the host has no `Response`. */
  readonly compileStreaming: Compile | undefined;
  readonly instantiateStreaming: Instantiate | undefined;
  readonly imports: (module: unknown) => ImportDescriptor[];
  readonly exports: typeof WebAssembly.Module.exports;
  readonly customSections: (module: unknown, name: string) => ArrayBuffer[];
}

/** Takes a realm's interface as it is now. */
export function nativesOf(engine: typeof WebAssembly): Natives {
  return {
    Module: engine.Module,
    Instance: engine.Instance,
    Memory: engine.Memory,
    Global: engine.Global,
    Table: engine.Table,
    LinkError: engine.LinkError,
    Suspending: Reflect.get(engine, 'Suspending') as Natives['Suspending'],
    compile: engine.compile as Compile,
    instantiate: engine.instantiate as Instantiate,
    validate: engine.validate,
    compileStreaming: engine.compileStreaming as Compile | undefined,
    instantiateStreaming: engine.instantiateStreaming as Instantiate | undefined,
    imports: engine.Module.imports as Natives['imports'],
    exports: engine.Module.exports,
    customSections: engine.Module.customSections as Natives['customSections'],
  };
}

/**
 * The interface of this realm, taken before the hook patches it. The profiler
 * loads itself through this alone.
 */
export const natives = nativesOf(globalThis.WebAssembly);

/** `WebAssembly.validate(bytes, …options)` */
export function validate(bytes: Uint8Array, options: readonly CompileOptions[]): boolean {
  return Reflect.apply(natives.validate, undefined, [bytes, ...options]) as boolean;
}

/** `new WebAssembly.Module(bytes, …options)` */
export function compileNow(
  bytes: Uint8Array,
  options: readonly CompileOptions[],
): WebAssembly.Module {
  return Reflect.construct(natives.Module, [bytes, ...options]) as WebAssembly.Module;
}
