import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkClockThread } from '../core/clock-thread.js';
import { type Clock, type ProbeKind, parseDuration, settingsFrom } from '../core/options.js';
import { mapPath } from '../core/profile-paths.js';
import { messageOf } from '../errors.js';
import { readFilter } from '../hook/filter.js';
import { type FilterFlags, portableFlags } from '../hook/filter-flags.js';
import { morePartsToCome, POLL_MS } from '../hook/last-parts.js';
import { type MergedRun, mergeParts } from '../hook/merge.js';
import { makePartsFolder } from '../hook/parts.js';
import '../node/sampler.js';
import type { Profile } from '../profile.js';
import { type ChromeProxy, proxyChrome } from './chrome.js';
import { checkOutput, writeOutput } from './files.js';
import { type Ending, launch } from './launch.js';
import { summary, symbolLines } from './summary.js';
import { styleOf } from './terminal.js';

/** Options of every command that profiles a program. */
export interface ProfileOptions extends FilterFlags {
  readonly clock?: Clock;
  readonly arena?: string;
  readonly probes?: ProbeKind;
  readonly clockThread?: boolean;
  readonly snapshot?: string;
  readonly out?: string;
  readonly limit: number;
  /** Pages of Chrome as well. */
  readonly chrome?: boolean;
  /** Whether to read debug information. */
  readonly symbols: boolean;
}

/** What is to be profiled. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether it is a Node program, rather than something that may start some. */
  readonly isNode: boolean;
  /** Added to its environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Path of the profile when the user does not say. */
  readonly defaultOut: string;
}

/**
 * Runs a command with the hook, then prints and writes the profile.
 * @returns how the command ended; that is how we end as well, but not with 0 if the profile could not be written
 * @throws EngineError, FileError, OptionError before it is started
 */
export async function runProfiled(command: Command, options: ProfileOptions): Promise<Ending> {
  const { clock, arenaBytes, probes, clockThread } = settingsFrom(options);
  checkClockThread(options);
  const settings = { clock, arenaBytes, probes, filter: readFilter(options) };
  const filter = portableFlags(options);
  const snapshotMs = options.snapshot === undefined ? undefined : parseDuration(options.snapshot);
  const out = options.out ?? command.defaultOut;
  checkOutput(out);

  const parts = makePartsFolder();
  let chrome: ChromeProxy | undefined;
  try {
    if (options.chrome) chrome = await proxyChrome(command.args, settings, parts);
    const config = {
      clock,
      arenaBytes,
      parts,
      filter,
      ...(probes && { probes }),
      ...(clockThread && { clockThread }),
      ...(snapshotMs !== undefined && { snapshotMs }),
      symbols: options.symbols,
    };
    const { pid, ending, interrupted } = await launch(command.file, command.args, config, {
      ...command.env,
      ...chrome?.env,
    });
    await chrome?.close();
    chrome = undefined;
    await lastParts(parts, interrupted);
    const root = { pid, isNode: command.isNode, signal: ending.signal };
    const kept = finish(mergeParts(parts, root), out, options.limit);
    return kept ? ending : { ...ending, code: ending.code || 1 };
  } finally {
    await chrome?.close();
    rmSync(parts, { recursive: true, force: true });
  }
}

/** Waits a moment for processes that end with the command, or that got the same signal: it may have ended sooner. */
async function lastParts(parts: string, interrupted: boolean): Promise<void> {
  const startMs = performance.now();
  while (morePartsToCome(parts, performance.now() - startMs, interrupted)) await sleep(POLL_MS);
}

/**
 * Writes what the threads left, and tells the user.
 * @returns whether the profile is where it should be and has every part, if there is any
 */
function finish(run: MergedRun | undefined, out: string, limit: number): boolean {
  if (!run) {
    say('wasm-xray: the program loaded no WebAssembly; there is no profile.');
    return true;
  }
  if (!run.profile) {
    say('wasm-xray: there is no profile.');
    for (const sentence of run.unseen) say(`Not seen: ${sentence}`);
    return !run.failed;
  }
  const style = styleOf(process.stderr);
  say(`\n${summary(run.profile.report(), limit, style)}`);
  for (const line of symbolLines(run.symbols, style)) say(line);
  try {
    writeProfile(run.profile, out);
    return !run.failed;
  } catch (error) {
    say(`\nerror: ${messageOf(error)}`);
  }
  // It took a run to make it.
  try {
    writeProfile(run.profile, join(tmpdir(), `wasm-xray-${process.pid}.xray`));
  } catch {
    say('There is no space for it in the folder for temporary files either: the profile is lost.');
  }
  return false;
}

function writeProfile(profile: Profile, out: string): void {
  writeOutput(out, profile.blocks());
  writeOutput(mapPath(out), profile.map());
  say(`\nwasm-xray: wrote ${out} and ${mapPath(out)}`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
