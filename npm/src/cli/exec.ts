import { basename } from 'node:path';
import type { Ending } from './launch.js';
import { type ProfileOptions, runProfiled } from './profiled.js';

/**
 * `wasm-xray exec`: profiles every Node process that a command starts.
 * @returns how the command ended
 * @throws FileError, OptionError if it is not started
 */
export function exec(
  file: string,
  args: readonly string[],
  options: ProfileOptions,
): Promise<Ending> {
  const defaultOut = `${basename(file)}.xray`;
  return runProfiled({ file, args, isNode: false, defaultOut }, options);
}
