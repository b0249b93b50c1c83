import { natives } from './natives.js';
import type { ProbeKind, Settings } from './options.js';

/** `(module (memory 0) (memory 0))` */
const TWO_MEMORIES = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 5, 2, 0, 0, 0, 0);

let multiMemory: boolean | undefined;

/** Whether the engine takes modules with more than one memory (Node 22 and later). */
export function hasMultiMemory(): boolean {
  multiMemory ??= natives.validate(TWO_MEMORIES);
  return multiMemory;
}

/** The probes that instrumented modules get. */
export function probeKind(settings: Settings): ProbeKind {
  if (settings.probes !== undefined) return settings.probes;
  return settings.clock !== 'wall' && hasMultiMemory() ? 'inline' : 'imported';
}
