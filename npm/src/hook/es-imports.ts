import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Scripts that are looked into. */
const SCRIPT = /^\.[cm]?[jt]sx?$|^$/;
/** What follows `from`, `import`, `import(` and `import.source(`. Strings and comments that look alike do no harm. */
const SPECIFIER = /\b(?:from|import)(?:\.source)?\s*\(?\s*(['"])([^'"\n\\]+)\1/g;
/** What a search may cost at most: scripts, and bytes of one. */
const MAX_SCRIPTS = 2000;
const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

/** Modules that scripts of this program import, as far as they were found; searched once. */
let known: readonly string[] | undefined;

/**
 * The file of a module that was loaded by an ES import. Node tells nobody where
 * such bytes come from, and hooks of its loader would change how everything
 * else is loaded; so it is searched among what the program's scripts import,
 * and recognized by its content.
 */
export function findImported(bytes: Uint8Array): string | undefined {
  known ??= [...importedModules(process.argv[1])];
  return known.find((path) => holds(path, bytes));
}

function holds(path: string, bytes: Uint8Array): boolean {
  try {
    return statSync(path).size === bytes.length && readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}

/** Every `.wasm` that a script imports, or one of those that it imports. */
function* importedModules(entry: string | undefined): Generator<string> {
  const seen = new Set(entry === undefined ? [] : [entry]);
  let scripts = 0;
  // The set grows while it is walked.
  for (const path of seen) {
    if (extname(path) === '.wasm') {
      yield path;
    } else if (SCRIPT.test(extname(path)) && scripts++ < MAX_SCRIPTS) {
      for (const specifier of specifiersOf(path)) {
        const imported = resolve(specifier, path);
        if (imported !== undefined) seen.add(imported);
      }
    }
  }
}

function* specifiersOf(script: string): Generator<string> {
  try {
    if (statSync(script).size > MAX_SCRIPT_BYTES) return;
    for (const [, , specifier] of readFileSync(script, 'utf8').matchAll(SPECIFIER)) {
      if (specifier !== undefined) yield specifier;
    }
  } catch {
    // It is none that can be read.
  }
}

/** Undefined for what is not a file. */
function resolve(specifier: string, importer: string): string | undefined {
  try {
    if (/^(?:\.{0,2}\/|file:)/.test(specifier)) {
      return fileURLToPath(new URL(specifier, pathToFileURL(importer)));
    }
    if (/^[a-z]+:/.test(specifier)) return undefined;
    return resolvePackage(specifier, importer);
  } catch {
    return undefined;
  }
}

function resolvePackage(specifier: string, importer: string): string | undefined {
  const require = createRequire(importer);
  try {
    return require.resolve(specifier);
  } catch {
    // Packages of ES modules alone do not have what require() asks for.
  }
  const [name, subpath] = splitSpecifier(specifier);
  for (const folder of require.resolve.paths(specifier) ?? []) {
    const base = pathToFileURL(`${folder}/${name}/`);
    let manifest: { exports?: unknown; module?: string; main?: string };
    try {
      manifest = JSON.parse(readFileSync(new URL('package.json', base), 'utf8'));
    } catch {
      continue;
    }
    const target = importTarget(manifest.exports, subpath) ?? manifest.module ?? manifest.main;
    return target === undefined ? undefined : fileURLToPath(new URL(target, base));
  }
  return undefined;
}

/** `['@a/b', './c']` for `@a/b/c`. */
function splitSpecifier(specifier: string): [name: string, subpath: string] {
  const [, name = specifier, rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  return [name, `.${rest}`];
}

/** What a package's `exports` give for an import, without patterns. */
function importTarget(exports: unknown, subpath: string): string | undefined {
  if (typeof exports === 'string') return subpath === '.' ? exports : undefined;
  const entries = Object(exports) as Record<string, unknown>;
  let target = subpath in entries ? entries[subpath] : subpath === '.' ? entries : undefined;
  while (typeof target === 'object' && target !== null) {
    const { node, import: imported, default: any } = target as Record<string, unknown>;
    target = node ?? imported ?? any;
  }
  return typeof target === 'string' ? target : undefined;
}
