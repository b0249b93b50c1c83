import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeUnmatched } from '../core/filter.js';
import { mapPath } from '../core/profile-paths.js';
import { messageOf } from '../errors.js';
import type { HookConfig } from './config.js';
import { mergeParts } from './merge.js';
import { complain } from './messages.js';

/** Merges the parts of a run that no command line waits for, and writes the profile. */
export function finishAlone(config: HookConfig): void {
  try {
    const run = mergeParts(config.parts, { pid: process.pid, isNode: true });
    if (!run) return;
    for (const sentence of run.unseen) complain(sentence);
    for (const note of run.symbols?.notes ?? []) complain(note);
    if (!run.profile) return;
    const path = resolve(`wasm-xray-${process.pid}.xray`);
    writeFileSync(path, run.profile.blocks());
    writeFileSync(mapPath(path), run.profile.map());
    for (const glob of run.profile.report({ limit: 1 }).unmatched ?? []) {
      complain(describeUnmatched(glob));
    }
    complain(`wrote ${path}; read it with: npx wasm-xray report ${path}`);
  } catch (error) {
    complain(`The profile could not be written: ${messageOf(error)}`);
  } finally {
    rmSync(config.parts, { recursive: true, force: true });
  }
}
