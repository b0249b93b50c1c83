import { listParts } from './parts.js';
import { isEnding } from './signal-files.js';

/** How long to wait for processes that may be about to end, in ms: a program ends those that it started as it ends. */
const UNSURE_MS = 500;
/** How long to wait for the parts of processes that are ending for sure, in ms. */
const ENDING_MS = 2000;
/** How often to look, in ms. */
export const POLL_MS = 20;

/**
 * Whether other processes of a run may yet write their parts.
 * @param waitedMs since the run's own process ended
 * @param areEnding it is known that they are, as a signal was sent to all of them
 */
export function morePartsToCome(parts: string, waitedMs: number, areEnding = false): boolean {
  if (waitedMs >= ENDING_MS) return false;
  return listParts(parts).some(
    ({ kind, pid }) =>
      kind !== 'final' &&
      pid !== process.pid &&
      isAlive(pid) &&
      (waitedMs < UNSURE_MS || areEnding || isEnding(parts, pid)),
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
