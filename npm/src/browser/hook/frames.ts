import { beforeGet, replaceFunction } from '../../hook/patch.js';
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
  let popups = 0;
  let foreign = 0;
  const install = (target: Window & typeof globalThis, own: string, isLoaded: boolean) => {
    const name = recorder.name === 'main' ? own : `${recorder.name} ${own}`;
    const place: Place = { name, phase: recorder.phases.phase };
    try {
      const run = target.eval(`(${source})`) as RunHook<Recorder>;
      recorder.addFrame(run(config, place, source));
      if (isLoaded) recorder.noteUnseen(`${name} was hooked only after it had loaded.`);
    } catch {
      recorder.noteUnseen(`${name} was not recorded: its Content-Security-Policy forbids eval.`);
    }
  };
  const hook = (element: HTMLIFrameElement, isLoaded: boolean) => {
    const target = windowOf(element);
    if (target === undefined) return;
    if (target === null) {
      if (isLoaded) foreign++;
      if (foreign === 1) recorder.noteUnseen('Frames of other origins were not recorded.');
      return;
    }
    if (Reflect.has(target, mark)) return;
    const { src, baseURI } = element;
    install(target, `frame ${++count}${label(src, baseURI)}`, isLoaded);
  };
  // A window that the page opens begins as a frame does.
  let isStopped = false;
  replaceFunction(globalThis, 'open', (args, native) => {
    const opened = native(args);
    const target = reachable(opened);
    const address = String(args[0] ?? '');
    if (isStopped || (target && Reflect.has(target, mark))) return opened;
    const name = `popup ${++popups}${label(address, document.baseURI)}`;
    if (target && isOwn(address)) install(target, name, false);
    else
      recorder.noteUnseen(`${name} was not recorded: it is of another origin, or without opener.`);
    return opened;
  });
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
    beforeGet(HTMLIFrameElement.prototype, name, (self) => {
      if (self instanceof HTMLIFrameElement) hook(self, false);
    }),
  );
  recorder.onStop(() => {
    isStopped = true;
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
  return target ? reachable(target) : undefined;
}

function reachable(target: unknown): (Window & typeof globalThis) | null {
  try {
    return Reflect.has(target as object, 'eval') ? (target as Window & typeof globalThis) : null;
  } catch {
    return null;
  }
}

/** Whether an address leads to a document of this origin. */
function isOwn(address: string): boolean {
  if (address === '' || !URL.canParse(address, document.baseURI)) return true;
  const { protocol, origin } = new URL(address, document.baseURI);
  return !protocol.startsWith('http') || origin === globalThis.origin;
}

function* framesIn(node: Node): Generator<HTMLIFrameElement> {
  if (node instanceof HTMLIFrameElement) yield node;
  else if (node instanceof Element) yield* node.querySelectorAll('iframe');
}

/** ` (/path)` */
function label(address: string, base: string): string {
  if (!address || !URL.canParse(address, base)) return '';
  const { pathname, protocol } = new URL(address, base);
  return protocol.startsWith('http') ? ` (${pathname})` : '';
}
