import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, threadId } from 'node:worker_threads';
import { Session } from '../core/session.js';
import { messageOf } from '../errors.js';
import { passOn, type ThreadConfig, threadConfig } from './config.js';
import { atExit } from './exit.js';
import { Loader } from './loader.js';
import { writeMarker, writePart } from './parts.js';
import { patchWebAssembly } from './patch.js';
import { answerLastCall, lastCall, patchWorkers } from './workers.js';

const INSTALLED = Symbol.for('wasm-xray.hook');

/** Path of the module that loads the hook, for `--require`. */
export const REGISTER = fileURLToPath(new URL('../register.js', import.meta.url));

/**
 * Hooks this thread: every module that it loads is profiled, and when it ends it
 * leaves its part of the profile. Does nothing the second time.
 * @param finish merges the parts; called in the process that the user started, if no command line does it
 */
export function install(finish: (config: ThreadConfig) => void): void {
  if (Reflect.has(globalThis, INSTALLED)) return;
  Object.defineProperty(globalThis, INSTALLED, { value: true });

  const config = threadConfig();
  passOn(config);

  const session = new Session(config.settings);
  const key = { pid: process.pid, threadId };
  const flush = () => {
    if (!session.hasInstances && session.skipped.length === 0) return;
    try {
      writePart(config.parts, key, session);
    } catch (error) {
      complain(`This thread's part of the profile could not be written: ${messageOf(error)}`);
    }
  };

  const isRoot = isMainThread && config.root === process.pid;
  const finishAtExit = once(() =>
    atExit(() => {
      if (isMainThread) lastCall(process.pid, config.parts);
      flush();
      if (isRoot && config.alone) finish(config);
    }),
  );

  // A program without wasm and workers is left alone.
  session.onFirstModule = finishAtExit;
  session.onFirstInstance = () => {
    const program = process.argv[1] ?? process.execPath;
    writeMarker(config.parts, { ...key, startedMs: Date.now(), program });
    if (!isMainThread) answerLastCall(process.pid, flush);
  };
  patchWorkers(REGISTER, finishAtExit);
  patchWebAssembly(session, new Loader(session));
  if (isRoot && config.alone) finishAtExit();
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}

/** Tells the user on standard error, also from a worker that is about to end. */
export function complain(message: string): void {
  try {
    writeSync(2, `wasm-xray: ${message}\n`);
  } catch {
    // Nobody is left to be told.
  }
}
