import { natives } from '../core/natives.js';

/** What an engine may or may not take, in the order in which it is printed. */
export const ENGINE_FEATURES = [
  'multi-memory',
  'exceptions',
  'legacy exceptions',
  'tail calls',
  'garbage collection',
  'shared memory',
  'memory64',
  'stack switching (JSPI)',
] as const;
export type EngineFeature = (typeof ENGINE_FEATURES)[number];

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** One function without parameters and results. */
const ONE_FUNCTION = [1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0];

/** Smallest modules that need a feature, without their header. */
const MODULES: Record<Exclude<EngineFeature, 'stack switching (JSPI)'>, readonly number[]> = {
  /** `(memory 0) (memory 0)` */
  'multi-memory': [5, 5, 2, 0, 0, 0, 0],
  /** `(func (block (try_table (catch_all 0))))` */
  exceptions: [
    ...ONE_FUNCTION,
    ...[0x0a, 13, 1, 11, 0, 0x02, 0x40, 0x1f, 0x40, 1, 2, 0, 0x0b, 0x0b, 0x0b],
  ],
  /** `(func (try (do) (catch_all)))` */
  'legacy exceptions': [...ONE_FUNCTION, ...[0x0a, 8, 1, 6, 0, 0x06, 0x40, 0x19, 0x0b, 0x0b]],
  /** `(func (return_call 0))` */
  'tail calls': [...ONE_FUNCTION, 0x0a, 6, 1, 4, 0, 0x12, 0, 0x0b],
  /** `(type (struct))` */
  'garbage collection': [1, 3, 1, 0x5f, 0],
  /** `(memory 1 1 shared)` */
  'shared memory': [5, 4, 1, 3, 1, 1],
  /** `(memory i64 1)` */
  memory64: [5, 3, 1, 4, 1],
};

/** Asks the engine what it takes. */
export function engineFeatures(): Record<EngineFeature, boolean> {
  const answer = (feature: EngineFeature) =>
    feature === 'stack switching (JSPI)'
      ? 'Suspending' in WebAssembly
      : natives.validate(Uint8Array.from([...HEADER, ...MODULES[feature]]));
  return Object.fromEntries(ENGINE_FEATURES.map((name) => [name, answer(name)])) as Record<
    EngineFeature,
    boolean
  >;
}
