import { addressOf, release } from './blobs.js';

// Taken now: a program may replace them.
const { Worker, Blob } = globalThis;

/**
 * Finds out whether the page's Content-Security-Policy lets workers start from
 * blobs. An engine tells only later, by an event at the worker, so one is started
 * for it at once. Until it has answered, the policy for `eval` is taken for an
 * answer: without one there is most likely none for workers.
 */
export function probeBlobWorkers(): () => boolean {
  if (typeof Worker !== 'function') return () => false;
  let allowed: boolean | undefined;
  const hideReport = (event: SecurityPolicyViolationEvent) => {
    if (allowed === undefined && event.blockedURI === 'blob') event.stopImmediatePropagation();
  };
  globalThis.addEventListener('securitypolicyviolation', hideReport, true);
  const address = addressOf(new Blob(['postMessage(0)'], { type: 'text/javascript' }));
  const answer = (value: boolean) => {
    allowed ??= value;
    release(address);
    globalThis.removeEventListener('securitypolicyviolation', hideReport, true);
  };
  try {
    const worker = new Worker(address);
    worker.onmessage = () => {
      answer(true);
      worker.terminate();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      answer(false);
    };
  } catch {
    answer(false);
  }
  return () => allowed ?? mayEval();
}

function mayEval(): boolean {
  try {
    new Function('');
    return true;
  } catch {
    return false;
  }
}
