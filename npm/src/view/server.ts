import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FileError, messageOf } from '../errors.js';
import { isAsset, readAsset } from './assets.js';

/** A profile to serve, as files hold it. */
export interface ServedProfile {
  readonly name: string;
  readonly blocks: Uint8Array;
  /** Empty: there is no map. */
  readonly map: Uint8Array;
}

/** The viewer on loopback. */
export interface ViewerServer {
  readonly port: number;
  /** A new address that opens the viewer once; after that it leads nowhere. */
  address(hash?: string): string;
  /** Ends all connections. */
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  wasm: 'application/wasm',
  json: 'application/json; charset=utf-8',
};

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Addresses that were handed out and not used yet; more are not kept. */
const MAX_TOKENS = 16;

const HOST = '127.0.0.1';

function secret(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Serves the viewer and profiles to this computer only. An address has a token that
 * works once and leads to a path which only that browser then knows; so whoever reads
 * the address in a list of processes comes too late, and other pages cannot guess it.
 * @param port 0: any that is free
 * @throws FileError if the port is taken
 */
export function serveViewer(
  profiles: readonly ServedProfile[],
  port: number,
): Promise<ViewerServer> {
  const viewer = new Viewer(profiles);
  const server = createServer((request, response) => viewer.answer(request, response));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new FileError(`Port ${port} cannot be used: ${messageOf(error)}. Give another --port.`, {
          cause: error,
        }),
      );
    });
    server.listen(port, HOST, () => resolve(viewer.running(server)));
  });
}

class Viewer {
  readonly #profiles: readonly ServedProfile[];
  readonly #session = secret();
  readonly #tokens: string[] = [];
  #host = '';

  constructor(profiles: readonly ServedProfile[]) {
    this.#profiles = profiles;
  }

  running(server: Server): ViewerServer {
    const { port } = server.address() as AddressInfo;
    this.#host = `${HOST}:${port}`;
    return {
      port,
      address: (hash = '') => {
        const token = secret();
        this.#tokens.push(token);
        if (this.#tokens.length > MAX_TOKENS) this.#tokens.shift();
        return `http://${this.#host}/?token=${token}${hash && `#${hash}`}`;
      },
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request;
    // Not as an address: `//` would be one without a host.
    const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
    const [, session = '', ...rest] = path.split('/');
    const site = headers['sec-fetch-site'];
    if (headers.host !== this.#host) {
      // A name that leads here by way of DNS is another site's.
      refuse(response, 421, 'This is not the host asked for.');
    } else if (site === 'cross-site' || site === 'same-site') {
      refuse(response, 403, 'Other pages may not ask here.');
    } else if (method !== 'GET' && method !== 'HEAD') {
      refuse(response, 405, 'Only GET is known.');
    } else if (path === '/') {
      this.#admit(new URLSearchParams(query).get('token') ?? '', response);
    } else if (same(session, this.#session)) {
      this.#send(rest.join('/') || 'index.html', method === 'HEAD', response);
    } else {
      refuse(response, 404, 'There is nothing here.');
    }
  }

  #admit(token: string, response: ServerResponse): void {
    const at = this.#tokens.findIndex((known) => same(known, token));
    if (at < 0) {
      refuse(
        response,
        403,
        'This address was used already. Use the window that it opened, or press Enter where wasm-xray view runs for another one.',
      );
      return;
    }
    this.#tokens.splice(at, 1);
    response.writeHead(303, { ...HEADERS, location: `/${this.#session}/` }).end();
  }

  #send(path: string, headOnly: boolean, response: ServerResponse): void {
    const body = this.#body(path);
    if (body === undefined) {
      refuse(response, 404, 'There is nothing here.');
      return;
    }
    const ending = path.slice(path.lastIndexOf('.') + 1);
    response.writeHead(200, {
      ...HEADERS,
      'content-type': TYPES[ending] ?? 'application/octet-stream',
      'content-length': body.length,
    });
    response.end(headOnly ? undefined : body);
  }

  #body(path: string): Uint8Array | undefined {
    if (isAsset(path)) return readAsset(path);
    if (path === 'profiles.json') return new TextEncoder().encode(JSON.stringify(this.#list()));
    const [, index = '', kind] = /^profiles\/(\d+)\.(xray|map)$/.exec(path) ?? [];
    const profile = this.#profiles[Number(index || Number.NaN)];
    return kind === 'xray' ? profile?.blocks : profile?.map;
  }

  #list(): object[] {
    return this.#profiles.map(({ name, map }, index) => ({
      name,
      blocks: `profiles/${index}.xray`,
      map: map.length > 0 ? `profiles/${index}.map` : '',
    }));
  }
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response
    .writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' })
    .end(`${why}\n`);
}
