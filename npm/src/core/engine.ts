import { ArenaError } from '../errors.js';
import { ARENA_MAX } from './abi.js';
import type { ReadImports, Twin } from './imports.js';
import { type Natives, natives } from './natives.js';
import type { Clock, Settings } from './options.js';
import { Runtime } from './runtime.js';
import { checkClock, Sampler } from './sampler.js';
import type { OwnMemory, Section } from './section.js';
import { ImportWrapper } from './wrap.js';

/** A runtime with the wrapper of imports that belongs to it. */
export interface Engine {
  readonly runtime: Runtime;
  readonly wrapper: ImportWrapper;
  /** Clock `sampled`. */
  readonly sampler?: Sampler;
}

/** What an instance of an instrumented module needs. */
export interface Probes {
  readonly base: number;
  readonly ownMemory: OwnMemory | undefined;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly twins: readonly Twin[];
}

/**
 * The engine of a thread.
 * @throws EngineError if there is no clock `sampled` here
 */
export function startEngine({ arenaBytes, clock, sharedMemory }: Settings): Engine {
  if (clock !== 'sampled') return newEngine(arenaBytes, sharedMemory);
  checkClock(clock);
  const engine = newEngine(arenaBytes, true);
  return { ...engine, sampler: new Sampler(engine.runtime.memory) };
}

/** @param isShared its memory is one that threads share */
export function newEngine(arenaBytes: number, isShared = false): Engine {
  const runtime = new Runtime(arenaBytes, isShared);
  return { runtime, wrapper: new ImportWrapper(runtime.memory) };
}

/** An engine with an arena large enough for one module, and the module's base. */
export function strayEngine(section: Section, tooSmallBytes: number): [Engine, number] {
  for (let bytes = tooSmallBytes; bytes < ARENA_MAX; ) {
    bytes = Math.min(4 * bytes, ARENA_MAX);
    const engine = newEngine(bytes, section.sharedMemory);
    const base = engine.runtime.register(section.places);
    if (base !== undefined) return [engine, base];
  }
  throw new ArenaError(`A module of ${section.map.names.length} functions fits into no arena.`);
}

/** What the module imports from `wasm-xray`. */
export function probeImports(
  { base, ownMemory, clock, engine, twins }: Probes,
  read: ReadImports,
  { Memory }: Natives,
): object {
  const { runtime, wrapper } = engine;
  const imports: Record<string, unknown> = {
    ...runtime.probes(clock),
    base: new natives.Global({ value: 'i32', mutable: false }, base),
    memory: runtime.memory,
    ...(ownMemory && { memory0: makeMemory(ownMemory, Memory) }),
  };
  if (twins.length > 0) {
    const probes = runtime.countingProbes(clock);
    for (const { name, place, index } of twins) {
      imports[name] = wrapper.wrapCounting(read.values[place]?.value, base + index, probes);
    }
  }
  return imports;
}

/** The program sees it if the module exports its memory. */
function makeMemory(
  { initialPages, maximumPages, shared }: OwnMemory,
  Memory: Natives['Memory'],
): WebAssembly.Memory {
  return new Memory({
    initial: initialPages,
    ...(maximumPages !== undefined && { maximum: maximumPages }),
    ...(shared && { shared }),
  });
}
