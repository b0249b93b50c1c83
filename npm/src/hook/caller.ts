/** Frames looked at: glue code loads a module from within a few calls of its own. */
const FRAMES = 30;

/**
 * A name for a module that has none of its own, from the script that loads it:
 * `sql.js/sql-wasm` for `…/node_modules/sql.js/dist/sql-wasm.js`, `app` for
 * `…/app.mjs`. Undefined if no script is on the stack, as for an ES import.
 */
export function callerName(): string | undefined {
  for (const site of callSites()) {
    const file = site.getFileName();
    if (!file || file.startsWith('node:') || isOurs(file)) continue;
    return nameOf(URL.canParse(file) ? pathOf(new URL(file)) : file);
  }
  return undefined;
}

function callSites(): NodeJS.CallSite[] {
  // The program's own settings are back before it can see ours.
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = (_, sites) => sites;
    const sites: unknown = new Error().stack;
    return Array.isArray(sites) ? (sites as NodeJS.CallSite[]) : [];
  } catch {
    return []; // A program may have frozen `Error`.
  } finally {
    try {
      Error.stackTraceLimit = stackTraceLimit;
      if (prepareStackTrace) Error.prepareStackTrace = prepareStackTrace;
      else Reflect.deleteProperty(Error, 'prepareStackTrace');
    } catch {
      // As above.
    }
  }
}

/** Every file of ours begins so; nothing where all of them are one script. */
let ours = /^(.*)\/hook\//.exec(import.meta.url ?? '')?.[1];

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
  const script = (parts.at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '');
  const modules = parts.lastIndexOf('node_modules');
  if (modules < 0) return script;
  const first = parts[modules + 1] ?? '';
  const name = first.startsWith('@') ? `${first}/${parts[modules + 2]}` : first;
  return name === script ? name : `${name}/${script}`;
}
