import { ArenaError, isError, ModuleError, XrayError } from '../errors.js';
import { ARENA_MAX, ARENA_MIN, PROBE_MODULE } from './abi.js';
import { isObject } from './bytes.js';
import { type ClockThread, checkClockThread } from './clock-thread.js';
import {
  type Engine,
  newEngine,
  type Probes,
  probeImports,
  startEngine,
  strayEngine,
} from './engine.js';
import { probeKind } from './features.js';
import { importObject, ownImports, type ReadImports, readImports, twinsOf } from './imports.js';
import { compileNow, type ImportDescriptor, type Natives, natives, validate } from './natives.js';
import { type Clock, describeBytes, type Settings } from './options.js';
import type { ProbeCostMeter } from './probe-cost.js';
import type { Header, Runtime } from './runtime.js';
import { checkClock, type Sampler } from './sampler.js';
import { hasProbes, type ModuleMap, parseSection, probeSection, type Section } from './section.js';
import { shareMemory } from './shared-memory.js';
import { instrumentBytes } from './toolkit.js';

/** A module that runs as it was. */
export interface SkippedModule {
  readonly module: string;
  readonly reason: string;
}

/** A module with its place among the function ids of this thread. */
export interface LoadedModule {
  /** Id of the module's function 0. */
  readonly base: number;
  readonly map: ModuleMap;
}

/** Bytes that are ready to be compiled in place of the original ones. */
export interface Prepared {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The function map as JSON. */
  readonly map: string;
  /** Where the code comes from, if that was asked for. */
  readonly offsets?: Uint8Array<ArrayBuffer>;
  readonly original: Uint8Array<ArrayBuffer>;
  /** A name for the module if it has none of its own. */
  readonly name: string | undefined;
  /** Further arguments of the function that compiles it. */
  readonly options: readonly unknown[];
}

/** What to make an instance of, and with what. */
export interface Link {
  readonly module: WebAssembly.Module;
  readonly imports: unknown;
  /** The program's import object, read once. */
  readonly read: ReadImports | undefined;
}

interface Registered {
  readonly section: Section;
  readonly base: number;
}

interface KnownModule {
  readonly imports: readonly ImportDescriptor[];
  /** Undefined: not instrumented. */
  readonly probes: Probes | undefined;
}

/**
 * The profiling of one thread: instruments modules, links instances with the
 * thread's runtime, remembers what could not be done. Library and hook are both
 * made of this.
 */
export class Session {
  readonly settings: Settings;
  /** Every registered module, in order of base. */
  readonly modules: LoadedModule[] = [];
  /** Whether {@link plain} is to work after a module's first instance; takes as much memory as the modules. */
  keepsOriginals = false;
  /** Called when a module was compiled with probes, with its original bytes. */
  onAdopted: ((hash: string, original: Uint8Array<ArrayBuffer>) => void) | undefined;
  /** Called when the first instance of an instrumented module is about to be made. */
  onFirstInstance: (() => void) | undefined;
  /** Called with each module that got its place among the function ids, and how it is named. */
  onRegistered: ((module: WebAssembly.Module, base: number, name: string) => void) | undefined;
  /** Called with each module that runs as it was. */
  onSkipped: ((skipped: SkippedModule) => void) | undefined;
  /** How modules are instrumented: by the toolkit, or from a cache. */
  rewrite = instrumentBytes;
  /** Measures what a probe costs, before the first instance is made and when a profile is taken. */
  meter: ProbeCostMeter | undefined;

  readonly #skipped = new Map<string, SkippedModule>();
  readonly #known = new WeakMap<WebAssembly.Module, KnownModule>();
  /** Original bytes of modules of which no instance was made yet. */
  readonly #originals = new WeakMap<WebAssembly.Module, Prepared>();
  /** Registered modules by the code that they were made from; several if they have different probes. */
  readonly #registered = new Map<string, Registered[]>();
  #engine: Engine | undefined;
  #hasInstances = false;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Undefined before the first module. */
  get runtime(): Runtime | undefined {
    return this.#engine?.runtime;
  }

  /** Undefined with other clocks than `sampled`, and before the first module. */
  get sampler(): Sampler | undefined {
    return this.#engine?.sampler;
  }

  /** Undefined unless the settings ask for one, and before the first module. */
  get clockThread(): ClockThread | undefined {
    return this.#engine?.clockThread;
  }

  /** Whether there is an instance of an instrumented module. */
  get hasInstances(): boolean {
    return this.#hasInstances;
  }

  get skipped(): readonly SkippedModule[] {
    return [...this.#skipped.values()];
  }

  /** Notes a module that runs as it was; once for each module and reason. */
  skip(module: string, reason: string): void {
    const key = `${module}\n${reason}`;
    if (this.#skipped.has(key)) return;
    this.#skipped.set(key, { module, reason });
    this.onSkipped?.({ module, reason });
  }

  /**
   * Instruments a module; one that was instrumented beforehand stays as it is.
   * @param original must not change afterwards
   * @param options further arguments of the function that will compile it
   * @param offsets ask for {@link Prepared.offsets}
   * @returns undefined if the module has no functions of its own
   * @throws ModuleError
   * @throws EngineError if there is no clock `sampled` here
   */
  prepare(
    original: Uint8Array<ArrayBuffer>,
    options: readonly unknown[] = [],
    name?: string,
    offsets = false,
  ): Prepared | undefined {
    if (hasProbes(original)) {
      const bytes = this.settings.sharedMemory ? original.slice() : original;
      if (this.settings.sharedMemory) shareMemory(bytes);
      return { bytes, map: '', original, name, options };
    }
    const probes = probeKind(this.settings);
    const { clock, filter } = this.settings;
    const rewrite = { probes, clock, filter, moduleName: name, offsets };
    // An index that is out of range in the original may be one of the probes' in
    // the result, so what the engine refuses has to be refused here.
    if (!validate(original, options)) {
      instrumentBytes(original, { ...rewrite, validate: true });
      throw new ModuleError('The engine does not take this module.');
    }
    checkClock(clock);
    checkClockThread(this.settings);
    const result = this.rewrite(original, rewrite);
    if (this.settings.sharedMemory) shareMemory(result.bytes);
    return result.map === '' ? undefined : { ...result, original, name, options };
  }

  /**
   * Takes note of a module compiled from prepared bytes.
   * @throws ArenaError if the arena has no room for its functions; use the original then
   */
  adopt(module: WebAssembly.Module, prepared: Prepared): void {
    const section = sectionOf(module);
    if (!section) throw new XrayError('ERR_XRAY_MODULE', 'Instrumented bytes carry no section.');
    if (prepared.name !== undefined) section.map.name ||= prepared.name;
    if (this.#otherMemory(section) !== undefined) {
      this.#lookUp(module); // It was instrumented before, so there is nothing to go back to.
      return;
    }
    this.#engine ??= startEngine(this.settings);
    const base = this.#register(module, section, this.#engine);
    if (base === undefined) throw new ArenaError(this.#noRoom(section));
    this.#remember(module, section, base, this.#engine);
    this.#originals.set(module, prepared);
    this.onAdopted?.(section.map.hash, prepared.original);
  }

  /**
   * The profile so far, in pieces; see {@link Runtime.blocks}.
   * @param thread at least 1
   */
  blocks(thread: number): Iterable<Uint8Array> {
    // Without a module it is empty; the thread's own arena is made for the first one.
    const { runtime } = this.#engine ?? newEngine(ARENA_MIN);
    return runtime.blocks(thread, headerFor(this.settings.clock));
  }

  /** Whether a module, from here or another thread, is an instrumented one; false for anything else. */
  isInstrumented(module: unknown): boolean {
    return this.#lookUp(module)?.probes !== undefined;
  }

  /**
   * What to make an instance with. Reads the import object; what its getters
   * throw is passed on.
   * @param realm where the instance will be made
   */
  link(module: WebAssembly.Module, imports: unknown, realm: Natives = natives): Link {
    const untouched = { module, imports, read: undefined };
    const known = this.#lookUp(module);
    if (!known) return untouched;
    const { probes } = known;
    // A plain module may still hand JavaScript functions on to instrumented
    // ones, as the thunks of Emscripten's `addFunction` do.
    const engine = probes?.engine ?? this.#engine;
    if (!engine || (!probes && known.imports.every((i) => i.kind !== 'function'))) return untouched;
    if (imports === undefined ? known.imports.length > 0 : !isObject(imports)) {
      return untouched; // The engine says what is wrong with it.
    }
    const read = readImports(known.imports, (imports ?? {}) as object);
    const wrap = (value: unknown) => engine.wrapper.wrap(value);
    if (!probes) return { module, imports: importObject(read, wrap, undefined), read };
    this.#noteInstance();
    try {
      return { module, imports: importObject(read, wrap, probeImports(probes, read, realm)), read };
    } catch (error) {
      const plain = this.recover({ module, imports, read }, error, true);
      if (plain) return plain;
      throw error;
    }
  }

  /** The value to import instead of one that {@link link} does not get to see. */
  wrapImport(value: unknown): unknown {
    try {
      this.#engine ??= startEngine(this.settings);
    } catch {
      return value; // Nor will there be a module with probes that could import it.
    }
    return this.#engine.wrapper.wrap(value);
  }

  /** Resolves when the first instance may be made: with clock `sampled`, once there is a sampler. */
  async ready(): Promise<void> {
    await this.#engine?.sampler?.ready();
  }

  /**
   * Forgets every call.
   * @throws XrayError while instrumented code is running
   */
  reset(): void {
    this.#engine?.runtime.reset();
    this.#engine?.sampler?.reset();
  }

  /** The instance was made: its module will not be needed in its original form. */
  linked(link: Link): void {
    if (!this.keepsOriginals) this.#originals.delete(link.module);
  }

  /**
   * The module as it was, compiled anew, for a thread that cannot link probes.
   * @returns undefined if it was not instrumented here
   * @throws what the engine throws at its bytes
   */
  plain(module: unknown): WebAssembly.Module | undefined {
    const original = this.#originals.get(module as WebAssembly.Module);
    return original && compileNow(original.original, original.options);
  }

  /**
   * The same link with the module as it was, if an instance could not be made
   * because of what was added to it. Everything else is the program's own error.
   */
  recover(
    link: Link,
    error: unknown,
    ours = isAboutProbes(error) || isAboutSize(error),
  ): Link | undefined {
    const original = this.#originals.get(link.module);
    if (!ours || !original || !link.read) return undefined;
    const name = this.#nameOf(link.module);
    let module: WebAssembly.Module;
    try {
      module = compileNow(original.original, original.options);
    } catch {
      return undefined; // It is too large itself: the error is the program's.
    }
    this.skip(name, `The engine could not link it with its probes: ${String(error)}`);
    this.#known.set(module, { imports: ownImports(module), probes: undefined });
    return {
      module,
      imports: importObject(link.read, (value) => value, undefined),
      read: undefined,
    };
  }

  #lookUp(module: unknown): KnownModule | undefined {
    const known = this.#known.get(module as WebAssembly.Module);
    if (known) return known;
    const found = probeSection(module);
    if (!found) return undefined;
    const section = found.bytes && parseSection(found.bytes);
    if (!section) {
      const plain = { imports: ownImports(module as WebAssembly.Module), probes: undefined };
      this.#known.set(module as WebAssembly.Module, plain);
      return plain;
    }
    // From another thread, or instrumented beforehand: there is no original to
    // go back to, so if it does not fit it gets an arena that nobody will read.
    let reason = this.#otherMemory(section);
    if (reason === undefined) {
      this.#engine ??= startEngine(this.settings);
      const base = this.#register(module as WebAssembly.Module, section, this.#engine);
      if (base !== undefined) {
        return this.#remember(module as WebAssembly.Module, section, base, this.#engine);
      }
      reason = this.#noRoom(section);
    }
    this.skip(section.map.name || section.map.hash, reason);
    const [engine, strayBase] = strayEngine(section, this.settings.arenaBytes);
    return this.#remember(module as WebAssembly.Module, section, strayBase, engine);
  }

  /** Base of a module in this thread; undefined if the arena has no room for it. */
  #register(module: WebAssembly.Module, section: Section, engine: Engine): number | undefined {
    section.map.name ||= defaultName(section.map.hash);
    const alike = this.#registered.get(section.map.hash) ?? [];
    const known = alike.find((other) => haveSameNodes(other.section, section));
    if (known) return known.base;
    const base = engine.runtime.register(section.places);
    if (base === undefined) return undefined;
    this.#registered.set(section.map.hash, [...alike, { section, base }]);
    this.modules.push({ base, map: section.map });
    this.onRegistered?.(module, base, section.map.name);
    return base;
  }

  #remember(
    module: WebAssembly.Module,
    section: Section,
    base: number,
    engine: Engine,
  ): KnownModule {
    const { ownMemory, clock } = section;
    const imports = ownImports(module);
    const probes = { base, ownMemory, clock, engine, twins: twinsOf(module, imports) };
    const known = { imports, probes };
    this.#known.set(module, known);
    return known;
  }

  #noteInstance(): void {
    if (this.#hasInstances) return;
    this.#hasInstances = true;
    this.#engine?.sampler?.start();
    this.meter?.measure();
    this.onFirstInstance?.();
  }

  #nameOf(module: WebAssembly.Module): string {
    const base = this.#known.get(module)?.probes?.base;
    return this.modules.find((m) => m.base === base)?.map.name ?? 'a module';
  }

  /** Why the runtime does not suit a module that was instrumented for another one. */
  #otherMemory({ clock, inline, sharedMemory }: Section): string | undefined {
    const { clock: own, sharedMemory: isShared = false } = this.settings;
    if ((clock === 'sampled') !== (own === 'sampled')) {
      return `It was instrumented for the clock ${clock}, and this run has the clock ${own}, whose runtime has another memory. Instrument it with --clock ${own}.`;
    }
    if (!inline || own === 'sampled' || sharedMemory === isShared) return undefined;
    return 'It was instrumented elsewhere in this program, for a runtime with another memory. Load its original.';
  }

  #noRoom(section: Section): string {
    const more = describeBytes(Math.min(4 * this.settings.arenaBytes, ARENA_MAX));
    return `Its ${section.map.names.length} functions do not fit into the arena of ${describeBytes(this.settings.arenaBytes)}. Give more room, such as --arena ${more}.`;
  }
}

/** What a module is called that nobody has named. */
export function defaultName(hash: string): string {
  return `wasm-${hash.slice(0, 8)}`;
}

/** The header of a profile that is taken now. Counts are the same on every run; so should the file be. */
export function headerFor(clock: Clock): Header {
  return clock === 'wall' || clock === 'sampled'
    ? { timestampMs: Date.now(), processId: processId() }
    : { timestampMs: 0, processId: 0 };
}

/** 0 where there are no processes to tell apart. */
function processId(): number {
  const { process } = globalThis as { process?: { pid?: unknown } };
  return typeof process?.pid === 'number' ? process.pid : 0;
}

/** Whether nodes made for one module serve another of the same code: filters give functions other places. */
function haveSameNodes(one: Section, other: Section): boolean {
  const same = (words: Uint32Array, others: Uint32Array) =>
    words.length === others.length && words.every((word, index) => word === others[index]);
  return (
    one.inline === other.inline &&
    one.clock === other.clock &&
    one.map.left_out === other.map.left_out &&
    one.map.choice === other.map.choice &&
    same(one.places.counts, other.places.counts) &&
    same(one.places.counted, other.places.counted)
  );
}

function sectionOf(module: WebAssembly.Module): Section | undefined {
  const bytes = probeSection(module)?.bytes;
  return bytes && parseSection(bytes);
}

/** Whether an engine's error is about what the rewriter added to a module. */
function isAboutProbes(error: unknown): boolean {
  return isError(error) && error.message.includes(`"${PROBE_MODULE}"`);
}

/** Whether an engine refused to work at once with what is too large for a page's main thread. */
function isAboutSize(error: unknown): boolean {
  return isError(error) && error.name === 'RangeError' && error.message.includes('main thread');
}
