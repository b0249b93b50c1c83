// Figures for people. Counts are exact; times have the unit that suits them.

/** 1234567n → `1,234,567`. */
export function grouped(value: bigint | number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A difference with its sign. */
export function signed(value: bigint, format: (value: bigint) => string): string {
  if (value === 0n) return '0';
  return value > 0n ? `+${format(value)}` : `\u2212${format(-value)}`;
}

/** 1234567n ns → `1.235 ms`. */
export function duration(ns: bigint): string {
  for (const [unit, size] of [
    ['s', 1_000_000_000n],
    ['ms', 1_000_000n],
    ['µs', 1_000n],
  ] as const) {
    if (ns >= size) return `${decimals(ns, size)} ${unit}`;
  }
  return `${grouped(ns)} ns`;
}

/** `value / size` with three decimals, half up, without floating point. */
function decimals(value: bigint, size: bigint): string {
  const thousandths = (value * 1000n + size / 2n) / size;
  return `${grouped(thousandths / 1000n)}.${String(thousandths % 1000n).padStart(3, '0')}`;
}

/** 1234567n ns → `1.235`, for a column in ms. */
export function milliseconds(ns: bigint): string {
  return decimals(ns, 1_000_000n);
}

/** Share of the whole: `12.3 %`. */
export function percent(part: bigint, whole: bigint): string {
  if (whole === 0n) return '';
  const tenths = (part * 2000n + whole) / (whole * 2n);
  if (tenths === 0n && part > 0n) return '< 0.1 %';
  return `${tenths / 10n}.${tenths % 10n} %`;
}

/** What costs are measured in. */
export interface Unit {
  /** For the head of a column; empty where it says nothing. */
  readonly column: string;
  /** In a column. */
  readonly cell: (value: bigint) => string;
  /** In a text, with its unit. */
  readonly text: (value: bigint) => string;
  /** In full, with the unit: for who wants it exact. */
  readonly exact: (value: bigint) => string;
}

/** The unit of a report's costs; none if only calls were counted. */
export function unitOf(name: string): Unit | undefined {
  switch (name) {
    case 'none':
      return undefined;
    case 'ns':
      return {
        column: 'ms',
        cell: milliseconds,
        text: duration,
        exact: (ns) => `${grouped(ns)} ns`,
      };
    default: {
      const text = (value: bigint) => `${grouped(value)} ${name}`;
      return { column: name, cell: grouped, text, exact: text };
    }
  }
}

/** `1 function`, `2 functions`. */
export function count(value: bigint | number, what: string): string {
  return `${grouped(value)} ${what}${BigInt(value) === 1n ? '' : 's'}`;
}

/** Cut in the middle to at most so many characters: the ends tell names apart. */
export function shorten(name: string, characters: number): string {
  if (name.length <= characters) return name;
  if (characters < 4) return name.slice(0, characters);
  const head = Math.floor((characters - 1) * 0.35);
  return `${name.slice(0, head)}…${name.slice(head + 1 - characters)}`;
}
