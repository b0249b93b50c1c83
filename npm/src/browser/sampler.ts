import { startThreadsWith } from '../core/threads.js';
import { addressOf, release } from './hook/blobs.js';

// Taken now: a program may replace them.
const { Blob, Worker } = globalThis;

startThreadsWith({
  // A page's workers start when its event loop turns.
  startsAtOnce: false,
  processors: navigator.hardwareConcurrency,
  start(script, data, failed) {
    const text = `onmessage = ({ data }) => { (${script})(data); close(); };`;
    const address = addressOf(new Blob([text], { type: 'text/javascript' }));
    const thread = new Worker(address, { name: 'wasm-xray sampler' });
    const why = "the page's Content-Security-Policy may forbid workers from blobs";
    thread.onerror = (event) => {
      event.preventDefault();
      failed(event.message || why);
    };
    thread.postMessage(data);
    // By then it is loaded, or never will be.
    setTimeout(release, 10_000, address);
    return undefined;
  },
});
