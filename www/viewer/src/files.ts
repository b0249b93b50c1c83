// From files that the user gives to profiles.

import type { ProfileInput } from './profiles.js';

const MAP_ENDINGS = ['.map.json', '.yaml', '.yml'];

/**
 * Puts each `.xray` file together with the map of the same name. A single map goes
 * with a single profile, whatever their names.
 * @throws Error if a file is neither or has no partner
 */
export async function readFiles(files: readonly File[]): Promise<ProfileInput[]> {
  const isMap = ({ name }: File) => MAP_ENDINGS.some((ending) => name.endsWith(ending));
  const maps = files.filter(isMap);
  const profiles = files.filter((file) => !isMap(file));
  if (profiles.length === 0) {
    throw new Error(
      `${files.map(({ name }) => name).join(', ')} holds names only. Give the .xray file that belongs to it, too.`,
    );
  }
  return Promise.all(
    profiles.map(async (file) => {
      const own = maps.find(({ name }) => stem(name) === stem(file.name));
      const map = own ?? (profiles.length === 1 && maps.length === 1 ? maps[0] : undefined);
      return {
        name: file.name,
        blocks: new Uint8Array(await file.arrayBuffer()),
        map: new Uint8Array((await map?.arrayBuffer()) ?? []),
      };
    }),
  );
}

function stem(name: string): string {
  return name.replace(/\.(xray|map\.json|ya?ml)$/, '');
}
