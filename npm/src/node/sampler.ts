import { availableParallelism } from 'node:os';
import { startThreadsWith } from '../core/threads.js';
import { messageOf } from '../errors.js';
import { NativeWorker } from './worker.js';

/** What a thread needs that only looks at a memory, in MB. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

const threads = new WeakSet<object>();

/** Whether a value is the `Worker` of a thread that is not the program's. */
export function isHelper(value: unknown): boolean {
  return typeof value === 'object' && value !== null && threads.has(value);
}

startThreadsWith({
  startsAtOnce: true,
  processors: availableParallelism(),
  start(script, data, failed) {
    const text = `(${script})(require('node:worker_threads').workerData);`;
    // Neither the environment's options nor those of the command line: the hook is not for it.
    const options = { eval: true, workerData: data, env: {}, execArgv: [], resourceLimits: LIMITS };
    const thread = new NativeWorker(text, options);
    threads.add(thread);
    thread.on('error', (error) => failed(messageOf(error)));
    thread.unref();
    return thread.threadId;
  },
});
