import { OptionError } from '../errors.js';
import type { SortKey } from '../profile.js';
import { openProfile } from './profile-file.js';
import { summary } from './summary.js';
import { styleOf } from './terminal.js';

export interface ReportCommandOptions {
  readonly by?: SortKey;
  readonly limit?: number;
  readonly json?: boolean;
  readonly paths?: boolean;
  readonly map?: string;
}

/** Rows of a table when the user does not say. */
export const DEFAULT_ROWS = 30;

/**
 * `wasm-xray report`: a table, or with `json` one object with every function.
 * @throws FileError, ProfileError, OptionError
 */
export function report(path: string, options: ReportCommandOptions): string {
  if (options.paths && !options.json) throw new OptionError('--paths needs --json.');
  const profile = openProfile(path, options.map);
  const by = options.by && { by: options.by };
  if (options.json) {
    const limit = options.limit !== undefined && { limit: options.limit };
    return profile.reportText({ ...by, ...limit, paths: options.paths ?? false });
  }
  return summary(profile.report({ ...by }), options.limit ?? DEFAULT_ROWS, styleOf(process.stdout));
}
