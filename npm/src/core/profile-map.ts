import { clockStepNs } from './clock-step.js';
import type { LoadedModule, Session, SkippedModule } from './session.js';

/** `P.map.json`, as `ProfileMap` in `crates/abi/src/map.rs`. */
export interface ProfileMap {
  readonly version: 1;
  readonly clock: string;
  readonly clock_step_ns?: number;
  readonly threads: { readonly id: number; name: string; readonly phase?: string }[];
  readonly modules: readonly LoadedModule[];
  readonly dropped: { readonly paths: number; readonly calls: number };
  readonly skipped: readonly SkippedModule[];
  unseen: string[];
}

/**
 * What a session knows besides counts.
 * @param thread its id in the blocks, at least 1, and its name; parts are named when they are merged
 */
export function profileMap(session: Session, thread: ProfileMap['threads'][number]): ProfileMap {
  return {
    version: 1,
    clock: session.settings.clock,
    ...(session.settings.clock === 'wall' && { clock_step_ns: clockStepNs() }),
    threads: [thread],
    modules: session.modules,
    dropped: session.runtime?.dropped() ?? { paths: 0, calls: 0 },
    skipped: session.skipped,
    unseen: [],
  };
}
