import { OptionError } from '../errors.js';
import type { SortKey } from '../profile.js';
import { openProfile } from './profile-file.js';
import { summary } from './summary.js';
import { threadTable } from './table.js';
import { styleOf } from './terminal.js';
import { type TransformCommandOptions, transformed } from './transform.js';

export interface ReportCommandOptions extends TransformCommandOptions {
  readonly by?: SortKey;
  readonly limit?: number;
  readonly json?: boolean;
  readonly paths?: boolean;
  readonly tree?: boolean;
  readonly callers?: string;
  readonly callees?: string;
  readonly map?: string;
}

/** Rows of a table when the user does not say. */
export const DEFAULT_ROWS = 30;

/**
 * `wasm-xray report`: tables, or with `json` one object with every function.
 * @throws FileError, ProfileError, OptionError
 */
export function report(path: string, options: ReportCommandOptions): string {
  const { by, limit, json, paths, tree, callers, callees } = options;
  if (paths && !json) throw new OptionError('--paths needs --json.');
  if (options.invert && !tree && !json) {
    throw new OptionError('--invert needs --tree: functions are the same in either direction.');
  }
  const profile = transformed(openProfile(path, options.map), options);
  const wanted = defined({ by, limit, tree, callers, callees });
  if (json) return profile.reportText({ ...wanted, paths: paths ?? false });
  if (tree || callers !== undefined || callees !== undefined || by === 'average') {
    return profile.tables({ ...wanted, ...columnsOf(process.stdout) });
  }
  const style = styleOf(process.stdout);
  const all = profile.report(defined({ by }));
  const rows = all.functions.slice(0, limit ?? DEFAULT_ROWS);
  const threads = threadTable(profile, all, rows, style);
  const text = summary(all, limit ?? DEFAULT_ROWS, style);
  return threads === '' ? text : `${text}\n\n${threads}`;
}

/** Without the options that were not given. */
function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** A terminal's width; elsewhere lines are as long as they are. */
function columnsOf(stream: NodeJS.WriteStream): { columns?: number } {
  const { COLUMNS } = process.env;
  const columns = stream.isTTY ? stream.columns : Number(COLUMNS);
  return columns > 0 ? { columns } : {};
}
