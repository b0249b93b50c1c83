import { addressOf, release } from './blobs.js';

// Taken now: a program may replace them.
const { Worker, Blob } = globalThis;
const importScripts: unknown = Reflect.get(globalThis, 'importScripts');

/** What a page's Content-Security-Policy lets be done with blobs. */
export interface BlobPolicy {
  /** Whether that was tried; guessed otherwise. */
  readonly isKnown: boolean;
  /** Workers may start from them. */
  readonly workers: boolean;
  /** Such a worker may load scripts from them. */
  readonly scripts: boolean;
}

/**
 * Finds out what the page's Content-Security-Policy lets be done with blobs. An engine
 * tells only later, by an event at the worker, so one is started for it at once. Until
 * it has answered, the policy for `eval` is taken for an answer: without one there is
 * most likely none for workers.
 */
export function probeBlobs(): () => BlobPolicy {
  if (typeof Worker !== 'function')
    return () => ({ isKnown: true, workers: false, scripts: false });
  let allowed: BlobPolicy | undefined;
  const hideReport = (event: SecurityPolicyViolationEvent) => {
    if (allowed === undefined && event.blockedURI === 'blob') event.stopImmediatePropagation();
  };
  globalThis.addEventListener('securitypolicyviolation', hideReport, true);
  const blob = (text: string) => addressOf(new Blob([text], { type: 'text/javascript' }));
  const empty = blob('');
  const address = blob(
    `let scripts = true;
    try { importScripts(${JSON.stringify(empty)}); } catch { scripts = false; }
    postMessage(scripts);`,
  );
  const answer = (value: BlobPolicy) => {
    allowed ??= value;
    release(empty);
    release(address);
    globalThis.removeEventListener('securitypolicyviolation', hideReport, true);
  };
  try {
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => {
      answer({ isKnown: true, workers: true, scripts: data === true });
      worker.terminate();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      answer({ isKnown: true, workers: false, scripts: false });
    };
  } catch {
    answer({ isKnown: true, workers: false, scripts: false });
  }
  return () => {
    if (allowed) return allowed;
    const guess = mayEval();
    return { isKnown: false, workers: guess, scripts: guess };
  };
}

/** The same in a worker of ours, which started from a blob: there a script is loaded at once. */
export function probeBlobsInWorker(): () => BlobPolicy {
  let allowed: BlobPolicy | undefined;
  return () => {
    allowed ??= { isKnown: true, workers: true, scripts: mayImport() };
    return allowed;
  };
}

function mayImport(): boolean {
  const empty = addressOf(new Blob([''], { type: 'text/javascript' }));
  try {
    Reflect.apply(importScripts as (address: string) => void, globalThis, [empty]);
    return true;
  } catch (error) {
    return error instanceof TypeError; // A module worker, which only starts where scripts may.
  } finally {
    release(empty);
  }
}

function mayEval(): boolean {
  try {
    new Function('');
    return true;
  } catch {
    return false;
  }
}
