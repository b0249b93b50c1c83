import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { FileError, messageOf } from '../errors.js';

const NAME = 'chromedriver';
/** Environment variables as wasm-bindgen-test-runner reads them: an address, a path, arguments. */
const REMOTE = 'CHROMEDRIVER_REMOTE';
const FILE = 'CHROMEDRIVER';
const ARGS = 'CHROMEDRIVER_ARGS';
/** How long a driver may take to start, in ms. */
const START_MS = 60_000;
/** How much of what the driver says is kept for a message, in characters. */
const KEPT = 2000;

/** Where Chrome's WebDriver is: running, or a program to start. */
export type DriverPlace = { readonly url: URL } | { readonly file: string };

/**
 * Finds the driver that a command would use: `--chromedriver` among its
 * arguments, as wasm-pack has it, else the environment, else the search path.
 * @throws FileError if there is none
 */
export function findDriver(args: readonly string[], env: NodeJS.ProcessEnv): DriverPlace {
  const remote = env[REMOTE];
  if (remote) {
    if (URL.canParse(remote)) return { url: new URL(remote) };
    throw new FileError(`${REMOTE} is ${remote}. Give it the address of a driver, or unset it.`);
  }
  const named = argument(args, '--chromedriver') ?? env[FILE];
  if (named) {
    if (isProgram(named)) return { file: named };
    throw new FileError(`${named} is not a program. Give the path of chromedriver.`);
  }
  const { PATH = '' } = env;
  for (const directory of PATH.split(delimiter)) {
    for (const name of process.platform === 'win32' ? [`${NAME}.exe`] : [NAME]) {
      const file = join(directory, name);
      if (isProgram(file)) return { file };
    }
  }
  throw new FileError(
    'There is no chromedriver on PATH. Install the one of your Chrome, or give its path to wasm-pack with --chromedriver.',
  );
}

/** `v` of `name v` or `name=v`. */
function argument(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  const found = args[at];
  if (found === undefined) return undefined;
  return found === name ? args[at + 1] : found.slice(name.length + 1);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A driver that takes commands. */
export interface Driver {
  readonly url: URL;
  /** Ends it if it was started here. */
  stop(): void;
}

/**
 * Starts a driver on a port of its choice.
 * @throws FileError if it does not start
 */
export async function startDriver(
  place: DriverPlace,
  env: NodeJS.ProcessEnv,
  limitMs = START_MS,
): Promise<Driver> {
  if ('url' in place) return { url: place.url, stop: () => {} };
  const args = (env[ARGS] ?? '').split(/\s+/).filter((arg) => arg !== '');
  const child = spawn(place.file, ['--port=0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const port = await announcedPort(child, limitMs);
    child.unref();
    return { url: new URL(`http://127.0.0.1:${port}`), stop: () => child.kill() };
  } catch (error) {
    child.kill('SIGKILL');
    throw new FileError(`${place.file} does not start: ${messageOf(error)}`, { cause: error });
  }
}

function announcedPort(child: ChildProcess, limitMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = () => reject(new Error(`it named no port in ${limitMs / 1000} s. ${said.trim()}`));
    const timer = setTimeout(late, limitMs);
    const listen = (chunk: Buffer) => {
      said = (said + String(chunk)).slice(-KEPT);
      const port = /started successfully on port (\d+)/.exec(said)?.[1];
      if (!port) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`it ended with exit code ${code}. ${said.trim()}`));
    });
  });
}
