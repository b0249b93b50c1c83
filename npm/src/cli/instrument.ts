import { basename, extname } from 'node:path';
import { probeKind } from '../core/features.js';
import { describeUnmatched } from '../core/filter.js';
import { type Clock, type ProbeKind, settingsFrom } from '../core/options.js';
import { hasProbes, type ModuleMap } from '../core/section.js';
import { instrumentBytes, type InstrumentOptions as RewriteOptions } from '../core/toolkit.js';
import { ModuleError, messageOf } from '../errors.js';
import { readFilter } from '../hook/filter.js';
import type { FilterFlags } from '../hook/filter-flags.js';
import { checkOutput, readInput, writeOutput } from './files.js';
import { count } from './terminal.js';

export interface InstrumentOptions extends FilterFlags {
  readonly output: string;
  readonly map?: string;
  readonly offsets?: string;
  readonly clock?: Clock;
  readonly probes?: ProbeKind;
}

/**
 * `wasm-xray instrument`
 * @returns what was done, in sentences
 * @throws FileError, ModuleError
 */
export function instrument(path: string, options: InstrumentOptions): string {
  const settings = settingsFrom(options);
  const filter = readFilter(options);
  checkOutput(options.output);
  for (const output of [options.map, options.offsets]) {
    if (output !== undefined) checkOutput(output);
  }
  const original = readInput(path, 'WebAssembly module');
  if (hasProbes(original)) {
    throw new ModuleError(
      `${path} is instrumented already. Give the module that it was made from.`,
    );
  }
  const kind = probeKind(settings);
  const moduleName = basename(path, extname(path));
  const { clock } = settings;
  const { bytes, map, offsets } = rewrite(path, original, {
    probes: kind,
    clock,
    filter,
    moduleName,
    offsets: options.offsets !== undefined,
  });
  writeOutput(options.output, bytes);
  if (map === '') return `${path} has no functions of its own; ${options.output} is a copy.`;
  if (options.map !== undefined) writeOutput(options.map, map);
  if (options.offsets !== undefined) writeOutput(options.offsets, offsets);
  const growth = Math.round((100 * (bytes.length - original.length)) / original.length);
  const said = [
    `Wrote ${options.output} with ${kind} probes, ${growth} % larger. It needs the loader of wasm-xray.`,
  ];
  const { left_out, unmatched } = JSON.parse(map) as ModuleMap;
  if (left_out) said.push(`Left out by choice: ${count(left_out, 'function')}.`);
  return [...said, ...(unmatched ?? []).map(describeUnmatched)].join('\n');
}

function rewrite(
  path: string,
  original: Uint8Array,
  options: RewriteOptions,
): ReturnType<typeof instrumentBytes> {
  try {
    return instrumentBytes(original, { ...options, validate: true });
  } catch (error) {
    if (!(error instanceof ModuleError)) throw error;
    throw new ModuleError(`${path} cannot be instrumented: ${explain(messageOf(error))}`, {
      cause: error,
    });
  }
}

/** What is wrong with the bytes, and what to do. */
function explain(message: string): string {
  if (message.includes('component')) return `${message}.`;
  if (/unexpected end|cut short|out of bounds/.test(message)) {
    return `${message}. It seems to be cut short; get the whole file.`;
  }
  return `${message}. Give a core WebAssembly module in the binary format.`;
}
