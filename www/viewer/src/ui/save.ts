// Files out of the viewer: every format of `wasm-xray convert`, and what is on the canvas.

import type { OpenProfile } from '../profiles.js';

export interface SaveFormat {
  readonly id: string;
  readonly title: string;
  readonly ending: string;
}

export const SAVE_FORMATS: readonly SaveFormat[] = [
  { id: 'speedscope', title: 'speedscope', ending: '.speedscope.json' },
  { id: 'cpuprofile', title: 'Chrome DevTools (cpuprofile)', ending: '.cpuprofile' },
  { id: 'firefox', title: 'Firefox Profiler', ending: '.firefox.json' },
  { id: 'pprof', title: 'pprof', ending: '.pb.gz' },
  { id: 'callgrind', title: 'callgrind (KCachegrind)', ending: '.callgrind' },
  { id: 'folded', title: 'folded stacks', ending: '.folded' },
  { id: 'svg', title: 'flame graph (SVG)', ending: '.svg' },
  { id: 'csv', title: 'table (CSV)', ending: '.csv' },
  { id: 'json', title: 'report (JSON)', ending: '.json' },
  { id: 'xray', title: 'LLVM XRay', ending: '.xray' },
];

/** A profile's file name without its ending. */
function stem(profile: OpenProfile): string {
  return profile.name.replace(/^.*[\\/]/, '').replace(/\.xray$/, '') || 'profile';
}

/** The profile in a format; LLVM's layout comes with its map, as it has no names. */
export function saveAs(profile: OpenProfile, { id, ending }: SaveFormat): void {
  const bytes = profile.raw.convert(id);
  const name = stem(profile);
  download(`${name}${id === 'xray' ? '.llvm' : ''}${ending}`, bytes);
  if (id === 'xray') download(`${name}.llvm.map.json`, profile.raw.map());
}

/** The profile as `wasm-xray run` writes it: two files. */
export function saveProfile(profile: OpenProfile): void {
  const name = stem(profile);
  download(`${name}.xray`, profile.raw.compact());
  download(`${name}.map.json`, profile.raw.map());
}

export function savePage(profile: OpenProfile, page: string): void {
  download(`${stem(profile)}.html`, page);
}

export function savePicture(profile: OpenProfile, canvas: HTMLCanvasElement): void {
  canvas.toBlob((blob) => {
    if (blob) offer(`${stem(profile)}.png`, blob);
  });
}

function download(name: string, data: Uint8Array | string): void {
  const part = typeof data === 'string' ? data : new Uint8Array(data);
  offer(name, new Blob([part]));
}

function offer(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it long before.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
