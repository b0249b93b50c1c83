/**
 * wasm-xray as a library: exact call counts, call paths and times of WebAssembly.
 *
 * ```js
 * import { createProfiler } from 'wasm-xray';
 *
 * const profiler = createProfiler({ clock: 'wall' });
 * const { instance } = await profiler.instantiate(bytes, imports);
 * instance.exports.work();
 * const profile = profiler.profile();
 * console.log(profile.report().functions);
 * ```
 */
import './node/packaged.js';
import './node/sampler.js';

export * from './library.js';
