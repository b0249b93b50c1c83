import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import timers from 'node:timers';
import { isMainThread } from 'node:worker_threads';
// Takes the engine's functions before they are patched.
import '../core/natives.js';
import { messageOf } from '../errors.js';
import { type HookConfig, isMerging, passOn, runConfig } from './config.js';
import { patchContexts } from './contexts.js';
import { atExit } from './exit.js';
import { ExposedThreads } from './exposed.js';
import { complain } from './messages.js';
import { isPartFile, type PartKind } from './parts.js';
import { type Handlers, patchWebAssembly } from './patch.js';
import { REGISTER } from './paths.js';
import { OWN_REALM, type Realm, realmOf } from './realm.js';
import { writeFatal, writeReceived } from './signal-files.js';
import { beforeSignals, onHandledSignal } from './signals.js';
import type { Thread } from './thread.js';
import { hasEnded, lastCall, patchWorkers } from './workers.js';

// Taken now: a program may put fake timers in its place.
const { setInterval } = timers;

const INSTALLED = Symbol.for('wasm-xray.hook');

/** Loads a script of ours now (`npm/bundles.mjs`), rather than at the start of a program that may not need it. */
const require = createRequire(import.meta.url);

/**
 * Hooks this thread: every module that it loads is profiled, and when it ends it
 * leaves its part of the profile. Does nothing the second time. What a program
 * without wasm and workers pays for is in the imports above.
 */
export function install(): void {
  if (Reflect.has(globalThis, INSTALLED)) return;
  Object.defineProperty(globalThis, INSTALLED, { value: true });

  let config: HookConfig;
  try {
    config = runConfig();
  } catch (error) {
    complain(`WebAssembly is not profiled. ${messageOf(error)}`);
    return;
  }
  passOn(config);
  const merges = isMerging(config);

  let thread: Thread | undefined;
  let exposed: ExposedThreads | undefined;
  const finish = once(() => {
    lastCall(config.parts, exposed);
    exposed?.readAll();
    thread?.flush();
    if (merges) mergeAlone(config);
  });
  const prepareExit = once(() => {
    atExit(finish);
    if (isMainThread) beforeSignals(finish, (signals) => writeFatal(config.parts, signals));
  });
  const start = once(() => {
    try {
      const { startThread } = require('./thread.cjs') as typeof import('./thread.js');
      thread = startThread(config);
      prepareExit();
    } catch (error) {
      complain(
        `WebAssembly is not profiled, as the profiler could not be loaded: ${messageOf(error)}`,
      );
    }
  });

  const patch = (engine: typeof WebAssembly, realm: Realm) => {
    let handlers: Handlers | undefined;
    patchWebAssembly(() => {
      start();
      handlers ??= thread?.handlersIn(realm);
      return handlers;
    }, engine);
  };
  patch(globalThis.WebAssembly, OWN_REALM);
  patchContexts((engine) => patch(engine, realmOf(engine)));
  if (isMainThread && !config.alone) onHandledSignal((name) => writeReceived(config.parts, name));
  // Only there, as most programs do not load `child_process`, which takes some ms.
  if (process.execArgv.includes('--test')) {
    const { endStuckChildren } = require('./children.cjs') as typeof import('./children.js');
    endStuckChildren(config.parts);
  }
  patchWorkers(REGISTER, config.parts, () => {
    prepareExit();
    if (!isMainThread) return;
    if (config.clockThread) (require('./thread.cjs') as typeof import('./thread.js')).shareClock();
    exposed?.readEnded(hasEnded);
    exposed ??= new ExposedThreads((threadId, worker) => {
      const { rescue } = require('./rescue.cjs') as typeof import('./rescue.js');
      rescue(config, threadId, worker);
    });
  });
  if (merges) {
    prepareExit();
    if (config.snapshotMs !== undefined) {
      setInterval(() => {
        thread?.snapshot();
        mergeAlone(config, 'snapshot');
      }, config.snapshotMs).unref();
    }
  }
}

/** Merges the parts of a run that no command line waits for. Never throws: the program goes first. */
function mergeAlone(config: HookConfig, kind: PartKind = 'final'): void {
  try {
    const any = readdirSync(config.parts).some(isPartFile);
    if (!any && kind === 'final') rmSync(config.parts, { recursive: true, force: true });
    if (!any) return;
    const { finishAlone, snapshotAlone } = require('./alone.cjs') as typeof import('./alone.js');
    if (kind === 'final') finishAlone(config);
    else snapshotAlone(config);
  } catch (error) {
    complain(`The profile could not be written: ${messageOf(error)}`);
  }
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
