import { existsSync } from 'node:fs';
import { mapPath } from '../core/profile-paths.js';
import { messageOf, ProfileError } from '../errors.js';
import { Profile } from '../profile.js';
import { readInput } from './files.js';

/**
 * Opens a profile and the map that lies beside it.
 * @param map path of the map, if it lies elsewhere
 * @throws FileError, ProfileError
 */
export function openProfile(path: string, map: string | undefined): Profile {
  const blocks = readInput(path, 'profile, such as app.xray');
  const mapFile = map ?? mapPath(path);
  if (!existsSync(mapFile)) {
    throw new ProfileError(
      `There is no map ${mapFile}, which holds the names for ${path}. Name it with --map.`,
    );
  }
  const text = new TextDecoder().decode(readInput(mapFile, 'map, such as app.map.json'));
  try {
    return Profile.read(blocks, text);
  } catch (error) {
    throw new ProfileError(`${path} cannot be read as a profile: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
