// A thread with a module of its own, plain and with probes; runs what it is told to.

import { parentPort } from 'node:worker_threads';
import '../../npm/dist/index.js'; // Gives sessions their wasm files.
import { openSession } from '../overhead/session.mjs';
import { leaf } from './module.mjs';

const bytes = leaf(0);
const runs = {
  plain: new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.run,
  calls: openSession({ clock: 'calls' }).instantiate(bytes, {}).exports.run,
};
parentPort.on('message', ({ kind, calls }) => parentPort.postMessage(runs[kind](calls)));
