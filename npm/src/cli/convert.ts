import { basename } from 'node:path';
import { messageOf, OptionError, ProfileError } from '../errors.js';
import { CONVERT_FORMATS, type ConvertFormat } from '../profile.js';
import { viewerPage } from '../view/page.js';
import { openProfile } from './profile-file.js';
import { type TransformCommandOptions, transformed } from './transform.js';

/** The formats of profiles, and the viewer with the profile in it. */
export const OUTPUT_FORMATS = [...CONVERT_FORMATS, 'html'] as const;
export type OutputFormat = ConvertFormat | 'html';

const BINARY: readonly OutputFormat[] = ['xray', 'pprof'];

export interface ConvertOptions extends TransformCommandOptions {
  readonly format: OutputFormat;
  readonly output?: string;
  readonly map?: string;
}

/**
 * `wasm-xray convert`
 * @throws FileError, ProfileError, OptionError, InstallationError
 */
export async function convert(path: string, options: ConvertOptions): Promise<Uint8Array> {
  if (options.output === undefined && BINARY.includes(options.format) && process.stdout.isTTY) {
    throw new OptionError(`The format ${options.format} is binary. Name a file for it with -o.`);
  }
  const profile = transformed(openProfile(path, options.map), options);
  try {
    if (options.format === 'html') return await viewerPage(basename(path), profile);
    return profile.convert(options.format);
  } catch (error) {
    throw new ProfileError(`${path} cannot be written as ${options.format}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
