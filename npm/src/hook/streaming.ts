import type { Natives } from '../core/natives.js';
import { setOrigin } from './caller.js';
import type { Loader } from './loader.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** `WebAssembly.compileStreaming` */
export async function compileStreaming(
  loader: Loader,
  natives: Natives,
  source: unknown,
  options: readonly unknown[],
): Promise<unknown> {
  const response = await source;
  const native = (source: unknown) =>
    natives.compileStreaming?.(source, ...options) as Promise<WebAssembly.Module>;
  if (!isUsable(response)) return native(response);
  const { bytes, name } = await read(response);
  return loader.compile(bytes, options, name, () => native(asResponse(bytes)));
}

/** `WebAssembly.instantiateStreaming` */
export async function instantiateStreaming(
  loader: Loader,
  natives: Natives,
  source: unknown,
  imports: unknown,
  options: readonly unknown[],
): Promise<unknown> {
  const response = await source;
  const native = (source: unknown) =>
    natives.instantiateStreaming?.(source, imports, ...options) as Promise<unknown>;
  if (!isUsable(response)) return native(response);
  const { bytes, name } = await read(response);
  return loader.instantiateBytes(bytes, imports, options, name, () => native(asResponse(bytes)));
}

/** Whether the engine would take it; if not, it says why better than we could. */
function isUsable(response: unknown): response is Response {
  return (
    response instanceof Response &&
    response.headers.get('content-type') === 'application/wasm' &&
    response.ok &&
    !response.bodyUsed
  );
}

async function read(response: Response): Promise<{ bytes: Bytes; name: string | undefined }> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  setOrigin(bytes, response.url);
  return { bytes, name: basename(response.url) };
}

function asResponse(bytes: Bytes): Response {
  // Without a body where there were no bytes: engines tell the two apart.
  return new Response(bytes.length > 0 ? bytes : null, {
    headers: { 'content-type': 'application/wasm' },
  });
}

/** `sql.wasm` for `https://example.org/lib/sql.wasm?v=3`. */
function basename(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const name = new URL(url).pathname.split('/').pop();
  try {
    return name ? decodeURIComponent(name) : undefined;
  } catch {
    return name;
  }
}
