import { existsSync } from 'node:fs';
import { VERSION_XRAY } from '../core/abi.js';
import { mapPath } from '../core/profile-paths.js';
import { messageOf, ProfileError } from '../errors.js';
import { Profile } from '../profile.js';
import { readInput } from './files.js';

/**
 * Opens a profile and the map that lies beside it. A native XRay file needs none.
 * @param map path of the map, if it lies elsewhere
 * @throws FileError, ProfileError
 */
export function openProfile(path: string, map: string | undefined): Profile {
  const blocks = readInput(path, 'profile, such as app.xray');
  const mapFile = map ?? mapPath(path);
  if (map === undefined && !existsSync(mapFile)) {
    const profile = read(path, blocks, '');
    if (isXrayLayout(blocks)) return profile;
    throw new ProfileError(
      `There is no map ${mapFile}, which holds the names for ${path}. Name it with --map.`,
    );
  }
  const text = readInput(mapFile, 'map, such as app.map.json');
  return read(path, blocks, new TextDecoder().decode(text));
}

function read(path: string, blocks: Uint8Array, map: string): Profile {
  try {
    return Profile.read(blocks, map);
  } catch (error) {
    throw new ProfileError(
      `${path} cannot be read as a profile: ${messageOf(error)}. Make it again with wasm-xray run.`,
      { cause: error },
    );
  }
}

/** Whether a file has LLVM XRay's own layout. */
function isXrayLayout(blocks: Uint8Array): boolean {
  const view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength);
  return view.byteLength >= 16 && view.getBigUint64(8, true) === VERSION_XRAY;
}
