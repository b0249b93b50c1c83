// The inspected page. Whatever comes from it may be made up: it is checked, and shown as text only.

import type { Live, Part } from '../../../npm/src/browser/hook/recorder.js';
import { devtools, type EvalProblem } from './api.js';

/** The page's recorder is known under a name that `entry.ts` gives it. */
const RECORDER = "globalThis[Symbol.for('wasm-xray.recorder')]";

/** Longest text that is taken from a page, in characters: what an engine's string may have. */
const LONGEST = 2 ** 29 - 100;

/** How long a piece of the profile may take, in ms. */
const PIECE_MS = 60_000;

/** What the page says of its recording. */
export interface PageState {
  readonly url: string;
  /** Undefined: this document has no hook. */
  readonly id: string | undefined;
  readonly live: Live | undefined;
}

/** Something about the page that keeps it from being recorded. */
export class PageError extends Error {}

/** Loads the page again with a script that runs before its own. */
export function reloadWith(script: string): void {
  devtools?.inspectedWindow.reload({ injectedScript: script });
}

/**
 * @param patienceMs how long the answer may take
 * @throws PageError if DevTools may not look into the page, or it does not answer
 */
export async function stateOf(patienceMs: number): Promise<PageState> {
  const text = await evaluateText(
    `JSON.stringify({ url: String(location.href), ...(r => r && { id: r.id, live: r.live() })(${RECORDER}) })`,
    patienceMs,
  );
  const { url, id, live } = parse(text) as { url?: unknown; id?: unknown; live?: unknown };
  return {
    url: typeof url === 'string' ? url : '',
    id: typeof id === 'string' ? id : undefined,
    live: isLive(live) ? live : undefined,
  };
}

/** Asks the page's workers for their parts. */
export async function ask(): Promise<void> {
  await evaluateText(`(${RECORDER}.ask(), '')`);
}

/** Whether a worker has not answered yet. */
export async function isWaiting(): Promise<boolean> {
  return (await evaluateText(`String(${RECORDER}.isWaiting)`)) === 'true';
}

/** Everything that was recorded until now, in pieces well below the limit of a message. */
export async function take(): Promise<Part[]> {
  const length = Number(await evaluateText(`String(${RECORDER}.take())`));
  if (!(length >= 0 && length <= LONGEST)) {
    throw new PageError(
      'The profile is too large to be taken out of the page. Record a shorter time, or with a smaller arena.',
    );
  }
  const pieces: string[] = [];
  for (let have = 0; have < length; ) {
    const piece = await evaluateText(`${RECORDER}.chunk(${pieces.length})`);
    if (piece === '') throw new PageError('The page gave less of the profile than it has.');
    pieces.push(piece);
    have += piece.length;
  }
  const parts = parse(pieces.join(''));
  if (!Array.isArray(parts)) throw new PageError('What the page gave is not a profile.');
  return parts.map(partOf);
}

/** Begins a phase. */
export async function mark(phase: string): Promise<void> {
  await evaluateText(`(${RECORDER}.mark(${JSON.stringify(phase)}), '')`);
}

/** Ends the page's recording. */
export async function stop(): Promise<void> {
  await evaluateText(`(${RECORDER}.stop(), '')`);
}

function partOf(part: unknown): Part {
  const { name, blocks, map } = Object(part) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof blocks !== 'string' || typeof map !== 'string') {
    throw new PageError('What the page gave is not a profile.');
  }
  return { name, blocks: fromBase64(blocks), map };
}

function fromBase64(text: string): Uint8Array {
  try {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    throw new PageError('What the page gave is not a profile.');
  }
}

function isLive(live: unknown): live is Live {
  const { calls, paths, droppedCalls, modules, skipped, threads } = Object(live) as Live;
  return (
    [calls, paths, droppedCalls, skipped, threads].every((value) => typeof value === 'number') &&
    Array.isArray(modules) &&
    modules.every((name) => typeof name === 'string')
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PageError('What the page gave is not a profile.');
  }
}

/**
 * DevTools may never answer: a busy page does so later, a document that goes away
 * meanwhile not at all.
 */
function evaluateText(expression: string, patienceMs = PIECE_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const silent = new PageError('The page gave no answer: it is busy, or was just left.');
    setTimeout(reject, patienceMs, silent);
    devtools?.inspectedWindow.eval(expression, (result, problem) => {
      if (problem?.isError || problem?.isException) reject(new PageError(sentence(problem)));
      else if (typeof result !== 'string') reject(new PageError('The page gave no answer.'));
      else resolve(result);
    });
  });
}

function sentence({ isException, value, description, details, code }: EvalProblem): string {
  if (isException) return `The page's recorder failed: ${String(value).slice(0, 200)}`;
  let at = 0;
  const why = (description ?? code ?? '').replaceAll('%s', () => String(details?.[at++] ?? ''));
  return `DevTools may not look into this page (${why}). Pages of the browser itself cannot be recorded.`;
}
