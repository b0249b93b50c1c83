// The line of tabs and options below the head.

import { fill, h } from '../dom.js';
import { COLOURINGS, type Colouring, type State, VIEWS, type ViewName } from '../state.js';
import type { Host } from './host.js';
import { processesOf } from './processes.js';

const VIEW_TITLES: Record<ViewName, string> = {
  flame: 'Flame graph',
  callers: 'Inverted',
  table: 'Functions',
  sandwich: 'Sandwich',
};

const COLOUR_TITLES: Record<Colouring, string> = {
  module: 'module',
  kind: 'kind',
  cost: 'cost per call',
  change: 'difference',
};

/** What functions are taken together by, as the toolkit names it. */
const GROUPS = [
  ['', 'function'],
  ['module', 'module'],
  ['crate', 'crate or namespace'],
  ['file', 'source file'],
] as const;

/** Value and text of an option; or options that are together under a name. */
type Choice = readonly [string, string];
type ChoiceGroup = { readonly name: string; readonly options: readonly Choice[] };

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

export class Toolbar {
  readonly element: HTMLElement;
  readonly tabs: readonly HTMLButtonElement[];
  readonly #host: Host;
  readonly #options = h('div', { class: 'xr-options', role: 'group', 'aria-label': 'Options' });

  constructor(host: Host, panel: string) {
    this.#host = host;
    this.tabs = VIEWS.map((view) =>
      h(
        'button',
        {
          type: 'button',
          role: 'tab',
          class: 'xr-tab',
          id: `${panel}-${view}`,
          'aria-controls': panel,
          'data-title': VIEW_TITLES[view],
          onclick: () => host.set({ view }),
        },
        VIEW_TITLES[view],
      ),
    );
    const list = h(
      'div',
      { class: 'xr-tabs', role: 'tablist', 'aria-label': 'Views' },
      ...this.tabs,
    );
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const at = (VIEWS.indexOf(host.state.view) + step + VIEWS.length) % VIEWS.length;
      host.set({ view: VIEWS[at] ?? 'flame' });
      this.tabs[at]?.focus();
      event.preventDefault();
    });
    this.element = h('div', { class: 'xr-toolbar' }, list, this.#options);
  }

  update(): void {
    const { state, shown } = this.#host;
    for (const [at, tab] of this.tabs.entries()) {
      const isOn = VIEWS[at] === state.view;
      tab.setAttribute('aria-selected', String(isOn));
      tab.tabIndex = isOn ? 0 : -1;
    }
    const hasRaw = shown.rows.some(({ raw }) => raw !== undefined);
    // An option that is rebuilt must not lose the focus.
    const focused = (document.activeElement as HTMLElement | null)?.dataset.option;
    fill(
      this.#options,
      shown.unit &&
        this.#choice(
          'Weight',
          'calls',
          [
            ['', shown.unit.column === 'ms' ? 'time' : shown.unit.column],
            ['1', 'calls'],
          ],
          state.calls ? '1' : '',
          (value) => ({ calls: value === '1' }),
        ),
      state.view !== 'table' &&
        this.#choice(
          'Colour',
          'colour',
          COLOURINGS.filter((colour) => colour !== 'change' || shown.compares).map((colour) => [
            colour,
            COLOUR_TITLES[colour],
          ]),
          state.colour,
          (value) => ({ colour: value as Colouring }),
        ),
      hasRaw &&
        this.#choice(
          'Names',
          'raw',
          [
            ['', 'readable'],
            ['1', 'raw'],
          ],
          state.raw ? '1' : '',
          (value) => ({ raw: value === '1' }),
        ),
      this.#choice(
        'Recursion',
        'fold',
        [
          ['', 'shown'],
          ['1', 'collapsed'],
        ],
        state.fold ? '1' : '',
        (value) => ({ fold: value === '1', zoom: [] }),
      ),
      this.#choice('Group by', 'group', GROUPS, state.group, (group) => ({
        group,
        zoom: [],
        row: undefined,
      })),
      this.#threads(),
      this.#phases(),
    );
    if (focused) this.#options.querySelector<HTMLElement>(`[data-option="${focused}"]`)?.focus();
  }

  /** All together, each by itself, those of a process, or one; others only by address. */
  #threads(): HTMLElement | false {
    const { state, shown } = this.#host;
    const threads = distinct(
      shown.profiles.flatMap(({ info }) => info.threads).map(({ name }) => name),
    );
    if (threads.length < 2) return false;
    const isGraph = state.view === 'flame' || state.view === 'callers';
    const single = (name: string, text: string): Choice => [`=${name}`, text.slice(0, 60)];
    const whole = new Map<string, readonly string[]>();
    const processes = processesOf(threads).map(({ name, threads }): ChoiceGroup => {
      const options = threads.map(({ name, own }) => single(name, own));
      if (threads.length === 1) return { name, options };
      whole.set(
        `:${name}`,
        threads.map(({ name }) => name),
      );
      return { name, options: [[`:${name}`, `all of ${name.slice(0, 50)}`], ...options] };
    });
    const isChosen = (names: readonly string[]) => names.join('\n') === state.threads.join('\n');
    const process = [...whole].find(([, names]) => isChosen(names))?.[0];
    const some = process ?? `=${state.threads.join()}`;
    const chosen = state.threads.length > 0 ? some : state.apart ? 'apart' : '';
    const values: (Choice | ChoiceGroup)[] = [
      ['', 'all'],
      ...(isGraph ? [['apart', 'each by itself'] as Choice] : []),
      ...(processes.length > 0 ? processes : threads.map((name) => single(name, name))),
    ];
    return this.#choice('Threads', 'threads', values, chosen, (value) => ({
      apart: value === 'apart',
      threads: whole.get(value) ?? (value.startsWith('=') ? [value.slice(1)] : []),
      zoom: [],
    }));
  }

  #phases(): HTMLElement | false {
    const { state, shown } = this.#host;
    const phases = distinct(
      shown.profiles.flatMap(({ info }) => info.threads).flatMap(({ phase }) => phase ?? []),
    );
    if (phases.length === 0) return false;
    const values = [['', 'all'], ...phases.map((name) => [name, name.slice(0, 60)])] as [
      string,
      string,
    ][];
    return this.#choice('Phase', 'phases', values, state.phases[0] ?? '', (value) => ({
      phases: value === '' ? [] : [value],
      zoom: [],
    }));
  }

  #choice(
    title: string,
    option: string,
    values: readonly (Choice | ChoiceGroup)[],
    value: string,
    change: (value: string) => Partial<State>,
  ): HTMLElement {
    const optionOf = ([value, text]: Choice) => h('option', { value }, text);
    const select: HTMLSelectElement = h(
      'select',
      { 'data-option': option, onchange: () => this.#host.set(change(select.value)) },
      ...values.map((one) =>
        'options' in one
          ? h('optgroup', { label: one.name.slice(0, 60) }, ...one.options.map(optionOf))
          : optionOf(one),
      ),
    );
    select.value = value;
    return h('label', { class: 'xr-choice' }, h('span', {}, title), select);
  }
}
