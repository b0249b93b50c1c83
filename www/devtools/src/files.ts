// The extension's own files.

import hook from '../../../npm/dist/browser/hook.js?raw';
import runtimeUrl from '../../../npm/wasm/runtime/runtime_bg.wasm?url';
import toolkitUrl from '../../../npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm?url';

/** What the hook is made of: its script, and the wasm files in base64. */
export interface HookFiles {
  readonly hook: string;
  readonly runtime: string;
  readonly toolkit: string;
}

export { runtimeUrl, toolkitUrl };

let loading: Promise<HookFiles> | undefined;

export function files(): Promise<HookFiles> {
  loading ??= Promise.all([base64(runtimeUrl), base64(toolkitUrl)]).then(([runtime, toolkit]) => ({
    hook,
    runtime,
    toolkit,
  }));
  return loading;
}

async function base64(url: string): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}
