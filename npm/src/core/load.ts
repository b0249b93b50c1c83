import { InstallationError, messageOf } from '../errors.js';
import { copyBytes } from './bytes.js';
import { natives } from './natives.js';
import { isPackagedLoaded, type PackagedFile, providePackaged } from './packaged.js';

/** A wasm file of this package: where it is, its bytes, or the compiled module. */
export type PackagedSource = string | URL | BufferSource | WebAssembly.Module;
export type PackagedSources = Partial<Readonly<Record<PackagedFile, PackagedSource>>>;

const FILES: readonly PackagedFile[] = ['runtime', 'toolkit'];

let addresses: Readonly<Record<PackagedFile, URL>> | undefined;
const loading = new Map<PackagedFile, Promise<void>>();

/** Says where the files are in a host that loads them over the network. */
export function loadPackagedFrom(urls: Readonly<Record<PackagedFile, URL>>): void {
  addresses = urls;
}

/**
 * Gets everything that wasm-xray needs. In browsers to be awaited before what works
 * at once (`compileSync`, `instantiateSync`, `Profile.read`); the asynchronous
 * functions do it themselves. In Node there is nothing to wait for.
 * @param sources files from elsewhere than beside this script
 * @throws InstallationError saying which file could not be loaded and why
 */
export async function load(sources: PackagedSources = {}): Promise<void> {
  await Promise.all(FILES.map((file) => loadFile(file, sources[file])));
}

function loadFile(file: PackagedFile, source: PackagedSource | undefined): Promise<void> {
  const from = source ?? addresses?.[file];
  if (isPackagedLoaded(file) || from === undefined) return Promise.resolve();
  let promise = loading.get(file);
  if (!promise) {
    promise = get(file, from);
    loading.set(file, promise);
    // Not remembered: the next try may succeed.
    promise.catch(() => loading.delete(file));
  }
  return promise;
}

async function get(file: PackagedFile, source: PackagedSource): Promise<void> {
  if (source instanceof natives.Module) return providePackaged(file, source);
  const isAddress = typeof source === 'string' || source instanceof URL;
  try {
    const bytes = isAddress ? new Uint8Array(await fetchBytes(source)) : copyBytes(source);
    if (!bytes) throw new TypeError('it is neither an address nor bytes');
    providePackaged(file, await natives.compile(bytes), bytes);
  } catch (error) {
    const which = isAddress ? ` from ${source}` : '';
    throw new InstallationError(
      `The ${file} of wasm-xray could not be loaded${which}: ${messageOf(error)}. Serve the file there, or give its address or bytes to load().`,
      { cause: error },
    );
  }
}

async function fetchBytes(url: string | URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.arrayBuffer();
}
