import { fileURLToPath } from 'node:url';

/** Path of the module that loads the hook, for `--require`. */
export const REGISTER = fileURLToPath(new URL('../register.js', import.meta.url));
