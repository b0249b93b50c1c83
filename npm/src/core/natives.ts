/**
 * The engine's own WebAssembly interface, taken before the hook patches it. The
 * profiler loads itself and everything it makes through these alone.
 */
const engine = globalThis.WebAssembly;

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

export const natives = {
  Module: engine.Module,
  Instance: engine.Instance,
  Memory: engine.Memory,
  Global: engine.Global,
  Table: engine.Table,
  LinkError: engine.LinkError,
  /** Absent where the engine cannot suspend a stack. */
  Suspending: Reflect.get(engine, 'Suspending') as (new (f: unknown) => object) | undefined,
  compile: engine.compile as Compile,
  instantiate: engine.instantiate as Instantiate,
  validate: engine.validate,
  /** Absent where the host has no `Response`. */
  compileStreaming: engine.compileStreaming as Compile | undefined,
  instantiateStreaming: engine.instantiateStreaming as Instantiate | undefined,
  imports: engine.Module.imports as (module: unknown) => ImportDescriptor[],
  exports: engine.Module.exports,
  customSections: engine.Module.customSections as (module: unknown, name: string) => ArrayBuffer[],
};

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
