// Chromium with the extension and DevTools open, driven through its debugging protocol:
// the panel is a page inside of DevTools, which playwright does not reach.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const EXTENSION = fileURLToPath(new URL('../../www/devtools/dist', import.meta.url));
const PANEL = 'wasm-xray';
/** Longest wait for anything, in ms; the machine may be busy. */
const PATIENCE_MS = 120_000;

/** Calls `f` until it answers with something. */
export async function until(f, what) {
  const end = Date.now() + PATIENCE_MS;
  let last;
  while (Date.now() < end) {
    try {
      const value = await f();
      if (value) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(100);
  }
  throw new Error(`waited in vain for ${what}`, { cause: last });
}

/** One target of the browser. */
class Session {
  /** What it told unasked, in order. */
  events = [];

  constructor(browser, id) {
    this.browser = browser;
    this.id = id;
  }

  send(method, params) {
    return this.browser.send(method, params, this.id);
  }

  /** The value of an expression, awaited. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  async screenshot() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }
}

class Browser {
  #socket;
  #child;
  #profile;
  #waiting = new Map();
  #sessions = new Map();
  #next = 1;

  static async start(url, size) {
    const profile = mkdtempSync(join(tmpdir(), 'wasm-xray-devtools-'));
    const browser = new Browser();
    browser.#profile = profile;
    browser.#child = spawn(
      '/usr/bin/chromium',
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--user-data-dir=${profile}`,
        `--load-extension=${EXTENSION}`,
        `--disable-extensions-except=${EXTENSION}`,
        '--auto-open-devtools-for-tabs',
        '--remote-debugging-port=0',
        `--window-size=${size}`,
        url,
      ],
      { stdio: 'ignore' },
    );
    const file = join(profile, 'DevToolsActivePort');
    const [port, path] = await until(() => {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      return lines.length > 1 && lines;
    }, 'the port of Chromium');
    browser.#socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    browser.#socket.addEventListener('message', ({ data }) => browser.#receive(JSON.parse(data)));
    await new Promise((resolve, reject) => {
      browser.#socket.addEventListener('open', resolve);
      browser.#socket.addEventListener('error', reject);
    });
    return browser;
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, method }));
  }

  #receive({ id, result, error, method, params, sessionId }) {
    if (method) this.#sessions.get(sessionId)?.events.push({ method, params });
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(`${waiting.method}: ${error.message}`));
    else waiting.resolve(result);
  }

  /** Attaches to the target for which `wanted` answers true. */
  async attach(wanted, what) {
    const target = await until(async () => {
      const { targetInfos } = await this.send('Target.getTargets', { filter: [{}] });
      return targetInfos.find(wanted);
    }, what);
    const { sessionId } = await this.send('Target.attachToTarget', {
      targetId: target.targetId,
      flatten: true,
    });
    const session = new Session(this, sessionId);
    this.#sessions.set(sessionId, session);
    return session;
  }

  async close() {
    this.#socket?.close();
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill();
    await ended;
    await until(() => {
      rmSync(this.#profile, { recursive: true, force: true });
      return true;
    }, 'Chromium to leave its folder');
  }
}

/**
 * Opens a page with the panel in front.
 * @param {string} url
 * @param {string} [size] of the window
 */
export async function openPanel(url, size = '1400,1000') {
  const browser = await Browser.start(url, size);
  try {
    const devtools = await browser.attach(
      ({ type, url }) => type === 'page' && url.startsWith('devtools://'),
      'DevTools',
    );
    await until(
      () =>
        devtools.evaluate(`(async () => {
          const { InspectorView } = await import('./ui/legacy/legacy.js');
          const view = InspectorView.InspectorView.instance();
          const id = view.tabbedPane.tabIds().find((id) => id.endsWith('${PANEL}'));
          if (id) await view.showPanel(id);
          return Boolean(id);
        })()`),
      'the panel',
    );
    const panel = await browser.attach(
      ({ url }) => /^chrome-extension:.*\/panel\.html$/.test(url),
      'the panel',
    );
    const page = await browser.attach(
      ({ type, url: at }) => type === 'page' && at.startsWith(new URL(url).origin),
      'the page',
    );
    await until(() => panel.evaluate('document.readyState === "complete"'), 'the panel to load');
    return { browser, devtools, panel, page, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
