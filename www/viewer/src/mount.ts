// The viewer inside any page: what the page itself, the export and the DevTools panel use.

import './styles.css';
import { App, type PageMaker } from './app.js';
import type { ProfileInput } from './profiles.js';
import { loadToolkit, type ToolkitSource } from './toolkit.js';

export type { ProfileInput } from './profiles.js';
export type { ToolkitSource } from './toolkit.js';

export interface MountOptions {
  /** The toolkit's wasm: a module, bytes, or where to fetch it. */
  readonly toolkit: ToolkitSource;
  readonly profiles: readonly ProfileInput[];
  /** Makes a page that works from disk; without it the viewer does not offer one. */
  readonly makePage?: PageMaker;
}

export interface Mounted {
  /**
   * Shows other profiles; none: keeps what is there.
   * @throws Error if one is not a profile; what was shown stays
   */
  setProfiles(profiles: readonly ProfileInput[]): Promise<void>;
  /** Says what is waited for, until other profiles are shown or something failed; `part` from 0 to 1. */
  progress(what: string, part?: number): void;
  /** Says what went wrong; what was shown stays. */
  fail(message: string): void;
  destroy(): void;
}

/**
 * Puts the viewer into an element, which it fills.
 * @throws Error for people if a profile or the toolkit cannot be read
 */
export async function mount(root: HTMLElement, options: MountOptions): Promise<Mounted> {
  await loadToolkit(options.toolkit);
  const app = new App(root, options.makePage);
  try {
    await app.setProfiles(options.profiles);
  } catch (error) {
    app.destroy();
    throw error;
  }
  return {
    setProfiles: (profiles) => app.setProfiles(profiles),
    progress: (what, part) => app.progress(what, part),
    fail: (message) => app.fail(message),
    destroy: () => app.destroy(),
  };
}
