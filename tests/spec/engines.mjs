// How a script's modules get into the engine: as they are, or with probes.

import { createHash } from 'node:crypto';
import { hasMultiMemory } from '../../npm/dist/core/features.js';
import { settingsFrom } from '../../npm/dist/core/options.js';
import { profileMap } from '../../npm/dist/core/profile-map.js';
import { Session } from '../../npm/dist/core/session.js';
import { Loader } from '../../npm/dist/hook/loader.js';
import '../../npm/dist/node/packaged.js';
import { Profile } from '../../npm/dist/profile.js';
import { watchInsteadOfSampling } from '../node/watch.mjs';

export const KINDS = {
  plain: undefined,
  ...(hasMultiMemory() && { inline: { clock: 'calls', probes: 'inline' } }),
  ...(hasMultiMemory() && { instructions: { clock: 'instructions', probes: 'inline' } }),
  ...(hasMultiMemory() && { sampled: { clock: 'sampled', probes: 'inline' } }),
  imported: { clock: 'calls', probes: 'imported' },
  'sampled imported': { clock: 'sampled', probes: 'imported' },
  wall: { clock: 'wall', probes: 'imported' },
};

const compile = (bytes) => new WebAssembly.Module(bytes);
const instantiate = (module, imports) => new WebAssembly.Instance(module, imports);

/**
 * `compile` and `instantiate` of a kind; `report`: every path; `counts`: a digest of
 * them; `skipped`: modules that ran without probes though they should have some. The loader is the hook's own.
 */
export function createEngine(kind, arena = '16M') {
  if (kind === 'plain')
    return { compile, instantiate, counts: () => '', skipped: () => [], hostRuns: () => true };
  const session = new Session(settingsFrom({ ...KINDS[kind], arena }));
  const loader = new Loader(session);
  const watch = session.settings.clock === 'sampled' ? watchInsteadOfSampling() : undefined;
  return {
    compile: (bytes) => loader.compileSync(bytes, [], undefined, compile),
    instantiate: (module, imports) => loader.instantiateSync(module, imports, instantiate),
    /** Whether the clock `sampled` is told so. */
    hostRuns: () => watch?.hostRuns() ?? true,
    report: () => report(session),
    counts: () => digest(report(session)),
    skipped: () => session.skipped.map(({ module, reason }) => `${module}: ${reason}`),
  };
}

function report(session) {
  const blocks = Array.from(session.blocks(1), (view) => view.slice());
  const map = JSON.stringify(profileMap(session, { id: 1, name: 'main' }));
  return Profile.read(Buffer.concat(blocks), map).report({ paths: true, limit: 0 });
}

function digest({ functions, paths }) {
  const name = new Map(functions.map(({ id, name }) => [id, name]));
  const lines = paths.map(
    ({ path, calls }) => `${path.map((id) => name.get(id)).join(' > ')} ${calls}`,
  );
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}
