/** What V8 tells of a frame, as far as it is needed here. */
interface CallSite {
  getFileName(): string | null | undefined;
}

/** What V8 adds to `Error`. */
interface V8Error {
  stackTraceLimit: number;
  prepareStackTrace?: unknown;
}

/** Scripts whose address says nothing. */
const NAMELESS = /^(?:(?:node|blob|data):|evalmachine\.<|\[worker eval\])/;

/** Frames looked at: glue code loads a module from within a few calls of its own. */
const FRAMES = 30;

/** Where bytes come from: address or path of a script or of the module itself. */
const origins = new WeakMap<Uint8Array, string>();

export function setOrigin(bytes: Uint8Array, file: string): void {
  origins.set(bytes, file);
}

/** Says where bytes come from to a hook that is another script than the one that has read them. */
export const ORIGIN = Symbol.for('wasm-xray.origin');

/** What is nearest to the file that the bytes were read from, as far as it is known. */
export function originOf(bytes: Uint8Array): string | undefined {
  return origins.get(bytes) ?? (bytes as { [ORIGIN]?: string } | undefined)?.[ORIGIN];
}

/** The part of Node that loads what is imported. */
const TRANSLATORS = 'node:internal/modules/esm/translators';

let findImported: (bytes: Uint8Array) => string | undefined = () => undefined;

/** Says how to find the file of a module that an ES import loads, where that is possible. */
export function findImportedWith(find: typeof findImported): void {
  findImported = find;
}

/**
 * A name for a module that has none of its own, from the script that loads it:
 * `sql.js/sql-wasm` for `…/node_modules/sql.js/dist/sql-wasm.js`, `app` for
 * `…/app.mjs`; or from the module's own file, if an ES import loads it, as no
 * script is on the stack then. That is also the origin of the bytes.
 * @param source what the bytes were copied from; its own origin comes first
 */
export function callerName(bytes: Uint8Array, source: unknown): string | undefined {
  const origin = originOf(source as Uint8Array);
  if (origin !== undefined) {
    setOrigin(bytes, origin);
    return nameOf(origin) || undefined;
  }
  for (const site of callSites()) {
    const file = site.getFileName();
    // What is below it on the stack imports something that imports the module, perhaps.
    const imported = file === TRANSLATORS ? findImported(bytes) : undefined;
    if (imported !== undefined) {
      setOrigin(bytes, imported);
      return nameOf(imported);
    }
    if (!file || NAMELESS.test(file) || isOurs(file)) continue;
    setOrigin(bytes, file);
    return nameOf(URL.canParse(file) ? pathOf(new URL(file)) : file) || undefined;
  }
  return undefined;
}

/** Address of the script that calls this. */
export function ownAddress(): string | undefined {
  return callSites()[1]?.getFileName() ?? undefined;
}

function callSites(): CallSite[] {
  // The program's own settings are back before it can see ours.
  const v8 = Error as unknown as V8Error;
  const { prepareStackTrace, stackTraceLimit } = v8;
  try {
    v8.stackTraceLimit = FRAMES;
    v8.prepareStackTrace = (_: unknown, sites: unknown) => sites;
    const sites: unknown = new Error().stack;
    return Array.isArray(sites) ? (sites as CallSite[]) : [];
  } catch {
    return []; // A program may have frozen `Error`.
  } finally {
    try {
      v8.stackTraceLimit = stackTraceLimit;
      if (prepareStackTrace) v8.prepareStackTrace = prepareStackTrace;
      else Reflect.deleteProperty(Error, 'prepareStackTrace');
    } catch {
      // As above.
    }
  }
}

/** Every file of ours begins so, as frames name files; nothing where all of them are one script. */
let ours = import.meta.url
  ? /^(.*[/\\])hook[/\\]/.exec(callSites()[0]?.getFileName() ?? '')?.[1]
  : undefined;

/** Says which address our own code has where it is not in files of its own. */
export function setOwnAddress(address: string): void {
  ours = address;
}

function isOurs(file: string): boolean {
  return ours !== undefined && file.startsWith(ours);
}

function pathOf({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function nameOf(path: string): string {
  const parts = path.split(/[/\\]/);
  const script = (parts.at(-1) ?? '').replace(/\.(?:[cm]?[jt]sx?|wasm)$/, '');
  const modules = parts.lastIndexOf('node_modules');
  if (modules < 0) return script;
  const first = parts[modules + 1] ?? '';
  const name = first.startsWith('@') ? `${first}/${parts[modules + 2]}` : first;
  return name === script ? name : `${name}/${script}`;
}
