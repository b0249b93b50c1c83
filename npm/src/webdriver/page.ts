import { Buffer } from 'node:buffer';
import { XrayError } from '../errors.js';
import { send } from './http.js';

/** What one thread of a page recorded; as `Part` of the hook for pages. */
export interface PagePart {
  readonly name: string;
  readonly blocks: Uint8Array;
  /** `ProfileMap` as JSON. */
  readonly map: string;
}

/** What a document recorded. */
export interface PageRecord {
  /** Tells documents apart: a page may be left by an address that it answers itself, and go on. */
  readonly document: string;
  readonly parts: readonly PagePart[];
}

/** Where a hooked page keeps its recorder, see `browser/hook/entry.ts`. */
const RECORDER = `globalThis[Symbol.for('wasm-xray.recorder')]`;
/** How long a page waits for its workers, in ms. */
const WAIT_MS = 1000;

/** The document and the length of the text that it then has; null if it is not hooked. */
const TAKE = `
  const done = arguments[arguments.length - 1];
  const recorder = ${RECORDER};
  if (!recorder) return done(null);
  recorder.ask();
  const started = Date.now();
  const poll = () => {
    if (recorder.isWaiting && Date.now() - started < ${WAIT_MS}) setTimeout(poll, 10);
    else done({ document: recorder.id, length: recorder.take() });
  };
  poll();
`;

const CHUNK = `return ${RECORDER}.chunk(arguments[0]);`;

/** A session of a WebDriver. */
export class DriverSession {
  readonly #url: URL;
  readonly #limit: (command: string) => AbortSignal;

  /** @param limit how long a command may take */
  constructor(driver: URL, id: string, limit: (command: string) => AbortSignal) {
    this.#url = new URL(`session/${encodeURIComponent(id)}/`, driver);
    this.#limit = limit;
  }

  /** Has a script run at the start of every page, before those of the page. */
  async runFirst(source: string): Promise<void> {
    const command = 'Page.addScriptToEvaluateOnNewDocument';
    await this.#command('goog/cdp/execute', { cmd: command, params: { source } });
  }

  /** What the page's threads have recorded so far; undefined if it is not hooked. */
  async takeParts(): Promise<PageRecord | undefined> {
    const taken = await this.#command('execute/async', { script: TAKE, args: [] });
    const { document, length } = Object(taken) as Record<string, unknown>;
    if (typeof document !== 'string' || typeof length !== 'number') return undefined;
    let text = '';
    for (let index = 0; text.length < length; index++) {
      const chunk = await this.#command('execute/sync', { script: CHUNK, args: [index] });
      if (typeof chunk !== 'string' || chunk === '') throw new Error('The page lost its profile.');
      text += chunk;
    }
    const parts = JSON.parse(text) as { name: string; blocks: string; map: string }[];
    return {
      document,
      parts: parts.map((part) => ({ ...part, blocks: Buffer.from(part.blocks, 'base64') })),
    };
  }

  async #command(path: string, parameters: object): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(parameters));
    const headers = { 'content-type': 'application/json' };
    const url = new URL(path, this.#url);
    const answer = await send(url, 'POST', headers, body, this.#limit(path));
    const { value } = JSON.parse(answer.body.toString()) as { value?: unknown };
    if (answer.status === 200) return value;
    const { message } = (value ?? {}) as { message?: string };
    const reason = message?.split('\n')[0] ?? `status ${answer.status}`;
    throw new XrayError('ERR_XRAY_BUSY', `Chrome's driver refused ${path}: ${reason}`);
  }
}
