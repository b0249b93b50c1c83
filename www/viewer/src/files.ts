// From files that the user gives to profiles.

import { messageOf } from './dom.js';
import { grouped } from './format.js';
import type { ProfileInput } from './profiles.js';

/** Told what is waited for, and how far that is, from 0 to 1. */
export type Progress = (what: string, part?: number) => void;

const MAP_ENDINGS = ['.map.json', '.yaml', '.yml'];

/**
 * Puts each `.xray` file together with the map of the same name. A single map goes
 * with a single profile, whatever their names.
 * @throws Error if a file is neither or has no partner
 */
export async function readFiles(
  files: readonly File[],
  progress: Progress,
): Promise<ProfileInput[]> {
  const isMap = ({ name }: File) => MAP_ENDINGS.some((ending) => name.endsWith(ending));
  const maps = files.filter(isMap);
  const profiles = files.filter((file) => !isMap(file));
  if (profiles.length === 0) {
    throw new Error(
      `${files.map(({ name }) => name).join(', ')} holds names only. Give the .xray file that belongs to it, too.`,
    );
  }
  const inputs: ProfileInput[] = [];
  for (const file of profiles) {
    const own = maps.find(({ name }) => stem(name) === stem(file.name));
    const map = own ?? (profiles.length === 1 && maps.length === 1 ? maps[0] : undefined);
    inputs.push({
      name: file.name,
      blocks: await bytesOf(file, progress),
      map: map ? await bytesOf(map, progress) : new Uint8Array(),
    });
  }
  return inputs;
}

async function bytesOf(file: File, progress: Progress): Promise<Uint8Array<ArrayBuffer>> {
  const what = `Loading ${file.name.slice(0, 200)} …`;
  progress(what);
  try {
    return await readStream(file.stream(), file.size, (part) => progress(what, part));
  } catch (error) {
    const size = file.size > 0 ? ` with its ${grouped(file.size)} bytes` : '';
    throw new Error(`${file.name}${size} could not be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** All bytes of a stream of a known size, in one buffer. */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  size: number,
  progress: (part: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  let received = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes.set(next.value, received);
    received += next.value.length;
    progress(received / size);
  }
  return bytes.subarray(0, received);
}

function stem(name: string): string {
  return name.replace(/\.(xray|map\.json|ya?ml)$/, '');
}
