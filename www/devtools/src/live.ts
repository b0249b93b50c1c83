// Live counters, while the page runs.

import type { Progress } from './recording.js';

const number = new Intl.NumberFormat('en');

/** Names shown at most; a page may load any number of modules, with names of any length. */
const MOST_NAMES = 20;
const LONGEST_NAME = 120;

function put(id: string, text: string): void {
  const target = document.getElementById(id);
  if (target && target.textContent !== text) target.textContent = text;
}

function putList(id: string, texts: readonly string[]): void {
  const list = document.getElementById(id);
  if (!list) return;
  const items = texts.map((text) => {
    const item = document.createElement('li');
    item.textContent = text;
    return item;
  });
  list.replaceChildren(...items);
}

export function showProgress({ live, url, isUnhooked, earlier }: Progress): void {
  const again = document.getElementById('again');
  if (again) again.hidden = !isUnhooked;
  put('calls', number.format(live?.calls ?? 0));
  put('paths', number.format(live?.paths ?? 0));
  put('threads', number.format(live?.threads ?? 0));
  put('modules', number.format(live?.modules.length ?? 0));
  putList('names', (live?.modules ?? []).slice(0, MOST_NAMES).map(shorten));
  putList('notes', notes({ live, url, isUnhooked, earlier }));
}

function notes({ live, url, isUnhooked, earlier }: Progress): string[] {
  const sentences: string[] = [];
  if (isUnhooked) sentences.push(`${shorten(url)} is not recorded yet.`);
  else if (live?.paths === 0) sentences.push('No WebAssembly function was called yet.');
  if (earlier > 0) {
    const pages = earlier === 1 ? 'An earlier page is' : `${earlier} earlier pages are`;
    sentences.push(`${pages} in the profile, too.`);
  }
  if (live && live.droppedCalls > 0) {
    sentences.push(
      `The arena is full: ${number.format(live.droppedCalls)} calls are counted without their path. Record with a larger one.`,
    );
  }
  if (live && live.skipped > 0) {
    const modules = live.skipped === 1 ? 'One module runs' : `${live.skipped} modules run`;
    sentences.push(`${modules} without probes; the profile says why.`);
  }
  return sentences;
}

function shorten(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
