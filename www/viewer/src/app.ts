// The viewer: what is open, what is shown, and who is told when it changes.

import { fill, h, messageOf, painted } from './dom.js';
import { type FlameColumns, isRow } from './flame/columns.js';
import { percent } from './format.js';
import { type OpenProfile, openProfile, type ProfileInput, Shown } from './profiles.js';
import { type Matches, search } from './search.js';
import { fromHash, type State, toHash, VIEWS } from './state.js';
import { GraphPage } from './ui/graph-page.js';
import { Head } from './ui/head.js';
import { makeHelp } from './ui/help.js';
import type { Host } from './ui/host.js';
import type { MenuItem } from './ui/menu.js';
import { Notes } from './ui/notes.js';
import { SandwichPage } from './ui/sandwich-page.js';
import { SAVE_FORMATS, saveAs, savePage, savePicture, saveProfile } from './ui/save.js';
import { TablePage } from './ui/table-page.js';
import { Toolbar } from './ui/toolbar.js';

let panels = 0;

/** Makes a page that works from disk, with these profiles in it. */
export type PageMaker = (profiles: readonly OpenProfile[]) => Promise<string>;

export class App implements Host {
  state: State = fromHash(location.hash);
  matches: Matches | undefined;
  readonly #root: HTMLElement;
  readonly #element = h('div', { class: 'xr' });
  readonly #main: HTMLElement;
  readonly #status = h('div', { class: 'xr-status', role: 'status' });
  readonly #alertText = h('span', { class: 'xr-wrap' });
  readonly #alert = h(
    'div',
    { class: 'xr-alert', role: 'alert', hidden: true },
    this.#alertText,
    h('button', { type: 'button', onclick: () => this.#warn('') }, 'Dismiss'),
  );
  readonly #help = makeHelp();
  readonly #notes = new Notes();
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  readonly #makePage: PageMaker | undefined;
  readonly #listening = new AbortController();
  #profiles: OpenProfile[] = [];
  #shown: Shown | undefined;
  #shownKey = '';
  /** How often other profiles were opened; part of what identifies a view. */
  #generation = 0;
  #head: Head;
  #toolbar: Toolbar;
  #graph: GraphPage;
  #table: TablePage;
  #sandwich: SandwichPage;
  /** Of what is asked of the app one after the other, the last. */
  #update = 0;

  constructor(root: HTMLElement, makePage?: PageMaker) {
    this.#root = root;
    this.#makePage = makePage;
    const panel = `xr-panel-${++panels}`;
    this.#main = h('main', { class: 'xr-main', id: panel, role: 'tabpanel' });
    this.#head = new Head(
      this,
      () => this.#saveItems(),
      () => this.#help.showModal(),
    );
    this.#toolbar = new Toolbar(this, panel);
    this.#graph = new GraphPage(this);
    this.#table = new TablePage(this);
    this.#sandwich = new SandwichPage(this);
    fill(
      this.#element,
      this.#head.element,
      this.#toolbar.element,
      this.#alert,
      this.#notes.element,
      this.#main,
      this.#status,
      this.#help,
    );
    fill(root, this.#element);
    const { signal } = this.#listening;
    this.#applyTheme();
    this.#dark.addEventListener('change', () => this.#refresh(), { signal });
    addEventListener('hashchange', () => this.#fromAddress(), { signal });
    document.addEventListener('keydown', (event) => this.#onKey(event), { signal });
  }

  get shown(): Shown {
    if (!this.#shown) throw new Error('nothing is shown yet');
    return this.#shown;
  }

  get dark(): boolean {
    const { theme } = this.state;
    return theme === 'dark' || (theme === 'auto' && this.#dark.matches);
  }

  /**
   * Replaces what is open.
   * @throws Error if one cannot be read: it is said, and what was shown stays
   */
  async setProfiles(inputs: readonly ProfileInput[]): Promise<void> {
    if (inputs.length === 0) {
      // There is something to see even when there is nothing to show.
      if (this.#profiles.length === 0) {
        fill(this.#main, h('p', { class: 'xr-empty' }, 'No profile is open.'));
      }
      return;
    }
    const opened: OpenProfile[] = [];
    try {
      for (const input of inputs) {
        await this.#busy(`Reading ${input.name} …`);
        opened.push(openProfile(input));
      }
    } catch (error) {
      for (const { raw } of opened) raw.free();
      this.fail(messageOf(error));
      throw error;
    }
    const old = this.#profiles;
    this.#profiles = opened;
    this.#generation++;
    this.#warn('');
    await this.#refresh();
    for (const { raw } of old) raw.free();
  }

  progress(what: string, part?: number): void {
    this.#element.classList.add('xr-busy');
    this.say(part === undefined ? what : `${what} ${Math.floor(part * 100)} %`);
  }

  fail(message: string): void {
    this.#element.classList.remove('xr-busy');
    this.say('');
    this.#warn(message);
  }

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    const hash = toHash(this.state);
    // Steps that one may want to go back over get an entry in the history.
    const isStep = ['view', 'profile', 'before', 'row', 'zoom'].some((key) => key in change);
    const url = hash === '' ? location.pathname + location.search : `#${hash}`;
    if (`#${hash}` !== location.hash && !(hash === '' && location.hash === '')) {
      if (isStep) history.pushState(null, '', url);
      else history.replaceState(null, '', url);
    }
    if (Object.keys(change).every((key) => key === 'zoom')) return;
    void this.#refresh();
  }

  openSandwich(row: number): void {
    if (row >= this.shown.rows.length) return;
    this.set({ view: 'sandwich', row });
  }

  nameOf(row: number): string {
    const known = this.shown.rows[row];
    if (!known) return '';
    return this.state.raw && known.raw !== undefined ? known.raw : known.name;
  }

  say(text: string): void {
    this.#status.textContent = text.slice(0, 400);
  }

  copy(text: string, what: string): void {
    navigator.clipboard.writeText(text).then(
      () => this.say(`Copied ${what}.`),
      () => this.say(`The browser does not let this page copy ${what}.`),
    );
  }

  destroy(): void {
    this.#listening.abort();
    this.#graph.view.destroy();
    this.#table.destroy();
    this.#sandwich.destroy();
    this.#shown?.free();
    for (const { raw } of this.#profiles) raw.free();
    this.#profiles = [];
    fill(this.#root);
  }

  /** Brings the page up to date with the state. */
  async #refresh(): Promise<void> {
    const update = ++this.#update;
    this.#applyTheme();
    if (this.#profiles.length === 0) return;
    const key = this.#prepare();
    const { state } = this;
    this.matches = search(this.shown.rows, state.query);
    const graphKey = `${key} ${state.view} ${state.calls} ${state.apart}`;
    const isGraph = state.view === 'flame' || state.view === 'callers';
    this.#toolbar.update();
    this.#notes.update(this.shown);
    this.#main.setAttribute('aria-labelledby', `${this.#main.id}-${state.view}`);
    if (isGraph && this.#graph.isStale(graphKey)) {
      await this.#busy('Laying out …');
      if (update !== this.#update) return;
    }
    this.#element.classList.remove('xr-busy');
    this.say('');
    const page = isGraph ? this.#graph : state.view === 'table' ? this.#table : this.#sandwich;
    const isOther = this.#main.firstChild !== page.element;
    const hadFocus = this.#main.contains(document.activeElement);
    if (isOther) fill(this.#main, page.element);
    if (isGraph) this.#graph.update(graphKey);
    else if (state.view === 'table') this.#table.update();
    else this.#sandwich.update(`${key} ${this.#sandwich.row} ${state.calls}`);
    this.#head.update(this.#profiles, isGraph ? this.#foundInGraph() : '');
    // Who was in what is gone now is in what came in its place.
    if (isOther && hadFocus) page.focus();
  }

  /** Makes the view of the profiles that the state names. Returns what identifies it. */
  #prepare(): string {
    const last = this.#profiles.length - 1;
    const profile = Math.min(this.state.profile, last);
    let { before } = this.state;
    if (before !== undefined && (before > last || before === profile)) before = undefined;
    const { threads, phases, fold, group } = this.state;
    const key = JSON.stringify([this.#generation, profile, before, threads, phases, fold, group]);
    if (this.#shownKey === key) return key;
    const [after, first] = [this.#profiles[profile], this.#profiles[before ?? -1]];
    if (!after) throw new Error('no profile is open');
    let shown: Shown;
    try {
      const grouped = group !== '' && { group };
      shown = new Shown({ threads, phases, collapseRecursion: fold, ...grouped }, after, first);
    } catch (error) {
      // One profile alone, and all of it, can always be shown.
      this.#warn(`It cannot be shown: ${messageOf(error)}.`);
      this.set(first ? { before: undefined } : { threads: [], phases: [], fold: false, group: '' });
      return this.#prepare();
    }
    this.#shown?.free();
    this.#shown = shown;
    this.#shownKey = key;
    const colour =
      before === undefined && this.state.colour === 'change' ? 'module' : this.state.colour;
    this.state = {
      ...this.state,
      profile,
      before,
      colour: before !== undefined && colour === 'module' ? 'change' : colour,
    };
    return key;
  }

  /** How many frames the search found, and what of the whole they are. */
  #foundInGraph(): string {
    const { flame } = this.#graph.view;
    if (!this.matches || this.matches.error || !flame) return '';
    return foundIn(flame, this.matches);
  }

  /** Shows a message until it is dismissed; empty: none. */
  #warn(message: string): void {
    this.#alertText.textContent = message.slice(0, 2000);
    this.#alert.hidden = message === '';
  }

  async #busy(what: string): Promise<void> {
    this.#element.classList.add('xr-busy');
    this.say(what);
    await painted();
  }

  #applyTheme(): void {
    this.#element.dataset.theme = this.dark ? 'dark' : 'light';
  }

  #fromAddress(): void {
    this.state = fromHash(location.hash);
    const { flame } = this.#graph.view;
    if (flame) {
      const frame = flame.find(this.state.zoom);
      this.#graph.view.select(frame, false);
      this.#graph.view.zoomTo(frame);
    }
    void this.#refresh();
  }

  #onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target !== document.body && !this.#element.contains(target)) return;
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (event.key === 'Escape' && target === this.#head.search) {
      this.set({ query: '' });
      return;
    }
    if (event.key === 'Enter' && target === this.#head.search) {
      this.#graph.view.canvas.focus();
      return;
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || this.#help.open) return;
    const view = VIEWS[Number(event.key) - 1];
    if (view) this.set({ view });
    else if (event.key === '/') this.#head.search.focus();
    else if (event.key === '?') this.#help.showModal();
    else if (event.key === 't') this.#head.nextTheme();
    else return;
    event.preventDefault();
  }

  #saveItems(): readonly MenuItem[] {
    const profile = this.#profiles[this.state.profile];
    if (!profile) return [];
    const attempt = (what: string, action: () => void | Promise<void>) => async () => {
      try {
        await action();
        this.say(`Saved ${what}.`);
      } catch (error) {
        this.#warn(`It cannot be saved as ${what}: ${messageOf(error)}`);
      }
    };
    const items: MenuItem[] = [
      {
        title: 'Profile (.xray and .map.json)',
        run: attempt('a profile', () => saveProfile(profile)),
      },
    ];
    const makePage = this.#makePage;
    if (makePage) {
      items.push({
        title: 'This page, for any browser (.html)',
        run: attempt('a page', async () => savePage(profile, await makePage(this.#profiles))),
      });
    }
    items.push({
      title: 'Picture of the canvas (.png)',
      run: attempt('a picture', () => savePicture(profile, this.#graph.view.canvas)),
    });
    for (const [at, format] of SAVE_FORMATS.entries()) {
      items.push({
        title: format.title,
        run: attempt(format.title, () => saveAs(profile, format)),
        ...(at === 0 && { group: 'For other tools' }),
      });
    }
    items.push({
      title: 'Copy the address of what is shown',
      run: () => this.copy(location.href, 'the address'),
      group: 'Share',
    });
    return items;
  }
}

/** Frames that are found, and their share of the whole, counting what is below them once. */
function foundIn(flame: FlameColumns, matches: Matches): string {
  const below = new Uint8Array(flame.length);
  let frames = 0;
  let weight = 0;
  for (let frame = 0; frame < flame.length; frame++) {
    const isBelow = frame > 0 && below[flame.parents[frame] ?? 0] === 1;
    const label = flame.label(frame);
    const isFound = isRow(label) && matches.rows[label] === 1;
    if (isFound) frames++;
    if (isFound && !isBelow) weight += flame.width(frame);
    if (isFound || isBelow) below[frame] = 1;
  }
  const share =
    flame.whole > 0 ? percent(BigInt(Math.round(weight)), BigInt(Math.round(flame.whole))) : '';
  return `${frames.toLocaleString('en')} frame${frames === 1 ? '' : 's'}${share && ` · ${share}`}`;
}
