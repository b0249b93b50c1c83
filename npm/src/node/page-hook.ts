import { readFileSync } from 'node:fs';
import { hookSource, sharedHookScript } from '../browser/hook/script.js';
import type { Settings } from '../core/options.js';
import { InstallationError, messageOf } from '../errors.js';

/**
 * The hook for pages as a script, to be run before those of a page.
 * @throws InstallationError if a file of the package is missing
 */
export function pageHook(settings: Settings): string {
  const config = {
    settings,
    files: {
      runtime: readPackageFile('wasm/runtime/runtime_bg.wasm').toString('base64'),
      toolkit: readPackageFile('wasm/toolkit/wasm_xray_toolkit_bg.wasm').toString('base64'),
    },
  };
  return sharedHookScript(hookSource(readPackageFile('dist/browser/hook.js').toString()), config);
}

/** @param path from the folder `npm` */
export function readPackageFile(path: string): Buffer {
  const url = new URL(`../../${path}`, import.meta.url);
  try {
    return readFileSync(url);
  } catch (error) {
    throw new InstallationError(
      `A part of wasm-xray is missing: ${url.pathname}. Install the package again. (${messageOf(error)})`,
      { cause: error },
    );
  }
}
