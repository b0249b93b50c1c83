import childProcess, { type ChildProcess } from 'node:child_process';
import timers from 'node:timers';
import { replaceFunction } from './patch.js';
import { isFatal } from './signal-files.js';

/** How long a child that a signal should end may take to start with it, in ms. */
const GRACE_MS = 2000;

// Taken now: a program may put fake timers in its place.
const { setTimeout } = timers;

/**
 * Makes sure that a child dies that this process ends by a signal, as a test
 * runner does with a test that takes too long. The hook in the child keeps the
 * signal from ending code that does not return to the event loop.
 * @param parts directory of the parts
 */
export function endStuckChildren(parts: string): void {
  replaceFunction(childProcess.ChildProcess.prototype, 'kill', (args, native, self) => {
    const result = native(args);
    const child = self as ChildProcess;
    const [signal = 'SIGTERM'] = args;
    setTimeout(() => {
      const runs = child.exitCode === null && child.signalCode === null;
      if (runs && isFatal(parts, child.pid ?? 0, String(signal))) child.kill('SIGKILL');
    }, GRACE_MS).unref();
    return result;
  });
}
