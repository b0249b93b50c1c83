// What of the package is bundled, and why:
//
// - the hook for pages, in one classic script, as it has to run before anything could be imported;
// - the library for require(), as Jest has its own loader that cannot require ES modules;
// - the hook for Node, in one script with what every program needs at its start, another that runs
//   it, and one for each thing that few need, which the first requires when it is time.

import { defineConfig, rolldown } from 'rolldown';

const dist = 'npm/dist';
const resolve = { extensionAlias: { '.js': ['.ts', '.js'] } };
const node = { platform: 'node', resolve };
// The sources are in the package.
const maps = { sourcemap: true, sourcemapExcludeSources: true };

const start = 'npm/src/hook/start.ts';
const later = ['thread', 'alone', 'children', 'filter', 'rescue'].map((name) => [
  name,
  `npm/src/hook/${name}.ts`,
]);

/** Ids of the modules that the start of the hook needs. */
async function modulesAtStart() {
  const build = await rolldown({ input: start, ...node });
  const { output } = await build.generate({ format: 'cjs' });
  await build.close();
  return new Set(output.flatMap((chunk) => Object.keys(chunk.modules)));
}
const atStart = await modulesAtStart();

export default defineConfig([
  {
    input: 'npm/src/browser/hook/entry.ts',
    resolve,
    // The script has no address that anything could be relative to.
    transform: { define: { 'import.meta.url': '""' } },
    output: { file: `${dist}/browser/hook.js`, format: 'iife', name: 'wasmXrayHook', minify: true },
  },
  {
    input: 'npm/src/index.ts',
    ...node,
    output: { file: `${dist}/node/index.cjs`, format: 'cjs', ...maps },
  },
  {
    input: { start, ...Object.fromEntries(later) },
    ...node,
    preserveEntrySignatures: 'allow-extension',
    output: {
      dir: `${dist}/hook`,
      format: 'cjs',
      ...maps,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      codeSplitting: {
        groups: [
          { name: 'hook', test: (id) => atStart.has(id) && !id.endsWith(start), priority: 1 },
          { name: 'shared', test: /./, minShareCount: 2 },
        ],
      },
    },
  },
]);
