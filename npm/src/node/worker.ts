import worker from 'node:worker_threads';

/** Node's own, as the hook puts another in its place. */
export const { Worker: NativeWorker } = worker;
