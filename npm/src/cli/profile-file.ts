import { existsSync } from 'node:fs';
import { MAGIC, VERSION_XRAY } from '../core/abi.js';
import { mapPath } from '../core/profile-paths.js';
import { messageOf, ProfileError } from '../errors.js';
import { Profile } from '../profile.js';
import { readInput } from './files.js';

/**
 * Opens a profile and the map that lies beside it. A native XRay file needs none,
 * and other tools' profiles have none.
 * @param map path of the map, if it lies elsewhere
 * @throws FileError, ProfileError
 */
export function openProfile(path: string, map: string | undefined): Profile {
  const file = readInput(path, 'profile, such as app.xray');
  const version = versionOf(file);
  if (map === undefined && version === undefined) return read(path, file, '');
  const mapFile = map ?? mapPath(path);
  if (map === undefined && !existsSync(mapFile)) {
    const profile = read(path, file, '');
    if (version === VERSION_XRAY) return profile;
    throw new ProfileError(
      `There is no map ${mapFile}, which holds the names for ${path}. Name it with --map.`,
    );
  }
  const text = readInput(mapFile, 'map, such as app.map.json');
  return read(path, file, new TextDecoder().decode(text));
}

function read(path: string, file: Uint8Array, map: string): Profile {
  try {
    return Profile.read(file, map);
  } catch (error) {
    const advice =
      versionOf(file) === undefined ? 'Make it again.' : 'Make it again with wasm-xray run.';
    throw new ProfileError(`${path} cannot be read as a profile: ${messageOf(error)}. ${advice}`, {
      cause: error,
    });
  }
}

/** The version in the header of our own files and of XRay's; other tools' files have none. */
function versionOf(file: Uint8Array): bigint | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.byteLength < 8 || view.getBigUint64(0, true) !== MAGIC) return undefined;
  return view.byteLength < 16 ? 0n : view.getBigUint64(8, true);
}
