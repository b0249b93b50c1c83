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
export type { Clock, ProbeKind, ProfilerOptions } from './core/options.js';
export type { Dropped } from './core/runtime.js';
export type { SkippedModule } from './core/session.js';
export {
  ArenaError,
  type ErrorCode,
  FileError,
  InstallationError,
  ModuleError,
  OptionError,
  ProfileError,
  XrayError,
} from './errors.js';
export type {
  DiffOptions,
  FunctionEntry,
  Report,
  ReportOptions,
  SkippedEntry,
  SortKey,
} from './profile.js';
export { CONVERT_FORMATS, type ConvertFormat, Profile, ProfileDiff } from './profile.js';
export { createProfiler, type Instrumented, type Profiler } from './profiler.js';
