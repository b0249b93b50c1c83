// biome-ignore-all lint/complexity/noArguments: rest parameters would allocate an array at each call
import { ARENA_BASE, STATE_CURRENT, STATE_PASS, STATE_RUNNING } from './abi.js';
import { natives } from './natives.js';

// The wrapper calls whatever the program imported, with whatever it was given.
type AnyFunction = (...args: unknown[]) => unknown;

const PASS = (ARENA_BASE + STATE_PASS) / 4;
const CURRENT = (ARENA_BASE + STATE_CURRENT) / 4;
const RUNNING = (ARENA_BASE + STATE_RUNNING) / 4;

/**
 * Built-in functions that cannot call back into wasm when they get numbers. Left
 * alone, since engines compile some of them to single instructions.
 */
const LEAVES: ReadonlySet<unknown> = new Set<unknown>([
  Date.now,
  ...Object.getOwnPropertyNames(Math).map((name) => Reflect.get(Math, name)),
]);

/** Gives a table, in which the engine lets no functions but its own be stored. */
const table = new natives.Table({ element: 'anyfunc', initial: 1 });

/** Whether a function is one that a WebAssembly instance exported. */
export function isExportedFunction(value: unknown): boolean {
  try {
    table.set(0, value);
    table.set(0, null);
    return true;
  } catch {
    return false;
  }
}

/** Wraps imported JavaScript functions so that calls back into wasm find their parent. */
export class ImportWrapper {
  /** The runtime's memory; never detaches, as it cannot grow. */
  readonly #memory: Uint32Array;
  readonly #wrappers = new WeakMap<AnyFunction, AnyFunction>();
  /** Wrappers that count, by function id. */
  readonly #counting = new WeakMap<AnyFunction, Map<number, AnyFunction>>();

  constructor(memory: WebAssembly.Memory) {
    this.#memory = new Uint32Array(memory.buffer);
  }

  /**
   * What to put into tables instead of an imported `value`. Calls from there are
   * counted by nobody else. A function of an instance stays what it is: the
   * program may compare it, and it is counted under its own name.
   */
  wrapCounting(value: unknown, id: number, probes: CountingProbes): unknown {
    if (typeof value !== 'function' || isExportedFunction(value)) return value;
    const original = value as AnyFunction;
    const wrappers = this.#counting.get(original) ?? new Map<number, AnyFunction>();
    const wrapper = wrappers.get(id) ?? countingWrapper(original, this.#memory, id, probes);
    this.#counting.set(original, wrappers.set(id, wrapper));
    return wrapper;
  }

  /** The value to import instead of `value`: a wrapper, or the value itself if it needs none. */
  wrap(value: unknown): unknown {
    if (typeof value !== 'function' || LEAVES.has(value)) return value;
    const original = value as AnyFunction;
    const known = this.#wrappers.get(original);
    if (known) return known;
    if (isExportedFunction(original)) return original;
    const wrapper = wrapperOf(original, this.#memory);
    this.#wrappers.set(original, wrapper);
    return wrapper;
  }
}

/** Probes for what has no probes of its own, such as a JavaScript function. */
export interface CountingProbes {
  /** Finds the function's node under the caller, counts; the node. */
  readonly enter: (id: number) => number;
  /** Clock wall: the function is left. */
  readonly exit: ((node: number) => void) | undefined;
}

/** As {@link wrapperOf} does, for calls that nobody has counted. */
function countingWrapper(
  fn: AnyFunction,
  u32: Uint32Array,
  id: number,
  { enter, exit }: CountingProbes,
): AnyFunction {
  return function () {
    const saved = u32[CURRENT] as number;
    const node = enter(id);
    u32[CURRENT] = node;
    try {
      return Reflect.apply(fn, undefined, arguments);
    } finally {
      exit?.(node);
      leave(u32, saved);
    }
  };
}

/** Makes the import's node the one that calls from the host hang under; the result is the previous one. */
function enter(u32: Uint32Array): number {
  const saved = u32[CURRENT] as number;
  u32[CURRENT] = u32[PASS] || saved;
  u32[PASS] = 0;
  return saved;
}

function leave(u32: Uint32Array, saved: number): void {
  u32[CURRENT] = saved;
  u32[PASS] = 0;
  // The host, should nobody who called the import be there to say that it runs: the import
  // threw, or suspended its caller.
  u32[RUNNING] = saved;
}

/**
 * While `fn` runs, calls from the host hang under the node of the import (`PASS`
 * at entry). The previous node comes back however `fn` ends, so an exception or
 * trap that unwinds any number of frames leaves nothing behind.
 *
 * One wrapper per arity, as an engine calls a function faster if its parameters
 * match; the wasm type decides how many arguments there are, so each checks.
 */
function wrapperOf(fn: AnyFunction, u32: Uint32Array): AnyFunction {
  switch (fn.length) {
    case 0:
      return function () {
        const saved = enter(u32);
        try {
          return arguments.length === 0 ? fn() : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    case 1:
      return function (a) {
        const saved = enter(u32);
        try {
          return arguments.length === 1 ? fn(a) : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    case 2:
      return function (a, b) {
        const saved = enter(u32);
        try {
          return arguments.length === 2 ? fn(a, b) : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    case 3:
      return function (a, b, c) {
        const saved = enter(u32);
        try {
          return arguments.length === 3 ? fn(a, b, c) : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    case 4:
      return function (a, b, c, d) {
        const saved = enter(u32);
        try {
          return arguments.length === 4 ? fn(a, b, c, d) : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    case 5:
      return function (a, b, c, d, e) {
        const saved = enter(u32);
        try {
          return arguments.length === 5
            ? fn(a, b, c, d, e)
            : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    case 6:
      return function (a, b, c, d, e, f) {
        const saved = enter(u32);
        try {
          return arguments.length === 6
            ? fn(a, b, c, d, e, f)
            : Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
    default:
      return function () {
        const saved = enter(u32);
        try {
          return Reflect.apply(fn, undefined, arguments);
        } finally {
          leave(u32, saved);
        }
      };
  }
}
