import type { HookConfig, HookSource, Place } from './config.js';

/** Name under which the bundle of `entry.ts` has its exports. */
const BUNDLE = 'wasmXrayHook';

/**
 * The hook as the text of a function `(config, place, source) => recorder`.
 * @param bundle text of `hook.js`
 */
export function hookSource(bundle: string): HookSource {
  return `function (config, place, source) {\n${bundle}\nreturn ${BUNDLE}.install(config, place, source);\n}`;
}

/**
 * A script that installs the hook in a page. To be run before the page's own scripts.
 * @param phase that has begun
 */
export function hookScript(source: HookSource, config: HookConfig, phase?: string): string {
  return installing(source, JSON.stringify(config), phase);
}

/**
 * As {@link hookScript}, for a script that serves any number of pages, also at the
 * same time: each gets a channel of its own.
 */
export function sharedHookScript(source: HookSource, config: Omit<HookConfig, 'channel'>): string {
  const channel = "'wasm-xray ' + Math.random().toString(36).slice(2)";
  return installing(source, `{ ...${JSON.stringify(config)}, channel: ${channel} }`);
}

function installing(source: HookSource, config: string, phase?: string): string {
  const place: Place = { name: 'main', phase };
  return `(() => { const source = ${JSON.stringify(source)}; (${source})(${config}, ${JSON.stringify(place)}, source); })();`;
}
