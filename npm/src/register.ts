/**
 * `node --import wasm-xray/register app.mjs`, or `--require` of the same:
 * profiles every WebAssembly module that the program loads, and writes
 * `wasm-xray-<process id>.xray` in the end. Options are the environment variables
 * `WASM_XRAY_CLOCK` (`calls`, `instructions`, `sampled`, `wall`), `WASM_XRAY_ARENA` (such as `256M`),
 * `WASM_XRAY_PROBES` (`inline`, `imported`), `WASM_XRAY_CLOCK_THREAD` (`1`), `WASM_XRAY_INCLUDE` and
 * `WASM_XRAY_EXCLUDE` (globs between commas; `?` stands for a comma in a name),
 * `WASM_XRAY_MIN_INSTRUCTIONS`, `WASM_XRAY_ATTR_LIST` (a file) and `WASM_XRAY_SNAPSHOT`
 * (such as `10s`: a program that is killed hard leaves its last snapshot).
 */
import { createRequire } from 'node:module';
import { REGISTER } from './hook/paths.js';

createRequire(import.meta.url)(REGISTER);
