import { loadPackagedFrom } from '../core/load.js';

/** Written in the form in which bundlers find files that belong to a script. */
loadPackagedFrom({
  runtime: new URL('../../wasm/runtime/runtime_bg.wasm', import.meta.url),
  toolkit: new URL('../../wasm/toolkit/wasm_xray_toolkit_bg.wasm', import.meta.url),
});
