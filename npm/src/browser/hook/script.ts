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

/** A script that installs the hook in a page. To be run before the page's own scripts. */
export function hookScript(source: HookSource, config: HookConfig): string {
  const place: Place = { name: 'main' };
  return `(() => { const source = ${JSON.stringify(source)}; (${source})(${JSON.stringify(config)}, ${JSON.stringify(place)}, source); })();`;
}
