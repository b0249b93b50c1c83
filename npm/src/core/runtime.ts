import { ArenaError, InstallationError, XrayError } from '../errors.js';
import { ABI_VERSION, ARENA_BASE, PAGE } from './abi.js';
import { natives, nowMs } from './natives.js';
import { type Clock, describeBytes } from './options.js';
import { packaged, packagedBytes } from './packaged.js';
import type { Places } from './section.js';
import { withSharedMemory } from './shared-memory.js';
import type { CountingProbes } from './wrap.js';

/** What `npm/wasm/runtime/` exports; `src/exports.rs` documents each. */
interface Exports {
  xr_abi_version(): number;
  xr_init(arenaBytes: number): number;
  xr_begin_module(functions: number, slots: number, counters: number): number;
  xr_add_function(slots: number, counters: number): number;
  xr_add_counted(leaf: number, cost: number): number;
  xr_dropped_paths(): number;
  xr_dropped_calls(): number;
  xr_arena_used(): number;
  xr_serialize(layout: number, thread: number, timestampMs: number, process: number): number;
  xr_next_buffer(): number;
  xr_buffer(): number;
  xr_reset(): number;
  xr_enter(id: number): number;
  xr_sampled_enter(id: number): number;
  xr_wall_enter(id: number): number;
  xr_wall_exit(node: number): void;
}

/** Names of the probes that an instrumented module may import. */
const PROBES = [
  'slot',
  'slot_tail',
  'child',
  'call',
  'call_tail',
  'enter',
  'take',
  'uncount',
  'pass',
  'pass_parent',
  'swap_current',
  'exit',
  'resume',
  'charge',
  'leave',
  'passed',
  'count',
] as const;

const COMPACT = 0;

/** Counts that did not fit into an arena. */
export interface Dropped {
  /** Refused creations of a path. */
  readonly paths: number;
  /** Calls whose path is therefore unknown; they are counted for their function. */
  readonly calls: number;
}

/** What the header of a profile says besides its layout; zeros where output must be the same on every run. */
export interface Header {
  /** Milliseconds since 1970. */
  readonly timestampMs: number;
  readonly processId: number;
}

/** What else a {@link Runtime} may be told. */
export interface RuntimeOptions {
  /** Its memory is one that threads share. */
  readonly isShared?: boolean | undefined;
  /** Fills its memory with that of another runtime, whose profile it is to give. */
  readonly restore?: ((memory: Uint8Array) => void) | undefined;
  /** Its clock, in ms. */
  readonly now?: (() => number) | undefined;
}

/**
 * The runtime of one thread: a memory that never grows, with a function call
 * trie in it.
 */
export class Runtime {
  /** Initial and maximum size are the same, so a view of its buffer stays attached. */
  readonly memory: WebAssembly.Memory;
  readonly #exports: Exports;

  /**
   * @param arenaBytes a multiple of the page size, within the bounds of an arena
   * @throws ArenaError if the engine cannot reserve so much
   * @throws InstallationError if the runtime is missing or of another version
   */
  constructor(arenaBytes: number, { isShared = false, restore, now = nowMs }: RuntimeOptions = {}) {
    const compiled = isShared ? sharedRuntime() : packaged('runtime');
    this.memory = reserve(arenaBytes, isShared);
    const instance = new natives.Instance(compiled, runtimeImports(compiled, this.memory, now));
    this.#exports = instance.exports as unknown as Exports;
    const version = this.#exports.xr_abi_version();
    if (version !== ABI_VERSION) {
      throw new InstallationError(
        `The parts of wasm-xray do not fit together: its runtime has version ${version}, its loader ${ABI_VERSION}. Install the package again.`,
      );
    }
    // All that it knows is in its memory.
    if (restore) {
      restore(new Uint8Array(this.memory.buffer));
      return;
    }
    const refused = this.#exports.xr_init(arenaBytes);
    if (refused !== 0) throw new ArenaError(`The runtime refused an arena of ${arenaBytes} bytes.`);
  }

  /**
   * Gives a module its function ids.
   * @returns the id of function 0; undefined if the arena has no room
   */
  register({ counts, counted }: Places): number | undefined {
    let slots = 0;
    for (let at = 0; at < counts.length; at += 2) slots += counts[at] as number;
    const base = this.#exports.xr_begin_module(counts.length / 2, slots, counted.length / 2);
    if (base === 0) return undefined;
    const must = (taken: number) => {
      if (taken !== 0) return;
      throw new XrayError('ERR_XRAY_ARENA', 'The runtime took a module but not its functions.');
    };
    let next = 0;
    for (let at = 0; at < counts.length; at += 2) {
      const counters = counts[at + 1] as number;
      must(this.#exports.xr_add_function(counts[at] as number, counters));
      for (const end = next + 2 * counters; next < end; next += 2) {
        const [leaf, cost] = [counted[next] as number, counted[next + 1] as number];
        must(this.#exports.xr_add_counted(base + leaf, cost));
      }
    }
    return base;
  }

  /** The probe functions by the names under which modules import them. */
  probes(clock: Clock): Record<string, unknown> {
    const exports = this.#exports as unknown as Record<string, unknown>;
    const probes: Record<string, unknown> = {};
    for (const name of PROBES) {
      const probe = exports[`xr_${clock}_${name}`] ?? exports[`xr_${name}`];
      if (probe) probes[name] = probe;
    }
    return probes;
  }

  /** Probes for functions of JavaScript. */
  countingProbes(clock: Clock): CountingProbes {
    const exports = this.#exports;
    if (clock === 'wall') return { enter: exports.xr_wall_enter, exit: exports.xr_wall_exit };
    const enter = clock === 'sampled' ? exports.xr_sampled_enter : exports.xr_enter;
    return { enter, exit: undefined };
  }

  dropped(): Dropped {
    return { paths: this.#exports.xr_dropped_paths(), calls: this.#exports.xr_dropped_calls() };
  }

  /** Bytes of the arena in use. */
  usedBytes(): number {
    return this.#exports.xr_arena_used();
  }

  /**
   * A profile file in pieces: its header, then block after block. Each piece is
   * a view of one buffer in the runtime's memory, so it holds until the next
   * piece is taken. New calls may be made in between; they may or may not be in it.
   * @param thread at least 1
   * @throws XrayError if another iteration is just taking a piece, or {@link reset} came in between
   */
  *blocks(thread: number, header: Header): Generator<Uint8Array<ArrayBuffer>, void, void> {
    this.#check(this.#exports.xr_serialize(COMPACT, thread, header.timestampMs, header.processId));
    for (;;) {
      const length = this.#exports.xr_next_buffer();
      if (length === 0) return;
      this.#check(-length);
      const { buffer } = this.memory;
      const piece = new Uint8Array(buffer as ArrayBuffer, this.#exports.xr_buffer(), length);
      // Of a shared memory much of the web's interface takes no views.
      yield buffer instanceof ArrayBuffer ? piece : piece.slice();
    }
  }

  /**
   * Forgets every call; modules stay registered.
   * @throws XrayError while instrumented code is running
   */
  reset(): void {
    const refused = this.#exports.xr_reset();
    if (refused !== 0) {
      throw new XrayError(
        'ERR_XRAY_BUSY',
        'Instrumented code is running. Reset the profiler when no WebAssembly function is on the stack.',
      );
    }
  }

  /** @param status positive: a refusal, as `src/exports.rs` numbers them */
  #check(status: number): void {
    if (status <= 0) return;
    throw new XrayError(
      'ERR_XRAY_BUSY',
      status === 4
        ? 'The profiler was reset while its blocks were being read. Read them again.'
        : `The runtime is busy and gave no blocks (status ${status}). Read them again.`,
    );
  }
}

let shared: WebAssembly.Module | undefined;

function sharedRuntime(): WebAssembly.Module {
  shared ??= new natives.Module(withSharedMemory(packagedBytes('runtime')));
  return shared;
}

function reserve(arenaBytes: number, isShared: boolean): WebAssembly.Memory {
  const pages = (ARENA_BASE + arenaBytes) / PAGE;
  try {
    return new natives.Memory({ initial: pages, maximum: pages, shared: isShared });
  } catch {
    throw new ArenaError(
      `The engine could not reserve ${describeBytes(arenaBytes)} for the arena. Give it less, such as --arena 64M.`,
    );
  }
}

/** The runtime's imports: its memory, the clock, and glue that its raw exports never call. */
function runtimeImports(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  now: () => number,
): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: namespace, name, kind } of natives.imports(module)) {
    imports[namespace] ??= {};
    imports[namespace][name] =
      kind === 'memory' ? memory : name.startsWith('__wbg_now_') ? now : unexpected;
  }
  return imports;
}

function unexpected(): never {
  throw new InstallationError('The runtime called what it should not need. Please report this.');
}
