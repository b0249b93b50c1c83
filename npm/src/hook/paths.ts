import { fileURLToPath } from 'node:url';

/**
 * Path of the script that loads the hook, for `--require`. The hook is CommonJS in
 * a few scripts (`npm/bundles.mjs`): as some twenty ES modules it takes three times as long to load.
 */
export const REGISTER = fileURLToPath(new URL('../hook/start.cjs', import.meta.url));
