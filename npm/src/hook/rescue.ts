import { ARENA_BASE, PAGE } from '../core/abi.js';
import type { ProfileMap } from '../core/profile-map.js';
import { Runtime } from '../core/runtime.js';
import { samplingOf } from '../core/sampler.js';
import { parseSection, probeSection } from '../core/section.js';
import { headerFor, type LoadedModule } from '../core/session.js';
import { toolkit } from '../core/toolkit.js';
import { messageOf } from '../errors.js';
import '../node/packaged.js';
import type { HookConfig } from './config.js';
import type { ExposedThread } from './exposed.js';
import { complain } from './messages.js';
import { hasPart, writeBlocks } from './parts.js';

/** A thread that is still running may just be making a node when its memory is copied. */
const TRIES = 5;
const ZEROS = Buffer.alloc(PAGE);

/**
 * Writes the part of a worker that cannot do it itself, from its memory. Never throws:
 * then the worker is one that left nothing.
 */
export function rescue(config: HookConfig, threadId: number, thread: ExposedThread): void {
  const key = { pid: process.pid, threadId };
  if (hasPart(config.parts, key)) return;
  const { Profile } = toolkit();
  for (let tries = 1; ; tries++) {
    try {
      const { map, blocks } = readThread(config, threadId + 1, thread);
      new Profile(blocks, JSON.stringify(map)).free();
      writeBlocks(config.parts, key, map, [blocks]);
      return;
    } catch (error) {
      if (tries < TRIES) continue;
      complain(`The memory of a worker could not be read: ${messageOf(error)}`);
      return;
    }
  }
}

function readThread(
  { clock, arenaBytes }: HookConfig,
  id: number,
  { memory, control, map, modules, skipped }: ExposedThread,
): { map: ProfileMap; blocks: Uint8Array } {
  const runtime = new Runtime(arenaBytes, { restore: (bytes) => copyMemory(memory, bytes) });
  return {
    map: {
      version: 1,
      clock,
      ...(control && { sampling: samplingOf(control) }),
      ...map,
      threads: [{ id, name: '' }],
      modules: modules.map(loadedModule),
      dropped: runtime.dropped(),
      skipped,
    },
    blocks: Buffer.concat(
      Array.from(runtime.blocks(id, headerFor(clock)), (piece) => piece.slice()),
    ),
  };
}

/** @throws if the module carries no section, which a module with probes does */
function loadedModule({ module, base, name }: ExposedThread['modules'][number]): LoadedModule {
  const bytes = probeSection(module)?.bytes;
  const map = bytes && parseSection(bytes)?.map;
  if (!map) throw new Error(`The module ${name} says nothing about its functions.`);
  map.name = name;
  return { base, map };
}

/** An arena is mostly zeros, as is a memory that was just made: pages of them need not be touched. */
function copyMemory(from: SharedArrayBuffer, to: Uint8Array): void {
  for (let at = 0; at < from.byteLength; at += PAGE) {
    const page = Buffer.from(from as unknown as ArrayBuffer, at, PAGE);
    if (at < ARENA_BASE || !page.equals(ZEROS)) to.set(page, at);
  }
}
