import { messageOf, OptionError, ProfileError } from '../errors.js';
import type { ConvertFormat } from '../profile.js';
import { openProfile } from './profile-file.js';

const BINARY: readonly ConvertFormat[] = ['xray', 'pprof'];

export interface ConvertOptions {
  readonly format: ConvertFormat;
  readonly output?: string;
  readonly map?: string;
}

/**
 * `wasm-xray convert`
 * @throws FileError, ProfileError, OptionError
 */
export function convert(path: string, options: ConvertOptions): Uint8Array {
  if (options.output === undefined && BINARY.includes(options.format) && process.stdout.isTTY) {
    throw new OptionError(`The format ${options.format} is binary. Name a file for it with -o.`);
  }
  const profile = openProfile(path, options.map);
  try {
    return profile.convert(options.format);
  } catch (error) {
    throw new ProfileError(`${path} cannot be written as ${options.format}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
