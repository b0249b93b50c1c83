/**
 * wasm-xray as a library for pages and web workers: what `wasm-xray` is there. The
 * same as in Node, but the package's wasm files have to come over the network:
 * await `load()` first, or begin with a function that returns a promise.
 */
import './packaged.js';
import './sampler.js';

export * from '../library.js';
