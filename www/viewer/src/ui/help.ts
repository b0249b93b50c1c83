// The keys, in a dialog.

import { h } from '../dom.js';

const KEYS: readonly [string, string][] = [
  ['1 2 3 4', 'flame graph, inverted, functions, sandwich'],
  ['/', 'search'],
  ['?', 'this list'],
  ['Arrow keys', 'go to the caller, a callee, the frame beside it'],
  ['Enter, double click', 'zoom into the frame; in a table: callers and callees'],
  ['Backspace', 'zoom out to the caller'],
  ['Escape, 0', 'zoom out to everything'],
  ['+ −, Ctrl and wheel, pinch', 'zoom'],
  ['Drag, wheel, Shift and arrows', 'move'],
  ['Page up, Page down', 'more levels'],
  ['n, Shift and n', 'next and previous match of the search'],
  ['s', 'callers and callees of the frame'],
  ['c', 'copy the frame’s name'],
  ['t', 'light or dark'],
];

export function makeHelp(): HTMLDialogElement {
  const dialog: HTMLDialogElement = h(
    'dialog',
    { class: 'xr-help', 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h('dl', {}, ...KEYS.flatMap(([keys, what]) => [h('dt', {}, keys), h('dd', {}, what)])),
    h(
      'p',
      { class: 'xr-muted' },
      'A search between slashes, /like.*this/, is a regular expression.',
    ),
    h('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
  );
  return dialog;
}
