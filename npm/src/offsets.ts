import { type CodeOffsets as RawOffsets, toolkit } from './core/toolkit.js';
import { ModuleError, messageOf } from './errors.js';

/** A place in the original module. */
export interface OriginalPlace {
  /** Index of the function. */
  readonly function: number;
  /** Offset of the instruction in the module, in bytes; undefined in a thunk, which has none. */
  readonly offset: number | undefined;
}

/**
 * Where the code of an instrumented module comes from: makes sense of the offsets
 * in its stack traces, `wasm-function[12]:0x1a2b`.
 */
export class CodeOffsets {
  readonly #raw: RawOffsets;

  private constructor(raw: RawOffsets) {
    this.#raw = raw;
  }

  /**
   * @param bytes from `Profiler.instrument` or `wasm-xray instrument --offsets`
   * @throws ModuleError if they are something else
   */
  static read(bytes: Uint8Array): CodeOffsets {
    const { CodeOffsets: Raw } = toolkit();
    try {
      return new CodeOffsets(new Raw(bytes));
    } catch (error) {
      throw new ModuleError(messageOf(error), { cause: error });
    }
  }

  /**
   * @param offset in the instrumented module, in bytes; of a probe it gives the instruction that it was made for
   * @returns undefined outside of the program's functions
   */
  original(offset: number): OriginalPlace | undefined {
    const [index, place] = this.#raw.original(offset);
    return index === undefined ? undefined : { function: index, offset: place };
  }

  /** Offsets of the contents of both code sections, from which DWARF counts. */
  get codeStarts(): { readonly original: number; readonly instrumented: number } {
    const [original = 0, instrumented = 0] = this.#raw.codeStarts();
    return { original, instrumented };
  }
}
