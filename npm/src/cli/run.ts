import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, resolve } from 'node:path';
import { FileError, OptionError } from '../errors.js';
import type { Ending } from './launch.js';
import { type ProfileOptions, runProfiled } from './profiled.js';
import { WASI_KEY, WASI_PROGRAM, type WasiFlags, wasiCommand } from './wasi.js';

/**
 * `wasm-xray run`: profiles a Node program or a WASI module.
 * @returns how the program ended
 * @throws FileError, OptionError before the program is started
 */
export function run(
  app: string,
  args: readonly string[],
  options: ProfileOptions & WasiFlags,
): Promise<Ending> {
  const isModule = extname(app) === '.wasm';
  const program = findProgram(app, isModule);
  if (!isModule && (options.env || options.dir)) {
    throw new OptionError(
      '--env and --dir are for WASI modules; a JavaScript program sees everything.',
    );
  }
  const wasi = isModule ? wasiCommand(program, options) : undefined;
  const command = {
    file: process.execPath,
    args: [...(wasi ? [WASI_PROGRAM] : []), program, ...args],
    ...(wasi && { env: { [WASI_KEY]: JSON.stringify(wasi) } }),
    isNode: true,
    defaultOut: `${basename(program, extname(program))}.xray`,
  };
  return runProfiled(command, options);
}

/** Finds a program as `node` would. */
function findProgram(app: string, isModule: boolean): string {
  if (isModule && statSync(app, { throwIfNoEntry: false })?.isFile()) return app;
  try {
    return createRequire(resolve('-')).resolve(resolve(app));
  } catch {
    const is = statSync(app, { throwIfNoEntry: false })?.isDirectory()
      ? `${app} is a directory.`
      : `There is no program ${app}.`;
    throw new FileError(`${is} Name a JavaScript file: wasm-xray run app.mjs.`);
  }
}
