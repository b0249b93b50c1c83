// Types for require('wasm-xray'): what TypeScript needs from a CommonJS module has to be of CommonJS
// itself, so the declarations of the library are copied to npm/dist/node/types with other endings.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const DIST = 'npm/dist';
const out = join(DIST, 'node/types');
/** A relative module specifier of a declaration file. */
const SPECIFIER = /(from |import\(|import )'(\.[^']+)\.js'/g;

const done = new Set();

/** @param {string} path of a script, from npm/dist */
function copy(path) {
  if (done.has(path)) return;
  done.add(path);
  // What wasm-bindgen made lies beside npm/dist.
  const target = path.replace(/^\.\.\//, '');
  const text = readFileSync(join(DIST, `${path}.d.ts`), 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replaceAll(SPECIFIER, (_, before, specifier) => {
      const imported = posix.join(posix.dirname(path), specifier);
      copy(imported);
      const to = posix.relative(posix.dirname(target), imported.replace(/^\.\.\//, ''));
      return `${before}'${to.startsWith('.') ? to : `./${to}`}.cjs'`;
    });
  const file = join(out, `${target}.d.cts`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

rmSync(out, { recursive: true, force: true });
copy('index');
writeFileSync(
  join(DIST, 'node/index.d.cts'),
  `export * from './${relative(join(DIST, 'node'), out)}/index.cjs';\n`,
);
