import { syncBuiltinESMExports } from 'node:module';
import worker, {
  BroadcastChannel,
  threadId,
  type Worker,
  type WorkerOptions,
} from 'node:worker_threads';
import '../node/worker.js';
import { type ExposedThreads, listen } from './exposed.js';
import { hasMarker, hasPart, type ThreadKey } from './parts.js';
import { replaceConstructor, replaceFunction } from './patch.js';

/** How long a process that ends waits for its workers' parts, in ms; those that are busy stay unseen… */
const WAIT_AT_EXIT_MS = 500;
/** …unless it can read their memories. */
const WAIT_FOR_EXPOSED_MS = 50;
/** How long a worker that is terminated has to write its part, in ms. */
const WAIT_AT_TERMINATION_MS = 200;
const POLL_MS = 2;

/** Workers started by this thread, by thread id; gone once collected. */
const started = new Map<number, WeakRef<Worker>>();

/**
 * Makes sure that every worker has the hook, as a module posted to one without
 * could not be linked there.
 * @param register path of the hook
 * @param parts directory of the parts
 * @param onStart called before each worker is started
 */
export function patchWorkers(register: string, parts: string, onStart: () => void): void {
  replaceConstructor(worker, 'Worker', (args, construct) => {
    onStart();
    const instance = construct(withHook(args, register)) as Worker;
    started.set(instance.threadId, new WeakRef(instance));
    return instance;
  });
  replaceFunction(worker.Worker.prototype, 'terminate', (args, native, self) => {
    const threadId = (self as Worker | undefined)?.threadId ?? -1;
    if (started.has(threadId)) {
      askFor([{ pid: process.pid, threadId }], parts, WAIT_AT_TERMINATION_MS);
    }
    return native(args);
  });
  syncBuiltinESMExports();
}

/** What loads the hook when it stands in `NODE_OPTIONS`. */
export function requireOption(register: string): string {
  return `--require ${JSON.stringify(register)}`;
}

/** The arguments of `new Worker`, changed where the hook would get lost. */
function withHook(args: unknown[], register: string): unknown[] {
  const [file, given, ...rest] = args;
  if (given !== undefined && (typeof given !== 'object' || given === null)) return args;
  const options: WorkerOptions = given ?? {};
  const hook = requireOption(register);
  const has = (nodeOptions: unknown) =>
    typeof nodeOptions === 'string' && nodeOptions.includes(hook);

  // An environment of its own replaces `NODE_OPTIONS`.
  const env: unknown = options.env;
  if (typeof env === 'object' && env !== null) {
    const own = Reflect.get(env, 'NODE_OPTIONS') ?? '';
    if (has(own)) return args;
    return [file, { ...options, env: { ...env, NODE_OPTIONS: `${hook} ${own}` } }, ...rest];
  }
  const { NODE_OPTIONS } = process.env;
  if (has(NODE_OPTIONS)) return args;

  // The hook stands on the command line, which options of its own replace.
  if (Array.isArray(options.execArgv)) {
    const execArgv = [...options.execArgv, '--require', register];
    return [file, { ...options, execArgv }, ...rest];
  }
  // `--import` is not done for a program that is a text.
  if (options.eval && typeof file === 'string') {
    const path = JSON.stringify(register);
    const load = `process.getBuiltinModule("module").createRequire(${path})(${path});`;
    const strict = /^\s*(['"])use strict\1/.test(file) ? '"use strict";' : '';
    return [strict + load + file, given, ...rest];
  }
  return args;
}

/**
 * Lets this worker answer when it is asked for its part.
 * @param flush writes it
 */
export function answerCalls(flush: () => void): void {
  const channel = new BroadcastChannel(channelName(process.pid));
  listen(channel, (asked) => {
    if (Array.isArray(asked) && asked.includes(threadId)) flush();
  });
  channel.unref();
}

/**
 * Asks the workers that still run to write their parts. To be called when
 * nothing else will run.
 */
export function lastCall(parts: string, exposed: ExposedThreads | undefined): void {
  const running = [...started.keys()]
    .filter((threadId) => !hasEnded(threadId))
    .map((threadId) => ({ pid: process.pid, threadId }))
    .filter((key) => hasMarker(parts, key));
  const isExposed = running.every(({ threadId }) => exposed?.has(threadId));
  askFor(running, parts, isExposed ? WAIT_FOR_EXPOSED_MS : WAIT_AT_EXIT_MS);
}

/** Whether a worker that this thread started has ended. */
export function hasEnded(threadId: number): boolean {
  const worker = started.get(threadId);
  return worker !== undefined && (worker.deref()?.threadId ?? -1) === -1;
}

/** Asks threads for their parts and waits for those that have anything to say. */
function askFor(threads: readonly ThreadKey[], parts: string, waitMs: number): void {
  const missing = () => threads.filter((key) => hasMarker(parts, key) && !hasPart(parts, key));
  if (missing().length === 0) return;
  const channel = new BroadcastChannel(channelName(process.pid));
  channel.postMessage(threads.map(({ threadId }) => threadId));
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < waitMs && missing().length > 0; waited += POLL_MS) {
    Atomics.wait(clock, 0, 0, POLL_MS);
  }
  channel.close();
}

function channelName(pid: number): string {
  return `wasm-xray ${pid}`;
}
