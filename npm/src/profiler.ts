import { copyBytes, isObject } from './core/bytes.js';
import { checkClockThread } from './core/clock-thread.js';
import { load } from './core/load.js';
import { compileNow, natives } from './core/natives.js';
import { type ProfilerOptions, settingsFrom } from './core/options.js';
import { Phases } from './core/phases.js';
import { withProbeCost } from './core/probe-cost.js';
import { profileMap } from './core/profile-map.js';
import type { Dropped } from './core/runtime.js';
import { checkClock } from './core/sampler.js';
import { type Prepared, Session } from './core/session.js';
import { checkAttributeList } from './core/toolkit.js';
import { EngineError, ModuleError } from './errors.js';
import { Profile, type ProfileFile } from './profile.js';

/** Thread id of a profiler of its own. */
const THREAD = 1;

/** A module with probes. */
export interface Instrumented {
  /** The same bytes if the module has no functions of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What belongs to the probes' function ids, as JSON; empty without functions. */
  readonly map: string;
  /** What `CodeOffsets.read` takes, if `offsets` asked for it and there are functions. */
  readonly offsets?: Uint8Array<ArrayBuffer>;
}

/** Instruments modules, and counts the calls of their instances. */
export interface Profiler {
  /**
   * Adds probes. The result can only be instantiated by a profiler or under the hook.
   * @param options `offsets`: say where the new code comes from, too
   * @throws ModuleError saying what is wrong with the bytes and where
   */
  instrument(bytes: BufferSource, options?: { readonly offsets?: boolean }): Instrumented;

  /**
   * Compiles a module with probes.
   * @throws ModuleError, ArenaError
   */
  compile(bytes: BufferSource): Promise<WebAssembly.Module>;

  /** As {@link compile}, at once. */
  compileSync(bytes: BufferSource): WebAssembly.Module;

  /**
   * Makes an instance whose calls are counted.
   * @param source bytes, or a module from {@link compile}
   * @throws ModuleError, ArenaError, and what `WebAssembly.instantiate` throws
   */
  instantiate(
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): Promise<WebAssembly.WebAssemblyInstantiatedSource>;

  /** As {@link instantiate}, at once. */
  instantiateSync(
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): WebAssembly.WebAssemblyInstantiatedSource;

  /**
   * What to import for a function that suspends its caller, in place of
   * `new WebAssembly.Suspending(f)`: what it hides the profiler could not see, and
   * calls made while it waits would seem to be its own.
   * @throws XrayError if the engine cannot suspend
   */
  suspending(f: (...args: never[]) => unknown): object;

  /**
   * Everything so far as a file in pieces, whatever {@link stop} and {@link mark} say,
   * without a copy: each is a view of the same memory and holds until the next one is taken.
   */
  blocks(): Iterable<Uint8Array>;

  /** Names and everything else that belongs to {@link blocks}, as JSON. */
  map(): string;

  /** The profile so far, with its phases. */
  profile(): Profile;

  /** What {@link profile} reads: a file and its map, as copies. */
  snapshot(): ProfileFile;

  /**
   * Begins a phase: what is called from now on is the profile's thread of that name,
   * until the next mark. A call that is running is counted in the phase in which it
   * began; what it calls later keeps it as its caller.
   */
  mark(phase: string): void;

  /** What is called from now on is not in the profile. Probes cost the same as before. */
  stop(): void;

  /** Ends what {@link stop} began; in the same phase. A profiler begins started. */
  start(): void;

  /** Calls whose path did not fit into the arena. */
  dropped(): Dropped;

  /**
   * Forgets every call and phase.
   * @throws XrayError while an instrumented function is running
   */
  reset(): void;
}

/**
 * Makes a profiler with an arena of its own.
 * @throws OptionError
 * @throws EngineError with clock `sampled`, in a page that is not cross-origin isolated; with
 * `clockThread`, elsewhere than in Node or on a machine with one processor
 */
export function createProfiler(options: ProfilerOptions = {}): Profiler {
  const settings = settingsFrom(options);
  checkClock(settings.clock);
  checkClockThread(settings);
  checkAttributeList(settings.filter);
  return new SessionProfiler(withProbeCost(new Session(settings)));
}

class SessionProfiler implements Profiler {
  readonly #session: Session;
  readonly #phases: Phases;

  constructor(session: Session) {
    this.#session = session;
    this.#phases = new Phases(session);
  }

  instrument(source: BufferSource, { offsets = false } = {}): Instrumented {
    const bytes = bytesOf(source);
    const prepared = this.#session.prepare(bytes, [], undefined, offsets);
    if (!prepared) return { bytes, map: '' };
    const asked = offsets && prepared.offsets ? { offsets: prepared.offsets } : {};
    return { bytes: prepared.bytes, map: prepared.map, ...asked };
  }

  async compile(source: BufferSource): Promise<WebAssembly.Module> {
    const bytes = bytesOf(source);
    await load();
    const prepared = this.#session.prepare(bytes);
    const module = await natives.compile(prepared?.bytes ?? bytes);
    return this.#adopt(module, prepared);
  }

  compileSync(source: BufferSource): WebAssembly.Module {
    const bytes = bytesOf(source);
    const prepared = this.#session.prepare(bytes);
    return this.#adopt(compileNow(prepared?.bytes ?? bytes, []), prepared);
  }

  async instantiate(
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
    checkImports(imports);
    await load();
    const module = isModule(source) ? source : await this.compile(source);
    await this.#session.ready();
    const link = this.#session.link(module, imports);
    const instance = (await natives.instantiate(module, link.imports)) as WebAssembly.Instance;
    this.#session.linked(link);
    return { module, instance };
  }

  instantiateSync(
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): WebAssembly.WebAssemblyInstantiatedSource {
    checkImports(imports);
    const module = isModule(source) ? source : this.compileSync(source);
    const link = this.#session.link(module, imports);
    const instance = new natives.Instance(module, link.imports as WebAssembly.Imports);
    this.#session.linked(link);
    return { module, instance };
  }

  suspending(f: (...args: never[]) => unknown): object {
    const { Suspending } = natives;
    if (!Suspending) {
      throw new EngineError(
        'This engine has no WebAssembly.Suspending. Node has it from Node 24 on.',
      );
    }
    return Reflect.construct(Suspending, [this.#session.wrapImport(f)]);
  }

  blocks(): Iterable<Uint8Array> {
    return this.#session.blocks(THREAD);
  }

  map(): string {
    return JSON.stringify(profileMap(this.#session, { id: THREAD, name: 'main' }));
  }

  profile(): Profile {
    const { blocks, map } = this.snapshot();
    return Profile.read(blocks, map);
  }

  dropped(): Dropped {
    return this.#session.runtime?.dropped() ?? { paths: 0, calls: 0 };
  }

  snapshot(): ProfileFile {
    const { blocks, map } = this.#phases.snapshot('main');
    return { blocks, map: JSON.stringify(map) };
  }

  mark(phase: string): void {
    this.#phases.mark(String(phase));
  }

  stop(): void {
    this.#phases.stop();
  }

  start(): void {
    this.#phases.start();
  }

  reset(): void {
    this.#phases.reset();
  }

  #adopt(module: WebAssembly.Module, prepared: Prepared | undefined): WebAssembly.Module {
    if (prepared) this.#session.adopt(module, prepared);
    return module;
  }
}

function bytesOf(source: unknown): Uint8Array<ArrayBuffer> {
  const bytes = copyBytes(source);
  if (!bytes) throw new ModuleError('This is not a buffer with bytes. Give the bytes of a module.');
  return bytes;
}

function checkImports(imports: unknown): void {
  if (imports !== undefined && !isObject(imports)) {
    throw new TypeError('The imports must be an object.');
  }
}

function isModule(source: BufferSource | WebAssembly.Module): source is WebAssembly.Module {
  return source instanceof natives.Module;
}
