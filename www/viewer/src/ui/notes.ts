// What the figures leave out: never hidden, whatever is shown.

import { fill, h } from '../dom.js';
import { count, grouped } from '../format.js';
import type { OpenProfile, Shown } from '../profiles.js';

/** Lines of one kind; `report --json` has all. */
const MAX_LINES = 200;

export class Notes {
  readonly element = h('details', { class: 'xr-notes' });

  update(shown: Shown): void {
    const selected = shown.profiles.map((profile, at) => ({
      ...profile,
      info: shown.infos[at] ?? profile.info,
    }));
    // A file of another tool has names without a map.
    const isNameless = shown.rows.some(({ kind }) => kind === 'unknown');
    const lines = [
      ...shown.notes,
      ...selected.flatMap((profile) => linesOf(profile, isNameless, shown.compares)),
    ];
    const summary = selected.flatMap((profile) => summaryOf(profile, isNameless));
    if (shown.compares) summary.unshift('What a comparison can say');
    this.element.hidden = lines.length === 0;
    fill(
      this.element,
      h(
        'summary',
        {},
        h('span', { class: 'xr-badge', 'aria-hidden': 'true' }, '!'),
        [...new Set(summary)].join(' · '),
      ),
      h('ul', {}, ...lines.slice(0, MAX_LINES).map((line) => h('li', { class: 'xr-wrap' }, line))),
      lines.length > MAX_LINES &&
        h(
          'p',
          {},
          `and ${grouped(lines.length - MAX_LINES)} more: wasm-xray report --json lists all.`,
        ),
    );
  }
}

function summaryOf({ info, hasMap }: OpenProfile, isNameless: boolean): string[] {
  const { dropped, skipped, unseen, warnings } = info;
  return [
    isNameless && !hasMap && 'no names',
    dropped.calls > 0 && `${count(dropped.calls, 'call')} without a path`,
    dropped.calls === 0 && dropped.paths > 0 && `${count(dropped.paths, 'path')} dropped`,
    skipped.length > 0 && `${grouped(skipped.length)} not instrumented`,
    unseen.length > 0 && `${grouped(unseen.length)} not seen`,
    info.sampling && `${count(info.sampling.samples, 'sample')}`,
    !info.sampling && info.clockStepNs !== undefined && `clock step ${info.clockStepNs / 1000} µs`,
    warnings.length > 0 && count(warnings.length, 'warning'),
  ].filter((line) => typeof line === 'string');
}

/** What a reader must know of times that come from samples. */
function samplesOf(
  { samples, perSecond, maxErrorPoints }: NonNullable<OpenProfile['info']['sampling']>,
  guessBelowNs: number,
): string {
  if (samples === 0) return 'No sample was taken while WebAssembly ran, so no time is known.';
  return `Calls are exact, times are estimates from ${count(samples, 'sample')}, ${grouped(perSecond)} a second: with 95 % probability a share of the time is off by ${maxErrorPoints ?? 100} points at most, and a self time below ${(guessBelowNs / 1e6).toFixed(3)} ms (~) is no more than a guess.`;
}

function linesOf(
  { name, info, hasMap }: OpenProfile,
  isNameless: boolean,
  compares: boolean,
): string[] {
  const of = compares ? `${name}: ` : '';
  const lines: string[] = [];
  if (isNameless && !hasMap) {
    lines.push(
      `${of}There is no map, so functions have numbers for names. Open the .map.json file of the same name together with the profile.`,
    );
  }
  const { paths, calls } = info.dropped;
  if (paths > 0 || calls > 0) {
    lines.push(
      `${of}The arena was full: ${count(paths, 'new path')} could not be recorded and ${count(calls, 'call')} have no path; counts of functions are exact. Record with a larger --arena.`,
    );
  }
  if (info.sampling) {
    lines.push(of + samplesOf(info.sampling, info.clockStepNs ?? 0));
  } else if (info.clockStepNs) {
    lines.push(
      `${of}The clock's step is ${info.clockStepNs / 1000} µs: a self time below it (~) is no more than a guess.`,
    );
  }
  for (const { module, index, name, reason } of info.skipped) {
    const what = index === null ? `module ${module}` : `${name ?? `func[${index}]`} (${module})`;
    lines.push(`${of}Not instrumented: ${what}: ${reason}`);
  }
  lines.push(...info.unseen.map((sentence) => `${of}Not seen: ${sentence}`));
  lines.push(...info.warnings.map(({ module, warning }) => `${of}${module}: ${warning}`));
  return lines;
}
