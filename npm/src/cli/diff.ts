import { messageOf, ProfileError } from '../errors.js';
import { openProfile } from './profile-file.js';

export interface DiffCommandOptions {
  readonly json?: boolean;
  readonly limit?: number;
  /** In percent. */
  readonly failAbove?: number;
}

export interface DiffResult {
  readonly report: string;
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
  const [first, second] = [openProfile(before, undefined), openProfile(after, undefined)];
  const limit = options.limit !== undefined && { limit: options.limit };
  try {
    const changes = first.diff(second);
    return {
      report: options.json ? changes.json({ ...limit }) : changes.text({ ...limit }),
      failed: options.failAbove !== undefined && changes.grewAbove(options.failAbove),
    };
  } catch (error) {
    throw new ProfileError(`${before} and ${after} cannot be compared: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
