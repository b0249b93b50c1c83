import { availableParallelism } from 'node:os';
import { ABI_VERSION } from '../core/abi.js';
import { probeKind } from '../core/features.js';
import { CLOCKS, type Clock, type ProbeKind, settingsFrom } from '../core/options.js';
import { samplingRefusal } from '../core/sampler.js';
import { type EngineFeature, engineFeatures } from '../doctor/engine.js';
import {
  type ClockFigures,
  measureClock,
  measureProbes,
  type ProbeCost,
} from '../doctor/measure.js';
import { type PackagedWasm, packagedWasm, packageVersion } from '../doctor/provenance.js';
import { grouped, type Style } from './terminal.js';

/** What `wasm-xray doctor --json` prints. */
export interface Diagnosis {
  readonly version: string;
  /** What modules, runtime and loader have to agree on. */
  readonly abiVersion: number;
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly cpus: number;
  readonly features: Record<EngineFeature, boolean>;
  /** Probes that modules get when nothing else is asked for. */
  readonly defaultProbes: ProbeKind;
  /** Clocks that can be used here. */
  readonly clocks: readonly Clock[];
  readonly clock: ClockFigures;
  readonly probeCosts: readonly ProbeCost[];
  readonly wasm: readonly PackagedWasm[];
}

/**
 * `wasm-xray doctor`: what this engine supports, what profiling costs here, and
 * what is inside the package.
 * @throws InstallationError if a part of the package is missing or does not work
 */
export function diagnose(): Diagnosis {
  const features = engineFeatures();
  return {
    version: packageVersion(),
    abiVersion: ABI_VERSION,
    node: process.version,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    cpus: availableParallelism(),
    features,
    defaultProbes: probeKind(settingsFrom()),
    clocks: CLOCKS.filter((clock) => clock !== 'sampled' || !samplingRefusal()),
    wasm: packagedWasm(),
    clock: measureClock(),
    probeCosts: measureProbes(features['multi-memory']),
  };
}

/** A diagnosis for people. */
export function describe(diagnosis: Diagnosis, style: Style): string {
  const { version, abiVersion, node, v8, platform, cpus, features, clock } = diagnosis;
  const lines = [
    row('wasm-xray', `${version}, ABI ${abiVersion}`),
    row('Node', `${node}, V8 ${v8}`),
    row('clocks', diagnosis.clocks.join(', ')),
    row('machine', `${platform}, ${cpus} CPUs`),
    '',
    style.bold('What this engine takes'),
    ...Object.entries(features).map(([name, has]) =>
      row(`  ${name}`, has ? 'yes' : style.yellow(`no${ADVICE[name as EngineFeature] ?? ''}`)),
    ),
    '',
    style.bold('What profiling costs here'),
    ...diagnosis.probeCosts.map(({ clock, probes, nsPerCall }) =>
      row(`  clock ${clock}, ${probes} probes`, `${nsPerCall} ns a call`),
    ),
    row('  clock step', `${grouped(clock.stepNs)} ns, ${clock.readNs} ns to read`),
    '',
    style.bold('What is inside'),
    ...diagnosis.wasm.flatMap(({ file, bytes, sha256 }) => [
      row(`  ${file.split('/').at(-1)}`, `${grouped(bytes)} bytes`),
      `    sha256 ${sha256}`,
    ]),
  ];
  return lines.join('\n');
}

/** What it means that a feature is missing, where that is up to us. */
const ADVICE: Partial<Record<EngineFeature, string>> = {
  'multi-memory': ': slower probes; Node 22 has it',
};

function row(name: string, value: string): string {
  return `${name.padEnd(40)}${value}`;
}
