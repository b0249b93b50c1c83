import { resolve } from 'node:path';

/** How the command line and the environment say which functions to instrument. */
export interface FilterFlags {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly minInstructions?: number;
  /** Path of an attribute list. */
  readonly attrList?: string;
}

/** The same flags for other threads and processes. They read the list themselves, as an environment variable holds little. */
export function portableFlags(flags: FilterFlags): FilterFlags {
  const { include, exclude, minInstructions, attrList } = flags;
  return {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(minInstructions !== undefined && { minInstructions }),
    ...(attrList !== undefined && { attrList: resolve(attrList) }),
  };
}
