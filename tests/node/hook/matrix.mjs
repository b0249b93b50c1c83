// Loads modules of every kind in every way, and prints what each does.

import vm from 'node:vm';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { bytesOf, isTaken, KINDS, OPTIONS, use } from './matrix-kinds.mjs';

class Derived extends WebAssembly.Module {}
const asResponse = (bytes) =>
  new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
const context = vm.createContext();

/** A view of memory that another program works in: what it holds changes at once. */
function liveView(bytes) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const view = new Uint8Array(memory.buffer, 7, bytes.length);
  view.set(bytes);
  return view;
}

/** Runs a step of {@link answer} in a worker. */
function inWorker(kind, message) {
  const worker = new Worker(new URL(import.meta.url));
  worker.postMessage({ kind, ...message });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  }).finally(() => worker.terminate());
}

function answer({ kind, module, bytes }) {
  const compiled = module ?? new WebAssembly.Module(bytes, OPTIONS);
  return use(kind, (imports) => new WebAssembly.Instance(compiled, imports));
}

const instanceOf = (compile) => (kind, bytes) =>
  use(kind, (imports) => new WebAssembly.Instance(compile(bytes), imports));

export const WAYS = {
  'new Module': instanceOf((bytes) => new WebAssembly.Module(bytes, OPTIONS)),
  'a subclass': instanceOf((bytes) => new Derived(bytes, OPTIONS)),
  'a buffer': instanceOf((bytes) => new WebAssembly.Module(bytes.buffer, OPTIONS)),
  'a view of live memory': instanceOf((bytes) => {
    const view = liveView(bytes);
    const module = new WebAssembly.Module(view, OPTIONS);
    view.fill(0);
    return module;
  }),
  'a clone': instanceOf((bytes) => structuredClone(new WebAssembly.Module(bytes, OPTIONS))),
  compile: (kind, bytes) =>
    use(kind, async (imports) => {
      const module = await WebAssembly.compile(bytes, OPTIONS);
      return new WebAssembly.Instance(module, imports);
    }),
  'instantiate bytes': (kind, bytes) =>
    use(kind, async (imports) => {
      const view = liveView(bytes);
      const loading = WebAssembly.instantiate(view, imports, OPTIONS);
      view.fill(0);
      return (await loading).instance;
    }),
  'instantiate a module': (kind, bytes) =>
    use(kind, async (imports) =>
      WebAssembly.instantiate(await WebAssembly.compile(bytes, OPTIONS), imports),
    ),
  compileStreaming: (kind, bytes) =>
    use(kind, async (imports) => {
      const module = await WebAssembly.compileStreaming(asResponse(bytes), OPTIONS);
      return new WebAssembly.Instance(module, imports);
    }),
  instantiateStreaming: (kind, bytes) =>
    use(kind, async (imports) => {
      const response = Promise.resolve(asResponse(bytes));
      return (await WebAssembly.instantiateStreaming(response, imports, OPTIONS)).instance;
    }),
  'a context': (kind, bytes) =>
    use(kind, async (imports) => {
      const load = vm.runInContext('(...args) => WebAssembly.instantiate(...args)', context);
      return (await load(bytes, imports, OPTIONS)).instance;
    }),
  'a worker that compiles': (kind, bytes) => inWorker(kind, { bytes }),
  'a worker that gets it': (kind, bytes) =>
    inWorker(kind, { module: new WebAssembly.Module(bytes, OPTIONS) }),
};

if (!isMainThread) {
  parentPort.once('message', (message) => parentPort.postMessage(answer(message)));
} else if (process.argv[2] !== 'list') {
  for (const kind of Object.keys(KINDS).filter(isTaken)) {
    for (const [way, load] of Object.entries(WAYS)) {
      console.log(`${kind} by ${way}: ${await load(kind, bytesOf(kind, way))}`);
    }
  }
}
