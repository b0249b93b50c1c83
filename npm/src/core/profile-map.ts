import { clockStepNs } from './clock-step.js';
import type { ProbeCostMeter } from './probe-cost.js';
import type { Sampling } from './sampler.js';
import type { LoadedModule, Session, SkippedModule } from './session.js';

/** `P.map.json`, as `ProfileMap` in `crates/abi/src/map.rs`. */
export interface ProfileMap {
  readonly version: 1;
  readonly clock: string;
  readonly clock_step_ns?: number;
  sampling?: Sampling;
  readonly probe_cost?: { readonly inner_ps: number; readonly outer_ps: number };
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
    ...clockStep(session),
    ...(session.sampler && { sampling: session.sampler.sampling }),
    ...probeCost(session),
    threads: [thread],
    modules: session.modules,
    dropped: session.runtime?.dropped() ?? { paths: 0, calls: 0 },
    skipped: session.skipped,
    unseen: [...unseenTimes(session, thread.name), ...(session.clockThread?.complaints ?? [])],
  };
}

export function clockStep({ settings, clockThread }: Session): Pick<ProfileMap, 'clock_step_ns'> {
  if (settings.clock !== 'wall') return {};
  return { clock_step_ns: clockThread?.stepNs ?? clockStepNs() };
}

/** A sentence if there is nobody who takes samples. */
export function unseenTimes({ sampler, hasInstances }: Session, name: string): string[] {
  const failure = hasInstances ? sampler?.failure : undefined;
  return failure === undefined
    ? []
    : [`times of ${name || 'a thread'}: there is no sampler, as ${failure}.`];
}

/** Measured once more if the program has run: its probes are compiled as well as they will be. */
function probeCost({ meter, hasInstances }: Session): Pick<ProfileMap, 'probe_cost'> {
  if (!meter || !hasInstances) return {};
  meter.measure();
  return probeCostOf(meter);
}

/** As far as it was measured. */
export function probeCostOf({ cost }: ProbeCostMeter): Pick<ProfileMap, 'probe_cost'> {
  if (!cost) return {};
  const ps = (ns: number) => Math.round(ns * 1000);
  return { probe_cost: { inner_ps: ps(cost.innerNs), outer_ps: ps(cost.outerNs) } };
}
