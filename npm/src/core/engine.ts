import { ArenaError } from '../errors.js';
import { ARENA_MAX } from './abi.js';
import { type ClockThread, checkClockThread, clockThread } from './clock-thread.js';
import type { ReadImports, Twin } from './imports.js';
import { type Natives, natives } from './natives.js';
import type { Clock, Settings } from './options.js';
import { Runtime, type RuntimeOptions } from './runtime.js';
import { checkClock, Sampler } from './sampler.js';
import type { OwnMemory, Section } from './section.js';
import { ImportWrapper } from './wrap.js';

/** A runtime with the wrapper of imports that belongs to it. */
export interface Engine {
  readonly runtime: Runtime;
  readonly wrapper: ImportWrapper;
  /** Clock `sampled`. */
  readonly sampler?: Sampler;
  /** If the settings ask for one. */
  readonly clockThread?: ClockThread;
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
 * @throws EngineError if there is no clock `sampled`, or no clock thread, here
 */
export function startEngine(settings: Settings): Engine {
  const { arenaBytes, clock, sharedMemory: isShared } = settings;
  if (settings.clockThread) {
    checkClockThread(settings);
    const clock = clockThread();
    const engine = newEngine(arenaBytes, { isShared, now: clock.reader() });
    clock.serve(engine.runtime.memory);
    return { ...engine, clockThread: clock };
  }
  if (clock !== 'sampled') return newEngine(arenaBytes, { isShared });
  checkClock(clock);
  const engine = newEngine(arenaBytes, { isShared: true });
  return { ...engine, sampler: new Sampler(engine.runtime.memory) };
}

export function newEngine(arenaBytes: number, options: RuntimeOptions = {}): Engine {
  const runtime = new Runtime(arenaBytes, options);
  return { runtime, wrapper: new ImportWrapper(runtime.memory) };
}

/** An engine with an arena large enough for one module, and the module's base. */
export function strayEngine(section: Section, tooSmallBytes: number): [Engine, number] {
  for (let bytes = tooSmallBytes; bytes < ARENA_MAX; ) {
    bytes = Math.min(4 * bytes, ARENA_MAX);
    const engine = newEngine(bytes, { isShared: section.sharedMemory });
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
