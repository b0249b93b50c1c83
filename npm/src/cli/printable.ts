/**
 * A text from a file as it may be printed: control characters, ends of lines and
 * what changes the direction of writing must not reach a terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·');
}
