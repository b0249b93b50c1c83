// The head of the page: which profiles, search, save, theme, help.

import { fill, h } from '../dom.js';
import { count } from '../format.js';
import type { OpenProfile } from '../profiles.js';
import { THEMES } from '../state.js';
import type { Host } from './host.js';
import { Menu, type MenuItem } from './menu.js';

const THEME_TITLES = { auto: 'as the system', light: 'light', dark: 'dark' };
const THEME_SIGNS = { auto: '◐', light: '☀', dark: '☾' };

export class Head {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  readonly #host: Host;
  readonly #profiles = h('div', { class: 'xr-profiles' });
  readonly #count = h('output', { class: 'xr-count' });
  readonly #theme: HTMLButtonElement;

  constructor(host: Host, saveItems: () => readonly MenuItem[], openHelp: () => void) {
    this.#host = host;
    this.search = h('input', {
      type: 'search',
      placeholder: 'Search functions',
      'aria-label': 'Search functions',
      spellcheck: false,
      autocomplete: 'off',
      oninput: () => host.set({ query: this.search.value }),
    });
    this.#theme = h('button', {
      type: 'button',
      class: 'xr-icon',
      onclick: () => this.nextTheme(),
    });
    this.element = h(
      'header',
      { class: 'xr-head' },
      h('span', { class: 'xr-brand' }, 'wasm-xray'),
      this.#profiles,
      h('div', { class: 'xr-search' }, this.search, this.#count),
      new Menu('Save', saveItems).element,
      this.#theme,
      h(
        'button',
        {
          type: 'button',
          class: 'xr-icon',
          'aria-label': 'Keys',
          title: 'Keys (?)',
          onclick: openHelp,
        },
        '?',
      ),
    );
  }

  nextTheme(): void {
    const { theme } = this.#host.state;
    this.#host.set({ theme: THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto' });
  }

  update(profiles: readonly OpenProfile[], found: string): void {
    const { state, matches } = this.#host;
    if (this.search.value !== state.query) this.search.value = state.query;
    this.#count.textContent = matches
      ? (matches.error ?? `${count(matches.functions, 'function')}${found && ` · ${found}`}`)
      : '';
    this.search.setAttribute('aria-invalid', String(matches?.error !== undefined));
    this.#theme.textContent = THEME_SIGNS[state.theme];
    this.#theme.setAttribute('aria-label', `Colours: ${THEME_TITLES[state.theme]}`);
    this.#theme.title = `Colours: ${THEME_TITLES[state.theme]} (t)`;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.option;
    fill(
      this.#profiles,
      profiles.length > 1
        ? this.#choose('Profile', 'profile', profiles, state.profile, false)
        : h(
            'span',
            { class: 'xr-profile-name', title: profiles[0]?.name ?? '' },
            profiles[0]?.name ?? '',
          ),
      profiles.length > 1 && this.#choose('compared with', 'before', profiles, state.before, true),
    );
    if (focused) this.#profiles.querySelector<HTMLElement>(`[data-option="${focused}"]`)?.focus();
  }

  #choose(
    title: string,
    option: 'profile' | 'before',
    profiles: readonly OpenProfile[],
    value: number | undefined,
    optional: boolean,
  ): HTMLElement {
    const select: HTMLSelectElement = h(
      'select',
      {
        'data-option': option,
        onchange: () => {
          const chosen = select.value === '' ? undefined : Number(select.value);
          this.#host.set({ [option]: chosen, zoom: [], row: undefined });
        },
      },
      optional && h('option', { value: '' }, 'none'),
      ...profiles.map(({ name }, at) => h('option', { value: String(at) }, name.slice(0, 80))),
    );
    select.value = value === undefined ? '' : String(value);
    return h('label', { class: 'xr-choice' }, h('span', {}, title), select);
  }
}
