/** The program that `wasm-xray run module.wasm` profiles: runs a WASI module, as its only argument describes it. */

import { readFileSync } from 'node:fs';
import { setOrigin } from '../hook/caller.js';
import type { WasiCommand } from './wasi.js';

const command = JSON.parse(process.argv[2] ?? '') as WasiCommand;

// Node calls its WASI experimental; the module's output should not begin with that.
const { emitWarning } = process;
process.emitWarning = (() => {}) as typeof process.emitWarning;
const { WASI } = await import('node:wasi');
process.emitWarning = emitWarning;

const wasi = new WASI({
  version: command.version,
  args: [command.file, ...command.args],
  env: command.env,
  preopens: command.preopens,
  returnOnExit: true,
});
const bytes = readFileSync(command.file);
setOrigin(bytes, command.file);
const { instance } = await WebAssembly.instantiate(
  bytes,
  wasi.getImportObject() as WebAssembly.Imports,
);
process.exitCode = wasi.start(instance) as unknown as number;
