// The page: served by `wasm-xray view`, or a file with everything in it.

import './page.css';
import { composePage, fromBase64, PART_ATTRIBUTE, unpack } from '../../../npm/src/core/page.js';
import { messageOf } from './dom.js';
import { type Progress, readFiles, readStream } from './files.js';
import { type Mounted, mount } from './mount.js';
import type { OpenProfile, ProfileInput } from './profiles.js';
import { Start } from './start.js';

/** Where the toolkit and everything else of the page come from. */
interface Source {
  /** Compiled meanwhile: profiles take their time, too. */
  toolkit(): Promise<WebAssembly.Module>;
  toolkitBytes(): Promise<Uint8Array<ArrayBuffer>>;
  profiles(progress: Progress): Promise<ProfileInput[]>;
  script(): Promise<string>;
  style(): Promise<string>;
}

/** A profile as `wasm-xray view` lists it. */
interface ServedProfile {
  readonly name: string;
  readonly blocks: string;
  readonly map: string;
}

function textOfPart(name: string): string[] {
  const parts = document.querySelectorAll(`script[${PART_ATTRIBUTE}="${name}"]`);
  return [...parts].map(({ textContent }) => textContent ?? '');
}

/** The file itself. */
const inFile: Source = {
  toolkit: async () => WebAssembly.compile(await inFile.toolkitBytes()),
  toolkitBytes: () => unpack(textOfPart('toolkit')[0] ?? ''),
  async profiles(progress) {
    const names = new TextDecoder().decode(fromBase64(textOfPart('names')[0] ?? ''));
    const [blocks, maps] = [textOfPart('blocks'), textOfPart('map')];
    const profiles: ProfileInput[] = [];
    for (const [at, name] of (JSON.parse(names) as string[]).entries()) {
      progress(`Unpacking ${name} …`, at / blocks.length);
      profiles.push({
        name,
        blocks: await unpack(blocks[at] ?? ''),
        map: await unpack(maps[at] ?? ''),
      });
    }
    return profiles;
  },
  script: async () => document.querySelector('script[type="module"]')?.textContent ?? '',
  style: async () => document.querySelector('style')?.textContent ?? '',
};

/** A server beside the page. */
const served: Source = {
  toolkit: async () => WebAssembly.compileStreaming(answerFor('toolkit.wasm')),
  toolkitBytes: () => download('toolkit.wasm'),
  async profiles(progress) {
    const list = JSON.parse(new TextDecoder().decode(await download('profiles.json')));
    const profiles: ProfileInput[] = [];
    for (const { name, blocks, map } of list as ServedProfile[]) {
      const what = `Loading ${name} …`;
      profiles.push({
        name,
        blocks: await download(blocks, (part) => progress(what, part)),
        map: map === '' ? new Uint8Array() : await download(map),
      });
    }
    return profiles;
  },
  script: async () => new TextDecoder().decode(await download('viewer.js')),
  style: async () => new TextDecoder().decode(await download('viewer.css')),
};

async function answerFor(path: string): Promise<Response> {
  const response = await fetch(path).catch(() => undefined);
  if (response?.ok) return response;
  throw new Error(
    `${path} could not be loaded. Is wasm-xray view still running? Start it again and use the address that it prints.`,
  );
}

async function download(
  path: string,
  progress: (part: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await answerFor(path);
  const size = Number(response.headers.get('content-length') ?? 0);
  if (size === 0 || !response.body) return new Uint8Array(await response.arrayBuffer());
  return readStream(response.body, size, progress);
}

async function main(root: HTMLElement): Promise<void> {
  const source = document.querySelector(`script[${PART_ATTRIBUTE}]`) ? inFile : served;
  let start: Start | undefined = new Start(root);
  let mounted: Mounted | undefined;
  const toolkit = source.toolkit();
  // Said when it is waited for.
  toolkit.catch(() => {});

  const makePage = async (profiles: readonly OpenProfile[]) =>
    composePage({
      script: await source.script(),
      style: await source.style(),
      toolkit: await source.toolkitBytes(),
      profiles: profiles.map(({ name, raw }) => ({ name, blocks: raw.compact(), map: raw.map() })),
    });

  const show = async (profiles: readonly ProfileInput[]) => {
    if (mounted) {
      await mounted.setProfiles(profiles);
    } else {
      start?.progress('Reading …');
      mounted = await mount(root, { toolkit: await toolkit, profiles, makePage });
      start = undefined;
    }
    document.title = `${profiles.map(({ name }) => name).join(', ')} – wasm-xray`;
  };

  const open = async (files: readonly File[]) => {
    if (files.length === 0) return;
    let inputs: ProfileInput[];
    try {
      inputs = await readFiles(files, (what, part) => (mounted ?? start)?.progress(what, part));
    } catch (error) {
      if (mounted) mounted.fail(messageOf(error));
      else ask(messageOf(error));
      return;
    }
    try {
      await show(inputs);
    } catch (error) {
      // A viewer says itself what is wrong, and keeps what it shows.
      if (!mounted) ask(messageOf(error));
    }
  };
  const ask = (error?: string) => {
    start = new Start(root);
    start.ask(open, error);
  };
  acceptDrops(open);

  try {
    const profiles = await source.profiles((what, part) => start?.progress(what, part));
    if (profiles.length > 0) await show(profiles);
    else ask();
  } catch (error) {
    ask(messageOf(error));
  }
}

/** Files may be dropped anywhere and at any time. */
function acceptDrops(open: (files: readonly File[]) => void): void {
  const drag = (isOver: boolean) => document.body.classList.toggle('xr-dragging', isOver);
  addEventListener('dragover', (event) => {
    event.preventDefault();
    drag(true);
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) drag(false);
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    drag(false);
    open([...(event.dataTransfer?.files ?? [])]);
  });
}

const root = document.getElementById('viewer');
if (root) void main(root);
