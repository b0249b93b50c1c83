// The one reader of profiles, crates/profile, as wasm.

import init, {
  Profile as RawProfile,
  View as RawView,
} from '../../../npm/wasm/toolkit/wasm_xray_toolkit.js';

export type { Flame as RawFlame, Table } from '../../../npm/wasm/toolkit/wasm_xray_toolkit.js';
export { RawProfile, RawView };

/** The toolkit: its module, its bytes, or where to fetch it. */
export type ToolkitSource = WebAssembly.Module | BufferSource | URL | string;

/** Makes the toolkit usable; later calls do nothing. */
export async function loadToolkit(source: ToolkitSource): Promise<void> {
  await init({ module_or_path: source });
}
