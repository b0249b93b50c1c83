import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { mapPath } from '../core/profile-paths.js';
import { OptionError } from '../errors.js';
import { type ServedProfile, serveViewer } from '../view/server.js';
import { readInput } from './files.js';
import { openProfile } from './profile-file.js';

export interface ViewOptions {
  /** False: only print the address. */
  readonly open: boolean;
  /** 0: any that is free. */
  readonly port: number;
  readonly subtractProbeCost?: boolean;
  /** Show what changed from the first profile to the second. */
  readonly diff?: boolean;
}

/**
 * `wasm-xray view`: serves the viewer until Ctrl-C.
 * @throws FileError, ProfileError, OptionError
 */
export async function view(paths: readonly string[], options: ViewOptions): Promise<void> {
  if (options.diff && paths.length !== 2) {
    throw new OptionError('--diff needs two profiles: wasm-xray view --diff old.xray new.xray');
  }
  const server = await serveViewer(
    paths.map((path) => load(path, options)),
    options.port,
  );
  const hash = options.diff ? 'profile=1&before=0' : '';
  const address = server.address(hash);
  process.stdout.write(`${address}\n`);
  process.stderr.write('The address works once; Enter prints another one. Ctrl-C ends.\n');
  if (options.open) openBrowser(address);
  const input = createInterface({ input: process.stdin });
  input.on('line', () => process.stdout.write(`${server.address(hash)}\n`));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  input.close();
  await server.close();
}

/** Reads a profile, so that what is wrong with it is said here and not in the browser. */
function load(path: string, { subtractProbeCost }: ViewOptions): ServedProfile {
  const profile = openProfile(path, undefined);
  if (subtractProbeCost) {
    const without = profile.transform({ subtractProbeCost });
    const map = new TextEncoder().encode(without.map());
    return { name: basename(path), blocks: without.blocks(), map };
  }
  profile.free();
  const map = mapPath(path);
  return {
    name: basename(path),
    blocks: readInput(path, 'profile, such as app.xray'),
    map: existsSync(map) ? readInput(map, 'map, such as app.map.json') : new Uint8Array(),
  };
}

/** Says so if there is none: the address has been printed. */
function openBrowser(address: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const child = spawn(command ?? '', [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {
    process.stderr.write('No browser could be opened: open the address yourself.\n');
  });
  child.unref();
}
