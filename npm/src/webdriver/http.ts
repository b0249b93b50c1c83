import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** An answer with all of its body. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Sends a request and waits for the whole answer.
 * @param signal gives it up, with its reason
 * @throws what the network says
 */
export function send(
  url: URL,
  method: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(signal.aborted ? signal.reason : error);
    const outgoing = request(
      url,
      { method, headers: { ...headers, 'content-length': body.length }, signal },
      (response) => {
        const { statusCode = 502, headers } = response;
        readAll(response).then((body) => resolve({ status: statusCode, headers, body }), fail);
      },
    );
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}
