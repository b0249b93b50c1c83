import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import worker from 'node:worker_threads';
import { type Clock, type ProbeKind, settingsFrom } from '../core/options.js';
import { messageOf } from '../errors.js';
import { complain } from './messages.js';

/** Environment variable and worker environment data that hold a {@link HookConfig} as JSON. */
export const CONFIG_KEY = 'WASM_XRAY';

/** What the hook of every thread and process of one run has to know. */
export interface HookConfig {
  readonly clock: Clock;
  readonly arenaBytes: number;
  readonly probes?: ProbeKind;
  /** Time between two snapshots of each thread, in ms; unset: none are written. */
  readonly snapshotMs?: number;
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
 */
export function runConfig(): HookConfig {
  const text = process.env[CONFIG_KEY] ?? worker.getEnvironmentData(CONFIG_KEY);
  const config = (typeof text === 'string' && parseConfig(text)) || startAlone();
  return { ...config, root: config.root ?? process.pid };
}

/** Hands the run on to the workers of this thread, whatever environment they get. */
export function passOn(config: HookConfig): void {
  worker.setEnvironmentData(CONFIG_KEY, formatConfig(config));
}

export function formatConfig(config: HookConfig): string {
  const { clock, arenaBytes, probes, snapshotMs, parts, root, alone } = config;
  return JSON.stringify({ clock, arenaBytes, probes, snapshotMs, parts, root, alone });
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
  const parts = mkdtempSync(join(tmpdir(), 'wasm-xray-'));
  const config = { ...aloneSettings(), parts, root: process.pid, alone: true };
  process.env[CONFIG_KEY] = formatConfig(config);
  return config;
}

/** Options of a run without the command line: `WASM_XRAY_CLOCK`, `WASM_XRAY_ARENA`, `WASM_XRAY_PROBES`. */
function aloneSettings(): Pick<HookConfig, 'clock' | 'arenaBytes' | 'probes'> {
  const { WASM_XRAY_CLOCK, WASM_XRAY_ARENA, WASM_XRAY_PROBES } = process.env;
  try {
    const { clock, arenaBytes, probes } = settingsFrom({
      ...(WASM_XRAY_CLOCK && { clock: WASM_XRAY_CLOCK as Clock }),
      ...(WASM_XRAY_ARENA && { arena: WASM_XRAY_ARENA }),
      ...(WASM_XRAY_PROBES && { probes: WASM_XRAY_PROBES as ProbeKind }),
    });
    return { clock, arenaBytes, ...(probes && { probes }) };
  } catch (error) {
    complain(`${messageOf(error)} The default is used.`);
    const { clock, arenaBytes } = settingsFrom();
    return { clock, arenaBytes };
  }
}
