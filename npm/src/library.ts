/** What every host offers under the name `wasm-xray`; see `index.ts` and `browser/index.ts`. */

export type { FilterOptions } from './core/filter.js';
export { load, type PackagedSource, type PackagedSources } from './core/load.js';
export type { Clock, ProbeKind, ProfilerOptions } from './core/options.js';
export type { Dropped } from './core/runtime.js';
export type { SkippedModule } from './core/session.js';
export {
  ArenaError,
  EngineError,
  type ErrorCode,
  FileError,
  InstallationError,
  ModuleError,
  OptionError,
  ProfileError,
  XrayError,
} from './errors.js';
export { CodeOffsets, type OriginalPlace } from './offsets.js';
export type {
  DiffOptions,
  FunctionEntry,
  GroupKey,
  ProfileFile,
  Report,
  ReportOptions,
  SkippedEntry,
  SortKey,
  ThreadEntry,
  TransformOptions,
} from './profile.js';
export { CONVERT_FORMATS, type ConvertFormat, Profile, ProfileDiff } from './profile.js';
export { createProfiler, type Instrumented, type Profiler } from './profiler.js';
