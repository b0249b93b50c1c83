import { replaceConstructor, replaceFunction } from '../../hook/patch.js';
import type { Recorder } from './recorder.js';

const METHODS = [
  ['ServiceWorkerContainer', 'register', 'A service worker'],
  ['Worklet', 'addModule', 'A worklet'],
] as const;

/**
 * Notes what else a page starts that may run wasm, and that a page cannot reach
 * before its first script: shared and service workers, and worklets.
 */
export function noteElsewhere(recorder: Recorder): void {
  const note = (what: string, address: unknown) =>
    recorder.noteUnseen(`${what} ${scriptOf(address)}was not recorded: the hook cannot reach it.`);
  replaceConstructor(globalThis, 'SharedWorker', (args, construct) => {
    const started = construct(args);
    note('A shared worker', args[0]);
    return started;
  });
  for (const [owner, method, what] of METHODS) {
    const holder = Reflect.get(globalThis, owner) as { prototype: object } | undefined;
    if (!holder) continue; // Such as where the page is not from a secure address.
    replaceFunction(holder.prototype, method, (args, native) => {
      note(what, args[0]);
      return native(args);
    });
  }
}

/** `(script.js) `; nothing for blobs and data. */
function scriptOf(address: unknown): string {
  const text = String(address);
  if (/^(?:blob|data):/.test(text)) return '';
  const file = /[^/?#]*(?=[?#]|$)/.exec(text)?.[0];
  return file ? `(${file}) ` : '';
}
