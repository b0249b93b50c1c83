/** Path of the map that belongs to a profile: `a.map.json` for `a.xray`. */
export function mapPath(profilePath: string): string {
  return `${profilePath.replace(/\.xray$/, '')}.map.json`;
}
