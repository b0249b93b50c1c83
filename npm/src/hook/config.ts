import { createRequire } from 'node:module';
import worker from 'node:worker_threads';
import { parseInstructions } from '../core/filter.js';
import { type Clock, type ProbeKind, parseDuration, settingsFrom } from '../core/options.js';
import { messageOf } from '../errors.js';
import { type FilterFlags, portableFlags } from './filter-flags.js';
import { complain } from './messages.js';
import { makePartsFolder } from './parts.js';

const require = createRequire(import.meta.url);

/** Environment variable and worker environment data that hold a {@link HookConfig} as JSON. */
export const CONFIG_KEY = 'WASM_XRAY';

/** What the hook of every thread and process of one run has to know. */
export interface HookConfig {
  readonly clock: Clock;
  readonly arenaBytes: number;
  readonly probes?: ProbeKind;
  /** Clock `wall`: a thread of each process keeps the time. */
  readonly clockThread?: boolean;
  readonly filter?: FilterFlags;
  /** Time between two snapshots of each thread, in ms; unset: none are written. */
  readonly snapshotMs?: number;
  /** False: debug information stays unread. */
  readonly symbols?: boolean;
  /** Directory in which each thread leaves its part of the profile. */
  readonly parts: string;
  /** Id of the process whose main thread is `main` in the profile; unset: the one that reads this first. */
  readonly root?: number;
  /** The root process merges the parts itself, as no command line waits for them. */
  readonly alone?: boolean;
}

/**
 * Finds the run that this thread belongs to, or starts one if the hook was
 * loaded without the command line.
 * @throws FileError if there is no place for temporary files
 */
export function runConfig(): HookConfig {
  const text = process.env[CONFIG_KEY] ?? worker.getEnvironmentData(CONFIG_KEY);
  const config = (typeof text === 'string' && parseConfig(text)) || startAlone();
  return { ...config, root: config.root ?? process.pid };
}

/** Whether this thread merges the parts of the run, as no command line waits for them. */
export function isMerging(config: HookConfig): boolean {
  return config.alone === true && config.root === process.pid && worker.isMainThread;
}

/** Hands the run on to the workers of this thread, whatever environment they get. */
export function passOn(config: HookConfig): void {
  worker.setEnvironmentData(CONFIG_KEY, formatConfig(config));
}

export function formatConfig(config: HookConfig): string {
  return JSON.stringify(config);
}

function parseConfig(text: string): HookConfig | undefined {
  try {
    const config = JSON.parse(text) as HookConfig;
    return typeof config.parts === 'string' ? config : undefined;
  } catch {
    return undefined;
  }
}

function startAlone(): HookConfig {
  const parts = makePartsFolder();
  const config = { ...aloneSettings(), parts, root: process.pid, alone: true };
  process.env[CONFIG_KEY] = formatConfig(config);
  return config;
}

type Settings = Pick<
  HookConfig,
  'clock' | 'arenaBytes' | 'probes' | 'clockThread' | 'filter' | 'snapshotMs'
>;

/** Options of a run without the command line: `WASM_XRAY_CLOCK` and so on, see `register.ts`. */
function aloneSettings(): Settings {
  const { WASM_XRAY_CLOCK, WASM_XRAY_ARENA, WASM_XRAY_PROBES, WASM_XRAY_SNAPSHOT } = process.env;
  const { WASM_XRAY_CLOCK_THREAD } = process.env;
  try {
    const { clock, arenaBytes, probes, clockThread } = settingsFrom({
      ...(WASM_XRAY_CLOCK && { clock: WASM_XRAY_CLOCK as Clock }),
      ...(WASM_XRAY_ARENA && { arena: WASM_XRAY_ARENA }),
      ...(WASM_XRAY_PROBES && { probes: WASM_XRAY_PROBES as ProbeKind }),
      ...(WASM_XRAY_CLOCK_THREAD && { clockThread: WASM_XRAY_CLOCK_THREAD !== '0' }),
    });
    const filter = aloneFilter();
    const snapshotMs = WASM_XRAY_SNAPSHOT && parseDuration(WASM_XRAY_SNAPSHOT);
    return {
      clock,
      arenaBytes,
      ...(probes && { probes }),
      ...(clockThread && { clockThread }),
      ...(filter && { filter }),
      ...(snapshotMs && { snapshotMs }),
    };
  } catch (error) {
    complain(`${messageOf(error)} The default is used.`);
    const { clock, arenaBytes } = settingsFrom();
    return { clock, arenaBytes };
  }
}

/** @throws OptionError, FileError */
function aloneFilter(): FilterFlags | undefined {
  const { WASM_XRAY_INCLUDE, WASM_XRAY_EXCLUDE } = process.env;
  const { WASM_XRAY_MIN_INSTRUCTIONS, WASM_XRAY_ATTR_LIST } = process.env;
  const flags = portableFlags({
    ...(WASM_XRAY_INCLUDE && { include: WASM_XRAY_INCLUDE.split(',') }),
    ...(WASM_XRAY_EXCLUDE && { exclude: WASM_XRAY_EXCLUDE.split(',') }),
    ...(WASM_XRAY_MIN_INSTRUCTIONS && {
      minInstructions: parseInstructions(WASM_XRAY_MIN_INSTRUCTIONS),
    }),
    ...(WASM_XRAY_ATTR_LIST && { attrList: WASM_XRAY_ATTR_LIST }),
  });
  if (Object.keys(flags).length === 0) return undefined;
  // Not before it is needed: most programs give no filter.
  const { readFilter } = require('./filter.cjs') as typeof import('./filter.js');
  readFilter(flags);
  return flags;
}
