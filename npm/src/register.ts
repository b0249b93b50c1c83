/**
 * `node --import wasm-xray/register app.mjs`, or `--require` of the same:
 * profiles every WebAssembly module that the program loads.
 */

import { finishAlone } from './hook/alone.js';
import { install } from './hook/install.js';

install(finishAlone);
