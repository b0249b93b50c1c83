// What the tests share.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../npm/dist/cli/main.js', import.meta.url));

/**
 * Runs the command line, as a user does.
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to this process's
 * @param {{cwd?: string}} [options]
 */
export function runCli(args, env = {}, options = {}) {
  return spawnSync(process.execPath, [main, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    ...options,
  });
}
