import { basename } from 'node:path';
import { messageOf, ProfileError } from '../errors.js';
import { Profile } from '../profile.js';
import { openProfile } from './profile-file.js';
import { transformed } from './transform.js';

export interface DiffCommandOptions {
  readonly json?: boolean;
  readonly limit?: number;
  /** In percent. */
  readonly failAbove?: number;
  /** More runs of each side. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly subtractProbeCost?: boolean;
  /** Where to write the page. */
  readonly html?: string;
}

export interface DiffResult {
  readonly report: string;
  /** Undefined if it was not asked for. */
  readonly page: string | undefined;
  /** More growth than the user allows. */
  readonly failed: boolean;
}

/** Exit code for growth above `--fail-above`. */
export const GREW = 3;

/**
 * `wasm-xray diff`
 * @throws FileError, ProfileError
 */
export function diff(before: string, after: string, options: DiffCommandOptions): DiffResult {
  const { subtractProbeCost } = options;
  const open = (path: string) => transformed(openProfile(path, undefined), { subtractProbeCost });
  const first = [before, ...(options.before ?? [])].map(open);
  const second = [after, ...(options.after ?? [])].map(open);
  const limit = options.limit !== undefined && { limit: options.limit };
  try {
    const changes = Profile.diffRuns(first, second);
    const title = `${basename(before)} → ${basename(after)}`;
    return {
      report: options.json ? changes.json({ ...limit }) : changes.text({ ...limit }),
      page: options.html === undefined ? undefined : changes.html(title, { ...limit }),
      failed: options.failAbove !== undefined && changes.grewAbove(options.failAbove),
    };
  } catch (error) {
    throw new ProfileError(`${before} and ${after} cannot be compared: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
