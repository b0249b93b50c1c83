import { createHash } from 'node:crypto';

/** The first 16 hex digits of the SHA-256 of a text or bytes. */
export function digest(data) {
  return createHash('sha256').update(data).digest('hex').slice(0, 16);
}
