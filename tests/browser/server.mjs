// Serves the working tree on loopback, with pages made in tests.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** Headers of a page that may share memory. */
export const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/**
 * @param {Record<string, {body: string | Uint8Array, type?: string, headers?: Record<string, string>}>} pages
 *   by path, before the files of the working tree
 * @param {Record<string, string>} headers of every answer
 */
export async function serve(pages, headers = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    try {
      const body = page?.body ?? readFileSync(join(root, normalize(path)));
      const type = page?.type ?? TYPES[extname(path)] ?? 'text/html; charset=utf-8';
      response.writeHead(200, { 'content-type': type, ...headers, ...page?.headers });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    /** The same server as another site. */
    otherOrigin: origin.replace('127.0.0.1', 'localhost'),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
