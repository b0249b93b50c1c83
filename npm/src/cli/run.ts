import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, resolve } from 'node:path';
import { FileError } from '../errors.js';
import type { Ending } from './launch.js';
import { type ProfileOptions, runProfiled } from './profiled.js';

/**
 * `wasm-xray run`: profiles a Node program.
 * @returns how the program ended
 * @throws FileError, OptionError before the program is started
 */
export function run(
  app: string,
  args: readonly string[],
  options: ProfileOptions,
): Promise<Ending> {
  const program = findProgram(app);
  const command = {
    file: process.execPath,
    args: [program, ...args],
    isNode: true,
    defaultOut: `${basename(program, extname(program))}.xray`,
  };
  return runProfiled(command, options);
}

/** Finds a program as `node` would. */
function findProgram(app: string): string {
  if (extname(app) === '.wasm') {
    throw new FileError(
      `${app} is a WebAssembly module. Name the JavaScript program that loads it: wasm-xray run app.mjs.`,
    );
  }
  try {
    return createRequire(resolve('-')).resolve(resolve(app));
  } catch {
    const is = statSync(app, { throwIfNoEntry: false })?.isDirectory()
      ? `${app} is a directory.`
      : `There is no program ${app}.`;
    throw new FileError(`${is} Name a JavaScript file: wasm-xray run app.mjs.`);
  }
}
