import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, XrayError } from '../errors.js';
import { complain } from '../hook/messages.js';
import type { Driver } from './driver.js';
import { type Answer, readAll, send } from './http.js';
import { DriverSession, type PagePart, type PageRecord } from './page.js';

/** What takes a page's parts. */
export interface PageSink {
  /** A page is left that has loaded wasm; one that stayed all the same comes again, with more. */
  readonly page: (record: PageRecord) => void;
  /** A page did not hand over what it may have. */
  readonly lost: (reason: string) => void;
}

/** How long the driver may take, in ms. */
export interface Limits {
  /** For a command of ours. One of the runner's takes as long as the runner waits. */
  readonly commandMs: number;
  /** For all that is still to be done when the runner has ended. */
  readonly closeMs: number;
}
/** Longer than the driver itself gives a script, which is 30 s, and a busy page. */
const LIMITS: Limits = { commandMs: 60_000, closeMs: 15_000 };

/** Commands of a session that leave its page. */
const LEAVING = /^(POST \/(url|refresh|back|forward)|DELETE (\/window)?)$/;

/**
 * A WebDriver between a test runner and Chrome's: it puts a script in front of
 * those of every page, and takes what the script has recorded before the runner
 * leaves the page. Everything else passes through as it is.
 */
export class DriverProxy {
  readonly #start: () => Promise<Driver>;
  readonly #script: string;
  readonly #sink: PageSink;
  readonly #server: Server;
  readonly #sessions = new Map<string, DriverSession>();
  readonly #pending = new Set<Promise<void>>();
  readonly #limits: Limits;
  /** Gives up whatever the driver has not answered. */
  readonly #closing = new AbortController();
  #driver: Promise<Driver> | undefined;

  /**
   * @param start starts the driver, when there is a first command for it
   * @param script to be run at the start of every page
   */
  constructor(
    start: () => Promise<Driver>,
    script: string,
    sink: PageSink,
    limits: Limits = LIMITS,
  ) {
    this.#limits = limits;
    this.#start = start;
    this.#script = script;
    this.#sink = sink;
    this.#server = createServer((incoming, outgoing) => {
      const answered = this.#answer(incoming, outgoing).finally(() =>
        this.#pending.delete(answered),
      );
      this.#pending.add(answered);
    });
  }

  /** Its address, once it listens. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Takes what is left in open sessions, and ends the driver, whether it still answers or not. */
  async close(): Promise<void> {
    const { closeMs } = this.#limits;
    const timer = setTimeout(
      () => this.#closing.abort(noAnswer('what was left to do', closeMs)),
      closeMs,
    );
    await Promise.all(this.#pending);
    for (const id of [...this.#sessions.keys()]) await this.#leave(id);
    clearTimeout(timer);
    this.#server.close();
    this.#server.closeAllConnections();
    const driver = await this.#driver?.catch(() => undefined);
    driver?.stop();
  }

  /** For a command of ours. */
  #limit(command: string): AbortSignal {
    const { commandMs } = this.#limits;
    const limit = new AbortController();
    setTimeout(() => limit.abort(noAnswer(command, commandMs)), commandMs).unref();
    return AbortSignal.any([limit.signal, this.#closing.signal]);
  }

  /** For a command of the runner: until it waits no longer. */
  #whileWaiting(outgoing: ServerResponse): AbortSignal {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort(new Error('Nobody waits for the answer any more.')));
    return AbortSignal.any([gone.signal, this.#closing.signal]);
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    // The driver guards against names that were made to lead here, but sees the proxy's request only.
    if (!this.#isNamedBy(headers.host)) {
      incoming.resume();
      outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
      outgoing.end(`This driver does not answer for the host ${headers.host ?? '(none)'}.\n`);
      return;
    }
    let answer: Answer;
    try {
      const body = await readAll(incoming);
      this.#driver ??= this.#start();
      const driver = await this.#driver;
      const [, id, command = ''] = /^\/session\/([^/]+)(\/.*)?$/.exec(url) ?? [];
      if (id !== undefined && LEAVING.test(`${method} ${command}`)) {
        await this.#leave(id);
      }
      const { host: _, connection: __, ...passed } = headers;
      const waiting = this.#whileWaiting(outgoing);
      answer = await send(new URL(url, driver.url), method, passed, body, waiting);
      if (method === 'POST' && url === '/session') await this.#hook(driver, answer);
      if (id !== undefined && method === 'DELETE' && endsSession(command, answer)) {
        this.#sessions.delete(id);
      }
    } catch (error) {
      if (!outgoing.destroyed) complain(messageOf(error));
      answer = refusal(messageOf(error));
    }
    const { 'transfer-encoding': _, connection: __, ...passed } = answer.headers;
    outgoing.writeHead(answer.status, { ...passed, 'content-length': answer.body.length });
    outgoing.end(answer.body);
  }

  #isNamedBy(host: string | undefined): boolean {
    const { port } = this.#server.address() as AddressInfo;
    return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
  }

  /** Notes a new session, and has its pages run the script. */
  async #hook(driver: Driver, { status, body }: Answer): Promise<void> {
    if (status !== 200) return;
    const { sessionId, value } = JSON.parse(body.toString()) as {
      sessionId?: string | null;
      value?: { sessionId?: string };
    };
    const id = value?.sessionId ?? sessionId;
    if (!id) return;
    const session = new DriverSession(driver.url, id, (command) => this.#limit(command));
    try {
      await session.runFirst(this.#script);
      this.#sessions.set(id, session);
    } catch (error) {
      this.#sink.lost(messageOf(error));
    }
  }

  async #leave(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    try {
      const record = await session.takeParts();
      if (record?.parts.some(hasCalls)) this.#sink.page(record);
    } catch (error) {
      this.#sink.lost(messageOf(error));
    }
  }
}

function noAnswer(command: string, ms: number): XrayError {
  const seconds = `${ms / 1000} s`;
  return new XrayError('ERR_XRAY_BUSY', `Chrome's driver did not answer ${command} in ${seconds}.`);
}

/** Whether a DELETE command ended its session: closing a window does if no other is left. */
function endsSession(command: string, { status, body }: Answer): boolean {
  if (command === '') return true;
  if (command !== '/window' || status !== 200) return false;
  const { value } = JSON.parse(body.toString()) as { value?: unknown };
  return Array.isArray(value) && value.length === 0;
}

/** Whether a page had anything to do with wasm. */
function hasCalls({ map }: PagePart): boolean {
  const { modules, skipped } = JSON.parse(map) as { modules: unknown[]; skipped?: unknown[] };
  return modules.length > 0 || (skipped ?? []).length > 0;
}

/** An error as WebDriver has it. */
function refusal(message: string): Answer {
  const value = { error: 'unknown error', message, stacktrace: '' };
  return {
    status: 500,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify({ value })),
  };
}
