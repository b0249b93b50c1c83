// A recording over all documents that the tab shows meanwhile.

import type { HookConfig } from '../../../npm/src/browser/hook/config.js';
import type { Live, Part } from '../../../npm/src/browser/hook/recorder.js';
import { hookScript, hookSource } from '../../../npm/src/browser/hook/script.js';
import { type ProfilerOptions, settingsFrom } from '../../../npm/src/core/options.js';
import type { ProfileMap } from '../../../npm/src/core/profile-map.js';
import { files } from './files.js';
import * as page from './page.js';

/** Shortest time between two looks at the page, in ms. */
const LOOK_MS = 250;
/** Shortest time between two copies of the profile, in ms: what is lost when a page goes away unexpectedly. */
const COPY_MS = 1000;
/** So many times longer than a look or a copy takes is the pause after it, as the page stands still meanwhile. */
const PAUSE = 20;
/** Longest pause between two looks, in ms. */
const LONGEST_PAUSE_MS = 3000;
/** How long a look may take, in ms, while recording and in the end. */
const PATIENCE_MS = 3000;
const LAST_PATIENCE_MS = 10_000;
/** How long looks may fail until it is told, in ms: between two documents there is nobody to ask. */
const FAILURE_MS = 3000;
/** How long the end waits for workers, in ms. */
const WORKERS_MS = 1000;

/** A document that was recorded. */
interface Document {
  readonly url: string;
  parts: Part[];
  calls: number;
}

/** What to show while recording. */
export interface Progress {
  readonly live: Live | undefined;
  readonly url: string;
  /** The tab shows a document without the hook. */
  readonly isUnhooked: boolean;
  /** Documents that are gone, with what they recorded. */
  readonly earlier: number;
}

export class Recording {
  readonly #options: ProfilerOptions;
  readonly #onProgress: (progress: Progress) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #documents = new Map<string, Document>();
  #current = '';
  #phase: string | undefined;
  #isRunning = false;
  #copyAt = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    options: ProfilerOptions,
    onProgress: (progress: Progress) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#onProgress = onProgress;
    this.#onFailure = onFailure;
  }

  /** Loads the page again with the hook; also to go on with another page. */
  async start(): Promise<void> {
    const { runtime, toolkit, hook } = await files();
    this.#current = `wasm-xray ${crypto.randomUUID()}`;
    const settings = settingsFrom(this.#options);
    const config: HookConfig = { settings, files: { runtime, toolkit }, channel: this.#current };
    page.reloadWith(hookScript(hookSource(hook), config, this.#phase));
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#loop = this.#watch();
  }

  /** Begins a phase, on this page and on those that are recorded later. */
  async mark(phase: string): Promise<void> {
    this.#phase = phase;
    const { id } = await page.stateOf(PATIENCE_MS);
    if (id === this.#current) await page.mark(phase);
  }

  /** Ends the recording; what every document left, as one list of named parts. */
  async stop(): Promise<Part[]> {
    this.#isRunning = false;
    await this.#loop;
    try {
      const { id, url } = await page.stateOf(LAST_PATIENCE_MS);
      if (id === this.#current) {
        for (let waited = 0; (await page.isWaiting()) && waited < WORKERS_MS; waited += 50) {
          await sleep(50);
        }
        await this.#copy(id, url, 0);
        await page.stop();
      }
    } catch (error) {
      const copied = this.#documents.get(this.#current);
      const noted = copied ?? [...this.#documents.values()].find(({ parts }) => parts.length > 0);
      if (!noted) throw error;
      const note = copied
        ? 'The page did not answer in the end; its profile is from the last copy.'
        : 'The last page did not answer in the end, and left no profile.';
      noted.parts = noted.parts.map((part, index) => (index === 0 ? annotate(part, note) : part));
    }
    const documents = [...this.#documents.values()].filter(({ parts }) => parts.length > 0);
    if (documents.length < 2) return documents.flatMap(({ parts }) => parts);
    return documents.flatMap(({ url, parts }, index) =>
      parts.map((part) => rename(part, `page ${index + 1} (${pathOf(url)}) ${part.name}`)),
    );
  }

  async #watch(): Promise<void> {
    let failedSince: number | undefined;
    while (this.#isRunning) {
      const before = performance.now();
      try {
        await this.#look();
        failedSince = undefined;
      } catch (error) {
        failedSince ??= before;
        if (performance.now() - failedSince > FAILURE_MS) this.#onFailure(error);
      }
      const pause = PAUSE * (performance.now() - before);
      await sleep(Math.min(Math.max(LOOK_MS, pause), LONGEST_PAUSE_MS));
    }
  }

  async #look(): Promise<void> {
    const { url, id, live } = await page.stateOf(PATIENCE_MS);
    const isCurrent = id === this.#current;
    this.#onProgress({
      live: isCurrent ? live : undefined,
      url,
      isUnhooked: !isCurrent,
      earlier: [...this.#documents].filter(([key]) => key !== id).length,
    });
    if (!isCurrent || !live || live.calls === this.#documents.get(id)?.calls) return;
    const before = performance.now();
    if (!live.leaving && before < this.#copyAt) return;
    await this.#copy(id, url, live.calls);
    const now = performance.now();
    this.#copyAt = now + Math.max(COPY_MS, PAUSE * (now - before));
  }

  async #copy(id: string, url: string, calls: number): Promise<void> {
    this.#documents.set(id, { url, parts: await page.take(), calls });
  }
}

type PartMap = Pick<ProfileMap, 'threads' | 'unseen'>;

/** The same part with another name for its threads. */
function rename(part: Part, name: string): Part {
  return withMap({ ...part, name }, (map) => {
    for (const thread of map.threads) thread.name = name;
  });
}

/** The same part with a sentence about what it does not show. */
function annotate(part: Part, sentence: string): Part {
  return withMap(part, (map) => void map.unseen.push(sentence));
}

/** What is not a map is left for its reader to refuse. */
function withMap(part: Part, change: (map: PartMap) => void): Part {
  try {
    const map = JSON.parse(part.map) as PartMap;
    change(map);
    return { ...part, map: JSON.stringify(map) };
  } catch {
    return part;
  }
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
