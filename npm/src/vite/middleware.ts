import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../errors.js';
import { type PageProfiles, parseHandover } from './profiles.js';

/** What pages of a server may ask for. */
export interface Site {
  /** Path before the names of files, with slashes around it. */
  readonly prefix: string;
  /** Scripts, by name. */
  readonly files: Readonly<Record<string, () => string>>;
  readonly profiles: PageProfiles;
  /** A page has its first profile. */
  readonly wrote: (file: string) => void;
  readonly failed: (reason: string) => void;
}

/** Most that a page may hand over, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Serves the hook, and takes profiles from pages of this server on this computer. */
export function answer(site: Site) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const path = request.url?.replace(/[?#].*/, '') ?? '';
    if (!path.startsWith(site.prefix)) {
      next();
      return;
    }
    const name = path.slice(site.prefix.length);
    if (request.method === 'POST' && name === 'profile') {
      void receive(site, request, response);
      return;
    }
    const source = Object.hasOwn(site.files, name) ? site.files[name] : undefined;
    if (!source || request.method !== 'GET') {
      next();
      return;
    }
    try {
      end(response, 200, source(), 'text/javascript; charset=utf-8');
    } catch (error) {
      site.failed(messageOf(error));
      end(response, 500, messageOf(error));
    }
  };
}

async function receive(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLocal(request) || !isSameOrigin(request)) {
    request.resume();
    end(response, 403, 'Only pages of this server, on this computer, hand over profiles.');
    return;
  }
  try {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > MAX_BYTES) {
        site.failed(`A page's profile has more than ${MAX_BYTES} bytes and is not taken.`);
        end(response, 413, 'The profile is too large.');
        request.destroy();
        return;
      }
      pieces.push(piece);
    }
    const file = site.profiles.take(parseHandover(Buffer.concat(pieces).toString()));
    if (file !== undefined) site.wrote(file);
    end(response, 204, '');
  } catch (error) {
    const reason = `A page's profile could not be written: ${messageOf(error)}`;
    site.failed(reason);
    end(response, 500, reason);
  }
}

function isLocal({ socket }: IncomingMessage): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  return address === '::1' || address.startsWith('127.');
}

function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin, host } = headers;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}

function end(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
