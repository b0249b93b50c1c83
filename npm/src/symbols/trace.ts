import type { Filter } from '../core/filter.js';
import { CLOCKS, type Clock, PROBE_KINDS, type ProbeKind } from '../core/options.js';
import { type TraceModule, toolkit } from '../core/toolkit.js';
import { ModuleError, messageOf } from '../errors.js';
import { filesBeside } from './symbolize.js';

/** A module that frames may be of. */
export interface TracedModule {
  /** What frames are called by instead of the engine's `wasm://wasm/HASH`. */
  readonly name: string;
  /** As it was before it was instrumented. */
  readonly bytes: Uint8Array;
  /** Folders where files that belong to it may be. */
  readonly folders: readonly string[];
  readonly sourceMap?: Uint8Array | undefined;
}

/** How the modules of the run were instrumented; what is left out is found out. */
export interface TraceOptions {
  readonly clock?: Clock | undefined;
  readonly probes?: ProbeKind | undefined;
  readonly filter: Filter;
}

/** A text with stack traces whose frames are the original modules'. */
export interface Translated {
  readonly text: string;
  /** What the user should know, in sentences. */
  readonly notes: readonly string[];
}

/** A frame of the text, and what it stands for. */
interface Frame {
  readonly function: number;
  readonly offset: number;
}
interface Original {
  readonly function: number;
  /** Undefined in a function that the original does not have, such as a thunk. */
  readonly offset: number | undefined;
}
/** A way to read the frames of an address. */
interface Reading {
  readonly module: TracedModule;
  readonly isPlain: boolean;
  readonly words: string;
  readonly originals: readonly Original[];
}
/** What is known of an original frame's place. */
interface Place {
  readonly name?: string;
  readonly file?: string;
  readonly line?: number;
}

/** A frame as V8, SpiderMonkey and others print it: address, index, offset. */
const FRAME = /([^\s()@]+):wasm-function\[(\d+)\]:0x([0-9a-f]+)/;

/** Frames of the hook: `dist/core/wrap.js` of this package, wherever it is installed. */
const own = new URL('../', import.meta.url);
const OWN = [own.href, own.pathname, 'node_modules/wasm-xray/npm/dist/'];

/**
 * Makes the frames of a profiled run those of the modules as they were: index and
 * offset, the file that they are in, and where known name, source file and line. Frames
 * that only the profiler has are left out.
 * @throws ModuleError if a module cannot be read
 */
export function translateTrace(
  text: string,
  modules: readonly TracedModule[],
  options: TraceOptions,
): Translated {
  const lines = text.split('\n');
  const frames = new Map<string, Map<string, Frame>>();
  for (const line of lines) {
    const [, address = '', index = '', offset = ''] = FRAME.exec(line) ?? [];
    if (address === '') continue;
    const ofAddress = frames.get(address) ?? new Map<string, Frame>();
    const frame = { function: Number(index), offset: Number.parseInt(offset, 16) };
    frames.set(address, ofAddress.set(`${index}:${offset}`, frame));
  }
  const notes: string[] = [];
  const readers = candidates(modules, options);
  const translations = new Map<string, Map<string, string>>();
  const names = new Map<string, string>();
  for (const [address, ofAddress] of frames) {
    const reading = choose(address, [...ofAddress.values()], readers, notes);
    if (!reading) continue;
    const name = address.startsWith('wasm://') ? reading.module.name : address;
    names.set(address, name);
    const places = placesOf(reading, notes);
    const texts = [...ofAddress.keys()].map((key, at): [string, string] => {
      const { function: index, offset } = reading.originals[at] as Original;
      if (offset === undefined) return [key, ''];
      const frame = `${name}:wasm-function[${index}]:0x${offset.toString(16)}`;
      return [key, [frame, ...describe(places[at])].join('\n')];
    });
    translations.set(address, new Map(texts));
  }
  for (const reader of readers) reader.free();
  const kept = lines.flatMap((line) => {
    if (/^\s*at /.test(line) && OWN.some((path) => isHook(line, path))) return [];
    const [whole, address = '', index, offset] = FRAME.exec(line) ?? [];
    const translated = translations.get(address)?.get(`${index}:${offset}`);
    if (whole === undefined || translated === undefined) return [renamed(line, names)];
    if (translated === '') return [];
    const [frame = '', ...more] = translated.split('\n');
    const said = line.replace(whole, () => frame);
    return [[said, ...more.filter((word) => !said.includes(word))].join(' ')];
  });
  return { text: kept.join('\n'), notes };
}

function isHook(line: string, path: string): boolean {
  return line.includes(`${path}core/`) || line.includes(`${path}hook/`);
}

function renamed(line: string, names: ReadonlyMap<string, string>): string {
  let text = line;
  for (const [address, name] of names) text = text.replaceAll(address, name);
  return text;
}

function describe({ name, file, line }: Place = {}): string[] {
  const place = file === undefined ? [] : [line ? `${file}:${line}` : file];
  return [...(name === undefined ? [] : [name]), ...place];
}

/** Reads frames as those of one module, instrumented in one way or not at all. */
class Reader {
  #raw: TraceModule | undefined;
  readonly module: TracedModule;
  readonly #options: { clock: Clock; probes: ProbeKind; filter: Filter } | undefined;

  constructor(module: TracedModule, options?: { clock: Clock; probes: ProbeKind; filter: Filter }) {
    this.module = module;
    this.#options = options;
  }

  /** Undefined if a frame is none of this module's. */
  read(frames: readonly Frame[]): Reading | undefined {
    this.#raw ??= this.#open();
    const originals: Original[] = [];
    for (const frame of frames) {
      const [index, offset] = this.#raw.original(frame.function, frame.offset);
      if (index === undefined) {
        if (!this.#raw.isAdded(frame.function, frame.offset)) return undefined;
        originals.push({ function: 0, offset: undefined });
        continue;
      }
      originals.push({ function: index, offset });
    }
    const { clock, probes } = this.#options ?? {};
    const words = clock ? `clock ${clock} with ${probes} probes` : 'not instrumented';
    return { module: this.module, isPlain: !this.#options, words, originals };
  }

  #open(): TraceModule {
    const { TraceModule: Raw } = toolkit();
    const { bytes, name } = this.module;
    try {
      return new Raw(bytes, this.#options && JSON.stringify(this.#options));
    } catch (error) {
      throw new ModuleError(`${name} cannot be read: ${messageOf(error)}.`, { cause: error });
    }
  }

  free(): void {
    this.#raw?.free();
  }
}

/** Every way in which the modules may have run. */
function candidates(modules: readonly TracedModule[], options: TraceOptions): Reader[] {
  const { clock, probes, filter } = options;
  const clocks = clock ? [clock] : CLOCKS;
  const kinds = probes ? [probes] : PROBE_KINDS;
  const ways = clocks.flatMap((clock) =>
    kinds
      .filter((probes) => clock !== 'wall' || probes === 'imported')
      .map((probes) => ({ clock, probes, filter })),
  );
  const plain = clock === undefined && probes === undefined;
  return modules.flatMap((module) => [
    ...ways.map((way) => new Reader(module, way)),
    ...(plain ? [new Reader(module)] : []),
  ]);
}

function choose(
  address: string,
  frames: readonly Frame[],
  readers: readonly Reader[],
  notes: string[],
): Reading | undefined {
  const readings = readers.flatMap((reader) => reader.read(frames) ?? []);
  const probed = readings.filter(({ isPlain }) => !isPlain);
  const [first, ...others] = probed.length > 0 ? probed : readings;
  if (!first) {
    notes.push(
      `The frames of ${address} were left as they are: they fit no module given. Give the module that ran with --with, and the options of the run that choose functions.`,
    );
    return undefined;
  }
  const text = ({ module, originals }: Reading) => JSON.stringify([module.name, originals]);
  const other = others.find((other) => text(other) !== text(first));
  if (other) {
    notes.push(
      `The frames of ${address} were left as they are: they fit ${first.module.name} (${first.words}) and ${other.module.name} (${other.words}). Say which with --clock and --probes, or give fewer modules.`,
    );
    return undefined;
  }
  if (probed.length > 0 && probed.length < readings.length) {
    const plain = readings.find(({ isPlain }) => isPlain) as Reading;
    if (text(plain) !== text(first)) {
      notes.push(
        `The frames of ${address} would fit ${plain.module.name} without probes, too; they were taken for those of a profiled run.`,
      );
    }
  }
  return first;
}

function placesOf({ module, originals }: Reading, notes: string[]): Place[] {
  const beside = filesBeside(module.bytes, module.folders, module.sourceMap);
  notes.push(...beside.notes.map((note) => `${module.name}: ${note}`));
  const indices = Uint32Array.from(originals, (original) => original.function);
  const offsets = Float64Array.from(originals, ({ offset }) => offset ?? 0);
  const json = toolkit().locate(module.bytes, beside.debug, beside.map, indices, offsets);
  return JSON.parse(json) as Place[];
}
