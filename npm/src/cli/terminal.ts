import type { WriteStream } from 'node:tty';

/** Columns of output that goes nowhere in particular. */
const DEFAULT_COLUMNS = 120;

/** How output is drawn on one stream. */
export interface Style {
  readonly columns: number;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Colours only on a terminal; `NO_COLOR` and `FORCE_COLOR` decide otherwise. */
export function styleOf(stream: NodeJS.WriteStream): Style {
  const { COLUMNS, FORCE_COLOR, NO_COLOR, TERM } = process.env;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0';
  const colours = !NO_COLOR && (forced || (stream.isTTY && TERM !== 'dumb'));
  const paint = (open: number, close: number) => (text: string) =>
    colours ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    columns: (stream as WriteStream).columns ?? (Number(COLUMNS) || DEFAULT_COLUMNS),
    bold: paint(1, 22),
    dim: paint(2, 22),
    yellow: paint(33, 39),
  };
}

/** `12,345,678` */
export function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** `3 functions`, `1 function` */
export function count(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Cuts a text in its middle, where names differ least from each other. */
export function shorten(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const head = Math.ceil((width - 1) / 2);
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (width - 1 - head)).join('')}`;
}
