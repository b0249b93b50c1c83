/** The program that `wasm-xray run module.wasm` profiles: runs a WASI module, whose path and arguments are its own. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ORIGIN } from '../hook/caller.js';
import { WASI_KEY, type WasiCommand } from './wasi.js';

const command = JSON.parse(process.env[WASI_KEY] ?? '') as WasiCommand;
delete process.env[WASI_KEY];
const [file = '', ...args] = process.argv.slice(2);

// Node calls its WASI experimental; the module's output should not begin with that.
const { emitWarning } = process;
process.emitWarning = (() => {}) as typeof process.emitWarning;
const { WASI } = await import('node:wasi');
process.emitWarning = emitWarning;

const wasi = new WASI({
  version: command.version,
  args: [file, ...args],
  env: command.env,
  preopens: command.preopens,
  returnOnExit: true,
});
const bytes = Object.assign(readFileSync(file), { [ORIGIN]: resolve(file) });
const { instance } = await WebAssembly.instantiate(
  bytes,
  wasi.getImportObject() as WebAssembly.Imports,
);
process.exitCode = wasi.start(instance) as unknown as number;
