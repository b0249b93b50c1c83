/**
 * Runs in the page: hands its profile to the development server while it changes,
 * when the page is hidden and when it is left. Imports nothing, as it is served as it is.
 */

/** What of a `Recorder` this needs; see `browser/hook/recorder.ts`. */
interface PageRecorder {
  readonly id: string;
  readonly name: string;
  readonly isWaiting: boolean;
  live(): {
    readonly calls: number;
    readonly paths: number;
    readonly droppedCalls: number;
    readonly modules: readonly string[];
    readonly skipped: number;
  };
  take(): number;
  chunk(index: number): string;
}

/** How often to look whether there is something new, in ms. */
const LOOK_MS = 2000;
/** How long to wait for workers, in ms. */
const WAIT_MS = 1000;
const POLL_MS = 10;
/** What a request that outlives its page may have, in characters; engines allow 64 KiB. */
const LAST_LENGTH = 60_000;

const recorder = Reflect.get(globalThis, Symbol.for('wasm-xray.recorder')) as
  | PageRecorder
  | undefined;
// A frame that its page has hooked is in that page's profile.
if (recorder?.name === 'main') start(recorder);

function start(recorder: PageRecorder): void {
  // Taken now: a program may put others in their place.
  const { fetch, setTimeout } = globalThis;
  const address = new URL('profile', import.meta.url);
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  let sent = '';
  let failed = false;

  /** Changes when there is something new; empty as long as there is nothing. */
  const state = () => {
    const { calls, paths, droppedCalls, modules, skipped } = recorder.live();
    const loaded = modules.length + skipped;
    return loaded > 0 ? `${calls} ${paths} ${droppedCalls} ${loaded}` : '';
  };
  const text = () => {
    const length = recorder.take();
    let all = '';
    for (let index = 0; all.length < length; index++) all += recorder.chunk(index);
    return all;
  };
  const post = async (parts: string, left: boolean) => {
    const body = `{"id":${JSON.stringify(recorder.id)},"page":${JSON.stringify(location.pathname)},"left":${left},"parts":${parts}}`;
    const keepalive = left && body.length < LAST_LENGTH;
    const headers = { 'content-type': 'application/json' };
    try {
      const response = await fetch(address, { method: 'POST', headers, body, keepalive });
      if (!response.ok && !failed) throw new Error(await response.text());
    } catch (error) {
      if (!failed && !left)
        console.warn(`wasm-xray: The profile could not be handed over. ${error}`);
      failed = true;
    }
  };
  const send = async () => {
    const now = state();
    if (now === sent) return;
    for (let waited = 0; recorder.isWaiting && waited < WAIT_MS; waited += POLL_MS) {
      await wait(POLL_MS);
    }
    sent = now;
    await post(text(), false);
  };
  const look = async () => {
    for (;;) {
      await wait(LOOK_MS);
      await send();
    }
  };

  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void send();
  });
  globalThis.addEventListener('pagehide', () => {
    // Before the workers are asked again, as they cannot answer any more.
    const parts = text();
    const fits = parts.length < LAST_LENGTH - 1000;
    void post(fits && state() !== sent ? parts : 'null', true);
  });
  void look();
}
