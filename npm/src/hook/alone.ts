import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeUnmatched } from '../core/filter.js';
import { mapPath } from '../core/profile-paths.js';
import { messageOf } from '../errors.js';
import type { Profile } from '../profile.js';
import type { HookConfig } from './config.js';
import { morePartsToCome, POLL_MS } from './last-parts.js';
import { mergeParts } from './merge.js';
import { complain } from './messages.js';

/** Where the profile goes, as the program may change its folder. */
const path = resolve(`wasm-xray-${process.pid}.xray`);

/** Merges the parts of a run that no command line waits for, and writes the profile. */
export function finishAlone(config: HookConfig): void {
  try {
    waitForLastParts(config.parts);
    const run = mergeParts(config.parts, { pid: process.pid, isNode: true });
    if (!run) return;
    for (const sentence of run.unseen) complain(sentence);
    for (const note of run.symbols?.notes ?? []) complain(note);
    if (!run.profile) return;
    write(run.profile);
    for (const glob of run.profile.report({ limit: 1 }).unmatched ?? []) {
      complain(describeUnmatched(glob));
    }
    complain(`wrote ${path}; read it with: npx wasm-xray report ${path}`);
  } catch (error) {
    complain(
      `The profile could not be written to ${path}: ${messageOf(error)}. Free some space, or start the program in another folder.`,
    );
  } finally {
    rmSync(config.parts, { recursive: true, force: true });
  }
}

/** Nothing else will run in this process. */
function waitForLastParts(parts: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const startMs = performance.now();
  while (morePartsToCome(parts, performance.now() - startMs)) Atomics.wait(clock, 0, 0, POLL_MS);
}

/**
 * Writes the profile as far as snapshots tell: it stays if this process is killed.
 * @throws whatever the file system says
 */
export function snapshotAlone(config: HookConfig): void {
  const run = mergeParts(config.parts, { pid: process.pid, isNode: true }, { symbols: false });
  if (run?.profile) write(run.profile);
}

/** Whole or not at all: the process may be killed meanwhile. Maps only grow, so the blocks come last. */
function write(profile: Profile): void {
  const map = mapPath(path);
  try {
    writeFileSync(`${map}.new`, profile.map());
    writeFileSync(`${path}.new`, profile.blocks());
    renameSync(`${map}.new`, map);
    renameSync(`${path}.new`, path);
  } catch (error) {
    for (const file of [map, path]) rmSync(`${file}.new`, { force: true });
    throw error;
  }
}
