import { difference, isEmpty, joinFiles } from './difference.js';
import { joinBlocks } from './join.js';
import { type ProfileMap, profileMap } from './profile-map.js';
import type { Sampling } from './sampler.js';
import type { Session } from './session.js';

/** Thread id of a session of its own. */
const THREAD = 1;

/** A part of a profile. */
interface Segment {
  /** Undefined: outside of any phase. */
  readonly phase: string | undefined;
  /** What was recorded in it. */
  readonly file: Uint8Array;
  readonly sampling: Sampling | undefined;
}

/** What a session records, cut where a phase begins and where recording pauses. */
export class Phases {
  readonly #session: Session;
  /** The parts that are done: between two calls of start, stop and mark. */
  readonly #done: Segment[] = [];
  #phase: string | undefined;
  /** Everything as it was when the running part began; undefined: nothing. */
  #before: Uint8Array | undefined;
  #samplingBefore: Sampling | undefined;
  #isStarted = true;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Undefined before the first {@link mark}. */
  get phase(): string | undefined {
    return this.#phase;
  }

  /** Begins a phase, which lasts until the next mark. */
  mark(phase: string): void {
    this.#end();
    this.#phase = phase;
  }

  stop(): void {
    this.#end();
    this.#session.sampler?.stop();
    this.#isStarted = false;
  }

  start(): void {
    if (this.#isStarted) return;
    if (this.#session.hasInstances) this.#session.sampler?.start();
    this.#before = this.#whole();
    this.#samplingBefore = this.#session.sampler?.sampling;
    this.#isStarted = true;
  }

  /** Forgets everything that was recorded. */
  reset(): void {
    this.#session.reset();
    this.#done.length = 0;
    this.#phase = undefined;
    this.#before = undefined;
    this.#samplingBefore = undefined;
  }

  /** Everything so far, as copies: a thread of this name for each part, with the part's phase. */
  snapshot(name: string): { readonly blocks: Uint8Array; readonly map: ProfileMap } {
    const blocks = this.#whole();
    const map = profileMap(this.#session, { id: THREAD, name });
    if (this.#isStarted && this.#done.length === 0 && !this.#phase && !this.#before) {
      return { blocks, map };
    }
    const segments = [...this.#done];
    if (this.#isStarted) segments.push(this.#segment(blocks));
    const shown = segments.filter(({ phase, file }) => phase !== undefined || !isEmpty(file));
    if (map.sampling) map.sampling = sumOf(segments.map(({ sampling }) => sampling));
    if (shown.length === 0) return { blocks: difference(blocks, blocks), map };
    const threads = shown.map(({ phase }, index) => {
      const thread = { id: THREAD + index, name };
      return phase === undefined ? thread : { ...thread, phase };
    });
    map.threads.splice(0, 1, ...threads);
    return { blocks: joinFiles(shown.map(({ file }) => file)), map };
  }

  #whole(): Uint8Array {
    return joinBlocks(this.#session.blocks(THREAD));
  }

  /** Ends the running part, if there is one. */
  #end(): void {
    if (!this.#isStarted) return;
    const after = this.#whole();
    const segment = this.#segment(after);
    this.#done.push(segment);
    this.#before = after;
    this.#samplingBefore = sumOf([this.#samplingBefore, segment.sampling]);
  }

  #segment(after: Uint8Array): Segment {
    const now = this.#session.sampler?.sampling;
    const sampling = now && sumOf([now], this.#samplingBefore);
    return { phase: this.#phase, file: difference(after, this.#before), sampling };
  }
}

/** Samples of several parts, less those from before them. */
function sumOf(parts: readonly (Sampling | undefined)[], before?: Sampling): Sampling {
  const sum = { samples: 0, ns: 0, squares_us2: 0 };
  const add = (part: Sampling | undefined, sign: number) => {
    sum.samples += sign * (part?.samples ?? 0);
    sum.ns += sign * (part?.ns ?? 0);
    sum.squares_us2 += sign * (part?.squares_us2 ?? 0);
  };
  for (const part of parts) add(part, 1);
  add(before, -1);
  return sum;
}
