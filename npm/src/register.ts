/**
 * `node --import wasm-xray/register app.mjs`, or `--require` of the same:
 * profiles every WebAssembly module that the program loads, and writes
 * `wasm-xray-<process id>.xray` in the end. Options are the environment variables
 * `WASM_XRAY_CLOCK` (`calls`, `wall`), `WASM_XRAY_ARENA` (such as `256M`) and
 * `WASM_XRAY_PROBES` (`inline`, `imported`).
 */
import { install } from './hook/install.js';

install();
