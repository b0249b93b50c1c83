import { describeUnmatched } from '../core/filter.js';
import type { RunSymbols } from '../hook/symbols.js';
import type { Report, SkippedEntry } from '../profile.js';
import { printable } from './printable.js';
import { functionTable, isGuess } from './table.js';
import { count, grouped, type Style, shorten } from './terminal.js';

/** Lines of a list before it is cut. */
const MAX_LINES = 8;
/** Characters of a name in a sentence. */
const MAX_NAME = 80;

/**
 * A report for people: the table, then everything that it does not show.
 * @param limit rows at most
 */
export function summary(report: Report, limit: number, style: Style): string {
  const rows = report.functions.slice(0, limit);
  const lines =
    rows.length > 0 ? [functionTable(report, rows, style)] : ['No function was called.'];
  const rest = report.functions.length - rows.length;
  if (rest > 0) lines.push(style.dim(`… and ${count(rest, 'more function')} (--limit)`));
  if (report.sampling) {
    lines.push(style.dim(samplingLine(report.sampling, report.clockStepNs ?? 0)));
  } else if (rows.some((row) => isGuess(report, row))) {
    const step = `${(report.clockStepNs ?? 0) / 1000} µs`;
    lines.push(
      style.dim(`~ A self time below the clock's step of ${step} is no more than a guess.`),
    );
  }
  if (report.unit === 'none')
    lines.push(
      style.dim(
        'Calls only. What a call costs: --clock instructions (exact), --clock sampled (time, estimated), --clock wall (time).',
      ),
    );
  return [...lines, ...notes(report, style)].join('\n');
}

/** What the samples say, and what they do not. */
function samplingLine(
  { samples, perSecond }: NonNullable<Report['sampling']>,
  guessBelowNs: number,
): string {
  if (samples === 0) return 'No sample was taken while WebAssembly ran, so no time is known.';
  return `Times are estimates from ${count(samples, 'sample')}, ${grouped(perSecond)} a second: self is off by no more than its ± with 95 % probability; below ${(guessBelowNs / 1e6).toFixed(3)} ms (~) it is no more than a guess.`;
}

/** What debug information gave, and what it took. */
export function symbolLines(symbols: RunSymbols | undefined, style: Style): string[] {
  if (!symbols) return [];
  const { placed, ms, notes } = symbols;
  const seconds = `${(ms / 1000).toFixed(1)} s; --no-symbols leaves it out`;
  return [
    style.dim(`Debug information gave file and line of ${count(placed, 'function')} (${seconds}).`),
    ...cut(notes.map(printable)).map(style.yellow),
  ];
}

/** What the counts leave out. */
export function notes(report: Report, style: Style): string[] {
  const { paths, calls } = report.dropped;
  const lines: string[] = [];
  if (calls > 0 || paths > 0) {
    lines.push(
      style.yellow(
        `The arena was full: the paths of ${count(calls, 'call')} are unknown (${grouped(paths)} refused); counts per function are exact. Give more room with --arena.`,
      ),
    );
  }
  if (report.leftOut) {
    lines.push(
      style.dim(
        `Left out by choice: ${count(report.leftOut, 'function')}; what they call hangs under their callers.`,
      ),
    );
  }
  const add = (texts: string[]) => lines.push(...cut(texts.map(printable)).map(style.yellow));
  add((report.unmatched ?? []).map(describeUnmatched));
  add(skippedLines(report.skipped));
  add(report.warnings.map(({ module, warning }) => `In ${shorten(module, MAX_NAME)}: ${warning}`));
  add(report.unseen.map((sentence) => `Not seen: ${sentence}`));
  return lines;
}

/** One line for each reason, with the first names that it is true of. */
function skippedLines(skipped: readonly SkippedEntry[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const entry of skipped) {
    const names = byReason.get(entry.reason) ?? [];
    names.push(skippedName(entry));
    byReason.set(entry.reason, names);
  }
  const lines = [...byReason].map(([reason, names]) => {
    const first = names.slice(0, 3).join(', ');
    const more = names.length > 3 ? ` and ${grouped(names.length - 3)} more` : '';
    return `Not instrumented: ${first}${more}. ${reason}`;
  });
  return lines;
}

function skippedName({ module, index, name }: SkippedEntry): string {
  const of = shorten(module, MAX_NAME);
  if (index === null) return `module ${of}`;
  return `${shorten(name ?? `func[${index}]`, MAX_NAME)} of ${of}`;
}

function cut(lines: string[]): string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [
    ...lines.slice(0, MAX_LINES),
    `… and ${grouped(lines.length - MAX_LINES)} more such lines; see report --json`,
  ];
}
