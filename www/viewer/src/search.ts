// Which functions a query finds.

import type { Row } from './profiles.js';

export interface Matches {
  readonly query: string;
  /** 1 for each row that is found. */
  readonly rows: Uint8Array;
  readonly functions: number;
  /** The query is a regular expression that is none. */
  readonly error?: string;
}

/**
 * Functions whose name, raw or shown, has the query in it, whatever the case; between
 * slashes it is a regular expression.
 */
export function search(rows: readonly Row[], query: string): Matches | undefined {
  if (query === '') return undefined;
  const found = new Uint8Array(rows.length);
  let functions = 0;
  let matches: (name: string) => boolean;
  try {
    matches = matcher(query);
  } catch {
    return { query, rows: found, functions, error: 'not a regular expression' };
  }
  for (const [at, { name, raw }] of rows.entries()) {
    if (!matches(name) && !(raw !== undefined && matches(raw))) continue;
    found[at] = 1;
    functions++;
  }
  return { query, rows: found, functions };
}

function matcher(query: string): (name: string) => boolean {
  if (query.length > 2 && query.startsWith('/') && query.endsWith('/')) {
    const pattern = new RegExp(query.slice(1, -1), 'iu');
    return (name) => pattern.test(name);
  }
  const wanted = query.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}
