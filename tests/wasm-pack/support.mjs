// What the tests of users' crates share.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a command to its end; crates are built in the repository's target folder.
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
export function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const { CARGO_TARGET_DIR = join(root, 'target') } = process.env;
    const env = { ...process.env, CARGO_TARGET_DIR };
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].on('data', (text) => {
        said[stream] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...said }));
  });
}
