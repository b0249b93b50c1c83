import { isMainThread, threadId } from 'node:worker_threads';
import { Session } from '../core/session.js';
import { messageOf } from '../errors.js';
import type { HookConfig } from './config.js';
import { handlersOf } from './handlers.js';
import { Loader } from './loader.js';
import { complain } from './messages.js';
import { writeMarker, writePart } from './parts.js';
import type { Handlers } from './patch.js';
import { answerCalls } from './workers.js';

/** The profiling of this thread, from its first module on. */
export interface Thread {
  readonly handlers: Handlers;
  /** Writes the thread's part of the profile as it is now; never throws. */
  readonly flush: () => void;
}

export function startThread(config: HookConfig): Thread {
  const { clock, arenaBytes, probes, parts } = config;
  const session = new Session({ clock, arenaBytes, probes });
  const key = { pid: process.pid, threadId };
  const flush = () => {
    if (!session.hasInstances && session.skipped.length === 0) return;
    try {
      writePart(parts, key, session);
    } catch (error) {
      complain(`A thread's part of the profile could not be written: ${messageOf(error)}`);
    }
  };
  session.onFirstInstance = () => {
    const program = process.argv[1] ?? process.execPath;
    writeMarker(parts, { ...key, startedMs: Date.now(), program });
    if (!isMainThread) answerCalls(flush);
  };
  return { handlers: handlersOf(session, new Loader(session)), flush };
}
