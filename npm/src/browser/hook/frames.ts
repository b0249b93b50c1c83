import type { HookConfig, HookSource, Place, RunHook } from './config.js';
import type { Recorder } from './recorder.js';

/**
 * Hooks the page's frames of the same origin. A frame's first document of its own
 * keeps the window of the empty one that the frame begins with, so what is put
 * there as the element comes is there before the document's scripts.
 * @param mark property that a window has once it is hooked
 */
export function hookFrames(
  config: HookConfig,
  source: HookSource,
  recorder: Recorder,
  mark: symbol,
): void {
  let count = 0;
  let foreign = 0;
  const hook = (element: HTMLIFrameElement, isLoaded: boolean) => {
    const target = windowOf(element);
    if (target === undefined) return;
    if (target === null) {
      if (isLoaded) foreign++;
      if (foreign === 1) recorder.noteUnseen('Frames of other origins were not recorded.');
      return;
    }
    if (Reflect.has(target, mark)) return;
    const name = `frame ${++count}${label(element)}`;
    const place: Place = { name: recorder.name === 'main' ? name : `${recorder.name} ${name}` };
    try {
      const run = target.eval(`(${source})`) as RunHook<Recorder>;
      recorder.addFrame(run(config, place, source));
      if (isLoaded) recorder.noteUnseen(`${place.name} was hooked only after it had loaded.`);
    } catch {
      recorder.noteUnseen(
        `${place.name} was not recorded: its Content-Security-Policy forbids eval.`,
      );
    }
  };
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) {
      for (const node of addedNodes) for (const element of framesIn(node)) hook(element, false);
    }
  });
  observer.observe(document, { childList: true, subtree: true });
  const onLoad = ({ target }: Event) => {
    if (target instanceof HTMLIFrameElement) hook(target, true);
  };
  document.addEventListener('load', onLoad, true);
  const restore = ['contentWindow', 'contentDocument'].map((name) =>
    beforeGet(HTMLIFrameElement.prototype, name, (element) => hook(element, false)),
  );
  recorder.onStop(() => {
    observer.disconnect();
    document.removeEventListener('load', onLoad, true);
    for (const action of restore) action();
  });
}

const contentWindow = Object.getOwnPropertyDescriptor(
  globalThis.HTMLIFrameElement?.prototype ?? {},
  'contentWindow',
)?.get;

/** Undefined: it has none. Null: it is of another origin. */
function windowOf(element: HTMLIFrameElement): (Window & typeof globalThis) | null | undefined {
  const target = contentWindow && Reflect.apply(contentWindow, element, []);
  if (!target) return undefined;
  try {
    return Reflect.has(target as object, 'eval') ? (target as Window & typeof globalThis) : null;
  } catch {
    return null;
  }
}

function* framesIn(node: Node): Generator<HTMLIFrameElement> {
  if (node instanceof HTMLIFrameElement) yield node;
  else if (node instanceof Element) yield* node.querySelectorAll('iframe');
}

/** ` (/path)` */
function label(element: HTMLIFrameElement): string {
  const { src, baseURI } = element;
  if (!src || !URL.canParse(src, baseURI)) return '';
  const { pathname, protocol } = new URL(src, baseURI);
  return protocol.startsWith('http') ? ` (${pathname})` : '';
}

/**
 * Calls `action` before a getter answers.
 * @returns undoes it
 */
function beforeGet(
  holder: HTMLIFrameElement,
  name: string,
  action: (element: HTMLIFrameElement) => void,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  if (!descriptor?.get) return () => {};
  const get = new Proxy(descriptor.get, {
    apply(target, self, args) {
      if (self instanceof HTMLIFrameElement) action(self);
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(holder, name, { ...descriptor, get });
  return () => Object.defineProperty(holder, name, descriptor);
}
