import { readFileSync } from 'node:fs';
import { type Filter, filterFrom } from '../core/filter.js';
import { checkAttributeList } from '../core/toolkit.js';
import { FileError, messageOf } from '../errors.js';
import '../node/packaged.js';
import type { FilterFlags } from './filter-flags.js';

/**
 * The filter that flags stand for.
 * @throws OptionError, FileError
 */
export function readFilter({ attrList, ...globs }: FilterFlags): Filter {
  if (attrList === undefined) return filterFrom(globs);
  const filter = filterFrom({ ...globs, attributeList: readList(attrList) });
  checkAttributeList(filter, attrList);
  return filter;
}

function readList(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new FileError(
      `The attribute list ${path} cannot be read: ${messageOf(error)}. Give the path of a text file.`,
      { cause: error },
    );
  }
}
