import type { Settings } from '../../core/options.js';
import type { PackagedFile } from '../../core/packaged.js';

/** What the hook of every page, frame and worker of one recording has to know. */
export interface HookConfig {
  readonly settings: Settings;
  /** The package's wasm files in base64, as the first module may come before anything could be fetched. */
  readonly files: Readonly<Record<PackagedFile, string>>;
  /** Name of the channel on which workers hand over their parts; nobody else knows it. */
  readonly channel: string;
}

/** Where in a recording a hook is. */
export interface Place {
  /** Name of its thread in the profile: `main`, `frame 1 (/path)`, `worker 2 (name)`. */
  readonly name: string;
  /** Phase that has begun. */
  readonly phase?: string | undefined;
  /** In a worker: what tells it from the others. */
  readonly worker?: { readonly id: string; readonly address: string | undefined };
}

/** The hook as a function of its configuration, in one text that runs anywhere; see `script.ts`. */
export type HookSource = string;

/** The same text, run. */
export type RunHook<T> = (config: HookConfig, place: Place, source: HookSource) => T;
