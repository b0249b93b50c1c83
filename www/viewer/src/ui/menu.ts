// A button that opens a list of actions.

import { fill, h } from '../dom.js';

export interface MenuItem {
  readonly title: string;
  readonly run: () => void;
  /** Begins a group with this heading. */
  readonly group?: string;
}

export class Menu {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #list: HTMLElement;

  constructor(title: string, items: () => readonly MenuItem[]) {
    this.#list = h('div', {
      class: 'xr-menu-list',
      role: 'menu',
      'aria-label': title,
      hidden: true,
    });
    this.#button = h(
      'button',
      {
        type: 'button',
        'aria-haspopup': 'menu',
        'aria-expanded': 'false',
        onclick: () => {
          if (this.#list.hidden) this.#open(items());
          else this.#close();
        },
      },
      title,
      h('span', { class: 'xr-arrow', 'aria-hidden': 'true' }, ' ▾'),
    );
    this.element = h('div', { class: 'xr-menu' }, this.#button, this.#list);
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('focusout', (event) => {
      if (!this.element.contains(event.relatedTarget as Node | null)) this.#close(false);
    });
  }

  #open(items: readonly MenuItem[]): void {
    fill(
      this.#list,
      ...items.flatMap(({ title, run, group }) => [
        group !== undefined && h('div', { class: 'xr-menu-group', role: 'presentation' }, group),
        h(
          'button',
          {
            type: 'button',
            role: 'menuitem',
            tabIndex: -1,
            onclick: () => {
              this.#close();
              run();
            },
          },
          title,
        ),
      ]),
    );
    this.#list.hidden = false;
    this.#button.setAttribute('aria-expanded', 'true');
    this.#list.querySelector('button')?.focus();
  }

  #close(refocus = true): void {
    if (this.#list.hidden) return;
    this.#list.hidden = true;
    this.#button.setAttribute('aria-expanded', 'false');
    if (refocus) this.#button.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#list.hidden) return;
    const items = [...this.#list.querySelectorAll('button')];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const to = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (to !== undefined) items[to]?.focus();
    else if (event.key === 'Escape') this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
