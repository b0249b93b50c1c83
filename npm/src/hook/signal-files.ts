import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GuardedSignal } from './signals.js';

// Files in the directory of the parts by which a process tells the command line
// about signals. None of these functions throws: the program goes first.

const fatalPath = (directory: string, pid: number) => join(directory, `${pid}.fatal`);
const endingPath = (directory: string, pid: number) => join(directory, `${pid}.ending`);
const receivedPath = (directory: string, pid: number, signal: string) =>
  join(directory, `${pid}.${signal}`);

/** Says which signals would end this process if it got back to its event loop; none: it is ending. */
export function writeFatal(directory: string, signals: readonly GuardedSignal[]): void {
  attempt(() => {
    if (signals.length > 0) writeFileSync(fatalPath(directory, process.pid), signals.join(' '));
    else renameSync(fatalPath(directory, process.pid), endingPath(directory, process.pid));
  });
}

/** Whether a process should have been ended by a signal, and does not even start to end. */
export function isFatal(directory: string, pid: number, signal: string): boolean {
  const path = fatalPath(directory, pid);
  return (
    attempt(() => existsSync(path) && readFileSync(path, 'utf8').split(' ').includes(signal)) ??
    false
  );
}

/** Whether a process that signals would have ended says that it is ending. */
export function isEnding(directory: string, pid: number): boolean {
  return attempt(() => existsSync(endingPath(directory, pid))) ?? false;
}

/** Says that this process handles a signal that it just got. */
export function writeReceived(directory: string, signal: GuardedSignal): void {
  attempt(() => writeFileSync(receivedPath(directory, process.pid, signal), ''));
}

/**
 * When a process last handled a signal.
 * @returns milliseconds since 1970; 0: never
 */
export function receivedMs(directory: string, pid: number, signal: string): number {
  const path = receivedPath(directory, pid, signal);
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.mtimeMs) ?? 0;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined; // The directory is gone: nobody waits for the profile any more.
  }
}
