import timers from 'node:timers';
import worker, { isMainThread, threadId } from 'node:worker_threads';
import {
  adoptClock,
  clockThread,
  clockThreadRefusal,
  type SharedClock,
} from '../core/clock-thread.js';
import { withProbeCost } from '../core/probe-cost.js';
import { defaultName, Session } from '../core/session.js';
import { instrumentBytes } from '../core/toolkit.js';
import { messageOf } from '../errors.js';
import '../node/packaged.js';
import { isHelper } from '../node/sampler.js';
import { findImportedWith, originOf } from './caller.js';
import { type HookConfig, isMerging } from './config.js';
import { findImported } from './es-imports.js';
import { Exposure } from './expose.js';
import { readFilter } from './filter.js';
import { handlersOf } from './handlers.js';
import { Loader } from './loader.js';
import { complain } from './messages.js';
import { cacheFolder, ModuleCache } from './module-cache.js';
import { keepOriginal } from './originals.js';
import { type PartKind, type ThreadKey, writeMarker, writeNames, writePart } from './parts.js';
import type { Handlers } from './patch.js';
import { aroundEmissions } from './process-patch.js';
import { withProgress } from './progress.js';
import type { Realm } from './realm.js';
import { answerCalls } from './workers.js';

// Taken now: a program may put fake timers and clocks in their place.
const { setInterval } = timers;
const startedMs = performance.timeOrigin;

/** The profiling of this thread, from its first module on. */
export interface Thread {
  readonly handlersIn: (realm: Realm) => Handlers;
  /** Writes the thread's part of the profile as it is now; never throws. */
  readonly flush: () => void;
  /** Writes what there is so far, in case nothing more can be written; never throws. */
  readonly snapshot: () => void;
}

/** Worker environment data that holds the clock of the process, as a {@link SharedClock}. */
const CLOCK_KEY = 'WASM_XRAY_CLOCK_THREAD';

/** Starts the clock thread of the process, for workers that will be started. For the main thread. */
export function shareClock(): void {
  if (clockThreadRefusal() === undefined)
    worker.setEnvironmentData(CLOCK_KEY, clockThread().shared);
}

/** Whether a thread keeps the time: if it is asked for, and can be had. */
function hasClockThread(config: HookConfig): boolean {
  if (!config.clockThread) return false;
  const shared: unknown = worker.getEnvironmentData(CLOCK_KEY);
  if (!isMainThread && shared !== undefined) adoptClock(shared as SharedClock);
  const refusal = clockThreadRefusal();
  if (refusal !== undefined && isMainThread) complain(refusal);
  return refusal === undefined;
}

export function startThread(config: HookConfig): Thread {
  const { clock, arenaBytes, probes, parts, snapshotMs } = config;
  findImportedWith(findImported);
  const filter = readFilter(config.filter ?? {});
  const session = new Session({
    ...{ clock, arenaBytes, probes, filter, sharedMemory: true },
    ...(hasClockThread(config) && { clockThread: true }),
  });
  const cache = cacheFolder();
  const rewrite = withProgress(instrumentBytes);
  session.rewrite = cache === undefined ? rewrite : new ModuleCache(cache, rewrite).rewrite;
  withProbeCost(session);
  // Node tells of every worker.
  aroundEmissions((event, emit, [, worker]) => (event === 'worker' && isHelper(worker)) || emit());
  const exposure = isMainThread ? undefined : new Exposure(session);
  const key = { pid: process.pid, threadId };
  const mark = (failure?: string) => {
    const program = process.argv[1] ?? process.execPath;
    const sampler = session.sampler?.threadId ?? session.clockThread?.shared.threadId;
    const helpers = sampler === undefined ? {} : { sampler };
    writeMarker(parts, { ...key, startedMs, program, ...helpers, ...(failure && { failure }) });
  };
  const write = (kind: PartKind) => {
    nameModules(parts, key, session);
    if (!session.hasInstances && session.skipped.length === 0) return;
    if (!session.hasInstances) mark();
    if (kind === 'final') session.sampler?.stop();
    try {
      writePart(parts, key, session, kind);
      if (kind === 'final') exposure?.end();
    } catch (error) {
      complain(`A thread's part of the profile could not be written: ${messageOf(error)}`);
      mark(messageOf(error));
    }
  };
  const flush = () => write('final');
  const snapshot = () => write('snapshot');
  if (config.symbols !== false) {
    session.onAdopted = (hash, bytes) =>
      keepOriginal(parts, hash, { bytes, origin: originOf(bytes) });
  }
  session.onFirstInstance = () => {
    mark();
    // Who merges them takes them as well.
    if (snapshotMs !== undefined && !isMerging(config)) setInterval(snapshot, snapshotMs).unref();
    if (!isMainThread) answerCalls(flush);
    exposure?.start();
  };
  const handlersIn = (realm: Realm) => handlersOf(session, new Loader(session, realm), realm);
  return { handlersIn, flush, snapshot };
}

function nameModules(parts: string, key: ThreadKey, { modules }: Session): void {
  const named = modules.filter(({ map }) => map.name !== defaultName(map.hash));
  if (named.length === 0) return;
  writeNames(parts, key, Object.fromEntries(named.map(({ map }) => [map.hash, map.name])));
}
