import { writeSync } from 'node:fs';

/** Tells the user on standard error, also from a worker that is about to end. */
export function complain(message: string): void {
  try {
    writeSync(2, `wasm-xray: ${message}\n`);
  } catch {
    // Nobody is left to be told.
  }
}
