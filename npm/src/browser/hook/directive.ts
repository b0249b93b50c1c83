/** As much of a script as is looked at for its directives, in characters. */
const HEAD = 4000;

/** Spaces and comments. */
const BLANK = /^(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)+/;

/**
 * Whether a script begins with the directive `use strict`.
 * @param parts what a blob was made of
 * @returns undefined if that cannot be told, or something could not stand in front of the script
 */
export function isStrictScript(parts: unknown): boolean | undefined {
  if (!Array.isArray(parts)) return undefined;
  const end = parts.findIndex((part) => typeof part !== 'string');
  const texts = (end < 0 ? parts : parts.slice(0, end)) as string[];
  let head = '';
  for (const text of texts) head += text.slice(0, HEAD + 1 - head.length);
  const isWhole = end < 0 && head.length <= HEAD;
  const rest = head.replace(BLANK, '');
  // Too little to tell by; a comment that is not closed, in HTML's way or of the first line.
  if ((!isWhole && rest.length < 20) || /^(?:\/\*|<!--|-->|#!)/.test(rest)) return undefined;
  if (!/^['"]/.test(rest)) return false;
  const [, after] = /^(?:'use strict'|"use strict")([\s\S]*)$/.exec(rest) ?? [];
  // What follows may make a string of it, as `+` does; a line that begins with a word does not.
  const isDirective = after !== undefined && /^\s*(?:;|$|[\n\r]\s*(?!in)[a-z{])/i.test(after);
  return isDirective || undefined;
}
