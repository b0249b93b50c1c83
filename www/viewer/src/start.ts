// What there is to see before a profile is: where to put one, progress, what went wrong.

import { fill, h } from './dom.js';

export class Start {
  readonly element = h('div', { class: 'xr' });
  #waiting: { readonly what: string; readonly bar: HTMLProgressElement } | undefined;
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');

  constructor(root: HTMLElement) {
    const applyTheme = () => {
      this.element.dataset.theme = this.#dark.matches ? 'dark' : 'light';
    };
    applyTheme();
    this.#dark.addEventListener('change', applyTheme);
    fill(root, this.element);
  }

  /** Asks for files; `error` says why the last ones would not do. */
  ask(open: (files: readonly File[]) => void, error?: string): void {
    const input: HTMLInputElement = h('input', {
      type: 'file',
      multiple: true,
      class: 'xr-hidden',
      tabIndex: -1,
      'aria-label': 'Profiles',
      onchange: () => open([...(input.files ?? [])]),
    });
    fill(
      this.element,
      h(
        'main',
        { class: 'xr-start' },
        h('h1', {}, 'Open a profile'),
        h(
          'div',
          { class: 'xr-drop' },
          h('p', {}, 'Drop app.xray and app.map.json here, or'),
          h('button', { type: 'button', onclick: () => input.click() }, 'Choose files'),
          input,
          h(
            'p',
            { class: 'xr-muted' },
            'Two profiles can be compared. Those of other tools open as well: .cpuprofile, pprof, folded stacks. The files stay on this computer.',
          ),
        ),
        error !== undefined && h('p', { class: 'xr-error', role: 'alert' }, error),
        h(
          'p',
          { class: 'xr-muted' },
          'There is none yet? ',
          h('code', {}, 'npx wasm-xray run app.mjs'),
          ' makes one.',
        ),
      ),
    );
  }

  /** Says what is being waited for; `part` from 0 to 1, if it is known. */
  progress(what: string, part?: number): void {
    if (this.#waiting?.what !== what) {
      const bar = h('progress', { 'aria-label': what });
      this.#waiting = { what, bar };
      fill(this.element, h('main', { class: 'xr-start' }, h('p', { role: 'status' }, what), bar));
    }
    if (part !== undefined) this.#waiting.bar.value = part;
  }
}
