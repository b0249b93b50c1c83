// What stands beside the plain module in every table: each clock with each kind of probes.

/**
 * Options of a profiler for each variant.
 * @param {{ inline: boolean, full: boolean }} what `inline`: the engine has multi-memory;
 *   `full`: what is slow and tells least as well
 */
export function variants({ inline, full }) {
  return [
    ...(inline ? [{ clock: 'calls', probes: 'inline' }] : []),
    { clock: 'calls', probes: 'imported' },
    ...(inline ? [{ clock: 'instructions', probes: 'inline' }] : []),
    ...(full || !inline ? [{ clock: 'instructions', probes: 'imported' }] : []),
    ...(inline ? [{ clock: 'sampled', probes: 'inline' }] : []),
    ...(full || !inline ? [{ clock: 'sampled', probes: 'imported' }] : []),
    { clock: 'wall', probes: 'imported' },
  ];
}
