// One HTML file that holds the viewer, the toolkit and profiles, and works from disk.
// The same code runs in Node and in the browser.

/** What goes into the page. */
export interface PageParts {
  /** The viewer's script and style sheet. */
  readonly script: string;
  readonly style: string;
  /** The toolkit's wasm. */
  readonly toolkit: Uint8Array;
  readonly profiles: readonly {
    readonly name: string;
    readonly blocks: Uint8Array;
    readonly map: string;
  }[];
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232456c9' d='M1 2h14v3H1zm0 4h9v3H1zm0 4h5v3H1z'/%3E%3C/svg%3E";

/** Attribute of the elements that hold data; its value is the part's name. */
export const PART_ATTRIBUTE = 'data-wasm-xray';

/**
 * Makes the page. It asks for nothing from any network, and its policy lets it run
 * no script but its own.
 */
export async function composePage(parts: PageParts): Promise<string> {
  const script = parts.script.replaceAll('</script', '<\\/script');
  const style = parts.style.replaceAll('</style', '<\\/style');
  const policy = [
    "default-src 'none'",
    `script-src '${await sha256(script)}' 'wasm-unsafe-eval'`,
    `style-src '${await sha256(style)}'`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const names = JSON.stringify(parts.profiles.map(({ name }) => name));
  const data = [
    part('names', toBase64(new TextEncoder().encode(names))),
    part('toolkit', toBase64(await gzip(parts.toolkit))),
  ];
  for (const { blocks, map } of parts.profiles) {
    data.push(part('blocks', toBase64(await gzip(blocks))));
    data.push(part('map', toBase64(await gzip(new TextEncoder().encode(map)))));
  }
  const title = parts.profiles.map(({ name }) => name).join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${ICON}">
<title>${escapeHtml(title)}${title && ' – '}wasm-xray</title>
<style>${style}</style>
</head>
<body>
<div id="viewer"></div>
${data.join('\n')}
<script type="module">${script}</script>
</body>
</html>
`;
}

function part(name: string, base64: string): string {
  return `<script type="text/plain" ${PART_ATTRIBUTE}="${name}">${base64}</script>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256-${toBase64(new Uint8Array(digest))}`;
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new CompressionStream('gzip'));
}

/** The reverse of how a part was packed. */
export async function unpack(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  return through(fromBase64(base64), new DecompressionStream('gzip'));
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** Characters of a string that are made in one call: engines limit arguments. */
const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return btoa(chunks.join(''));
}

export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
