/**
 * `wasm-xray/browser`: records every module that a page loads after `record()`,
 * in whatever way, its workers and its frames of the same origin included.
 *
 * ```js
 * import { record } from 'wasm-xray/browser';
 *
 * const recording = await record({ clock: 'wall' });
 * await import('./app.js');
 * const profile = await recording.profile();
 * ```
 */
import { type ProfilerOptions, settingsFrom } from '../core/options.js';
import type { PackagedFile } from '../core/packaged.js';
import { checkClock } from '../core/sampler.js';
import { InstallationError } from '../errors.js';
import { Profile } from '../profile.js';
import { install } from './hook/entry.js';
import type { Live, Recorder } from './hook/recorder.js';
import { hookSource } from './hook/script.js';

export type { Live } from './hook/recorder.js';

/** A recording of this page. */
export interface Recording {
  /** How far it is. */
  live(): Live;
  /**
   * The profile so far, of all threads. Waits for workers, but not for those that
   * are busy; the profile's report says which are missing.
   */
  profile(): Promise<Profile>;
  /**
   * Begins a phase: what is called from now on is in the profile's threads of that
   * phase, until the next mark. A worker hears of it a little later, when its event loop turns.
   */
  mark(phase: string): void;
  /** Ends it. What is loaded keeps its probes; the page has to be loaded again to be rid of them. */
  stop(): void;
}

/** How long {@link Recording.profile} waits for workers, in ms. */
const WAIT_MS = 1000;
const POLL_MS = 10;

const FILES: Readonly<Record<PackagedFile, URL>> = {
  runtime: new URL('../../wasm/runtime/runtime_bg.wasm', import.meta.url),
  toolkit: new URL('../../wasm/toolkit/wasm_xray_toolkit_bg.wasm', import.meta.url),
};

/**
 * Hooks this page. A second call gives the same recording.
 * @throws OptionError
 * @throws EngineError with clock `sampled`, if the page is not cross-origin isolated
 * @throws InstallationError if a file of the package could not be fetched
 */
export async function record(options: ProfilerOptions = {}): Promise<Recording> {
  const settings = settingsFrom(options);
  checkClock(settings.clock);
  const [bundle, runtime, toolkit] = await Promise.all([
    get(new URL('./hook.js', import.meta.url)).then((response) => response.text()),
    get(FILES.runtime).then(base64Of),
    get(FILES.toolkit).then(base64Of),
  ]);
  const channel = `wasm-xray ${Math.random().toString(36).slice(2)}`;
  const config = { settings, files: { runtime, toolkit }, channel };
  const recorder = install(config, { name: 'main' }, hookSource(bundle));
  return {
    live: () => recorder.live(),
    profile: () => profileOf(recorder),
    mark: (phase) => recorder.mark(String(phase)),
    stop: () => recorder.stop(),
  };
}

async function profileOf(recorder: Recorder): Promise<Profile> {
  recorder.ask();
  for (let waited = 0; recorder.isWaiting && waited < WAIT_MS; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return Profile.merge(recorder.parts());
}

async function get(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (response.ok) return response;
  throw new InstallationError(
    `A part of wasm-xray could not be loaded from ${url}: the server answered ${response.status}. Serve the package's files as they are.`,
  );
}

async function base64Of(response: Response): Promise<string> {
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
