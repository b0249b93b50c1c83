import { composePage } from '../core/page.js';
import type { Profile } from '../profile.js';
import { readAsset } from './assets.js';

/**
 * The viewer and a profile as one HTML file that works from disk.
 * @throws InstallationError, ProfileError
 */
export async function viewerPage(name: string, profile: Profile): Promise<Uint8Array> {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const page = await composePage({
    script: text(readAsset('viewer.js')),
    style: text(readAsset('viewer.css')),
    toolkit: readAsset('toolkit.wasm'),
    profiles: [{ name, blocks: profile.blocks(), map: profile.map() }],
  });
  return new TextEncoder().encode(page);
}
