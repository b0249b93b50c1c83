import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { nowMs } from '../core/natives.js';
import type { InstrumentOptions, InstrumentResult } from '../core/toolkit.js';

type Rewrite = (bytes: Uint8Array, options: InstrumentOptions) => InstrumentResult;

/** Smaller modules take less than a second, in bytes. */
const LARGE_BYTES = 16 * 1024 * 1024;
const STDERR = 2;

/** The same as `rewrite`, which tells whoever sits at a terminal what a large module waits for. */
export function withProgress(rewrite: Rewrite): Rewrite {
  return (bytes, options) => {
    if (bytes.length < LARGE_BYTES || !isatty(STDERR)) return rewrite(bytes, options);
    const name = options.moduleName ?? 'a module';
    tell(`wasm-xray: instrumenting ${name} (${Math.round(bytes.length / 1e6)} MB) …`);
    const startedMs = nowMs();
    try {
      return rewrite(bytes, options);
    } finally {
      tell(` ${((nowMs() - startedMs) / 1000).toFixed(1)} s\n`);
    }
  };
}

function tell(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // Nobody is left to be told.
  }
}
