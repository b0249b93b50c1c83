// Starts the viewer's server as a user does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../npm/dist/cli/main.js', import.meta.url));

const running = new Set();

/** Ends servers that are left, as after a test that failed. */
export function killServers() {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts `wasm-xray view`. */
export async function serveView(...args) {
  const child = spawn(process.execPath, [CLI, 'view', '--no-open', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const address = (await lines.next()).value;
  return {
    address,
    /** As pressing Enter does. */
    async another() {
      child.stdin.write('\n');
      return (await lines.next()).value;
    },
    async close() {
      child.kill('SIGINT');
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}
