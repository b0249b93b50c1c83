import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileError, messageOf, OptionError } from '../errors.js';

/** How to run a WASI module; what `wasi-program.ts` gets besides the module's path and arguments. */
export interface WasiCommand {
  readonly env: Readonly<Record<string, string>>;
  /** Folders of this computer by the path under which the module sees them. */
  readonly preopens: Readonly<Record<string, string>>;
  readonly version: 'preview1' | 'unstable';
}

/** Options for WASI modules, as users give them. */
export interface WasiFlags {
  /** `NAME=VALUE`, or `NAME` for our own value. */
  readonly env?: readonly string[];
  /** `HOST` or `HOST::GUEST`. */
  readonly dir?: readonly string[];
}

/**
 * Environment variable that holds a {@link WasiCommand} as JSON: others may read what is on the
 * command line, and variables of the module are not for them.
 */
export const WASI_KEY = 'WASM_XRAY_WASI';

/** The script that runs a {@link WasiCommand}. */
export const WASI_PROGRAM = fileURLToPath(new URL('wasi-program.js', import.meta.url));

/** Import modules of WASI, with their names in `node:wasi`. */
const VERSIONS = { wasi_snapshot_preview1: 'preview1', wasi_unstable: 'unstable' } as const;

/**
 * Checks that a module can run as a WASI command.
 * @throws FileError, OptionError saying why not
 */
export function wasiCommand(file: string, flags: WasiFlags): WasiCommand {
  return {
    env: Object.fromEntries((flags.env ?? []).map(variable)),
    preopens: Object.fromEntries((flags.dir ?? []).map(folder)),
    version: versionOf(file, compile(file)),
  };
}

function compile(file: string): WebAssembly.Module {
  let bytes: Buffer<ArrayBuffer>;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new FileError(`${file} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
  if (bytes[4] === 0x0d) {
    throw new FileError(
      `${file} is a component; Node runs core modules only. Profile the JavaScript that jco makes of it: wasm-xray run app.mjs.`,
    );
  }
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    throw new FileError(`${file}: ${messageOf(error)}.`, { cause: error });
  }
}

function versionOf(file: string, module: WebAssembly.Module): WasiCommand['version'] {
  const imports = WebAssembly.Module.imports(module);
  const other = imports.find((one) => !(one.module in VERSIONS));
  if (other) {
    throw new FileError(
      `${file} imports ${other.module}.${other.name}, which WASI does not have. Name the JavaScript program that loads it: wasm-xray run app.mjs.`,
    );
  }
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === '_start')) {
    throw new FileError(
      `${file} exports no _start, so it is a library and no WASI command. Name the JavaScript program that loads it: wasm-xray run app.mjs.`,
    );
  }
  const [first] = imports;
  return first ? VERSIONS[first.module as keyof typeof VERSIONS] : 'preview1';
}

function variable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  const own = process.env[text];
  if (at < 0 && own !== undefined) return [text, own];
  throw new OptionError(
    at < 0
      ? `There is no environment variable ${text} to hand on. Give a value: --env ${text}=value.`
      : `"${text}" names no variable. Give --env NAME=value.`,
  );
}

function folder(text: string): [string, string] {
  const [host = '', guest = host] = text.split('::');
  if (!statSync(host, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OptionError(`There is no directory "${host}". Give --dir PATH or --dir PATH::GUEST.`);
  }
  return [guest, resolve(host)];
}
