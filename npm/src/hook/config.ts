import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import worker from 'node:worker_threads';
import type { Clock, ProbeKind, Settings } from '../core/options.js';
import { settingsFrom } from '../core/options.js';

/** Environment variable and worker environment data that hold a {@link HookConfig} as JSON. */
export const CONFIG_KEY = 'WASM_XRAY';

/** What the hook of every thread and process of one run has to know. */
export interface HookConfig {
  readonly clock: Clock;
  readonly arenaBytes: number;
  readonly probes?: ProbeKind;
  /** Directory in which each thread leaves its part of the profile. */
  readonly parts: string;
  /** Id of the process whose main thread is `main` in the profile; unset: the one that reads this first. */
  readonly root?: number;
  /** The root process merges the parts itself, as no command line waits for them. */
  readonly alone?: boolean;
}

/** A thread's view of the run. */
export interface ThreadConfig extends HookConfig {
  readonly settings: Settings;
}

/**
 * Finds the run that this thread belongs to, or starts one if the hook was
 * loaded without the command line.
 */
export function threadConfig(): ThreadConfig {
  const text = process.env[CONFIG_KEY] ?? worker.getEnvironmentData(CONFIG_KEY);
  const config = typeof text === 'string' ? parseConfig(text) : undefined;
  return withSettings(config ?? startAlone());
}

/** Hands the run on to the workers of this thread, whatever environment they get. */
export function passOn(config: HookConfig): void {
  worker.setEnvironmentData(CONFIG_KEY, formatConfig(config));
}

export function formatConfig(config: HookConfig): string {
  const { clock, arenaBytes, probes, parts, root, alone } = config;
  return JSON.stringify({ clock, arenaBytes, probes, parts, root, alone });
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
  const { clock, arenaBytes } = settingsFrom();
  const parts = mkdtempSync(join(tmpdir(), 'wasm-xray-'));
  const config = { clock, arenaBytes, parts, root: process.pid, alone: true };
  process.env[CONFIG_KEY] = formatConfig(config);
  return config;
}

function withSettings(config: HookConfig): ThreadConfig {
  const { clock, arenaBytes, probes } = config;
  const root = config.root ?? process.pid;
  return { ...config, root, settings: { clock, arenaBytes, probes } };
}
