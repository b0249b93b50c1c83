/**
 * `wasm-xray/vite`: profiles the pages that Vite serves.
 *
 * ```js
 * import { defineConfig } from 'vite';
 * import wasmXray from 'wasm-xray/vite';
 *
 * export default defineConfig({ plugins: [wasmXray({ clock: 'wall' })] });
 * ```
 */
import { relative, resolve } from 'node:path';
import type { Plugin, ResolvedConfig } from 'vite';
import { type ProfilerOptions, settingsFrom } from '../core/options.js';
import { pageHook, readPackageFile } from '../node/page-hook.js';
import { answer, type Site } from './middleware.js';
import { PageProfiles } from './profiles.js';

export interface WasmXrayOptions extends ProfilerOptions {
  /** Where profiles go, from Vite's root; default `wasm-xray`. */
  folder?: string;
  /** Whether pages that `vite build` makes are profiled as well, under `vite preview`; default false. */
  build?: boolean;
}

/** Folder of the hook's addresses, below Vite's base. */
const PLACE = '@wasm-xray/';

/**
 * Has every page install the hook before its first script, so that each module is
 * profiled in whatever way it is loaded, in workers and frames of the same origin as
 * well. The page hands its profile to the server, which keeps it in a file.
 * @throws OptionError
 */
export default function wasmXray(options: WasmXrayOptions = {}): Plugin {
  const { folder = 'wasm-xray', build = false, ...profiler } = options;
  const settings = settingsFrom(profiler);
  const files = {
    'hook.js': () => pageHook(settings),
    'report.js': () => readPackageFile('dist/vite/report.js').toString(),
  };
  let config: ResolvedConfig;
  const site = (): Site => {
    const path = resolve(config.root, folder);
    const shown = (file: string) => {
      const short = relative(process.cwd(), file);
      return short.startsWith('..') ? file : short;
    };
    return {
      prefix: new URL(config.base, 'http://localhost').pathname + PLACE,
      files,
      profiles: new PageProfiles(path),
      wrote: (file) =>
        config.logger.info(
          `wasm-xray: wrote ${shown(file)}, again whenever it changes; read it with: npx wasm-xray report ${shown(file)}`,
        ),
      failed: (reason) => config.logger.error(`wasm-xray: ${reason}`),
    };
  };
  return {
    name: 'wasm-xray',
    apply: (_, { command, isPreview }) => (command === 'serve' && !isPreview) || build,
    config: ({ root = '.' }) => ({
      server: { watch: { ignored: [`${resolve(root, folder)}/**`] } },
    }),
    configResolved(resolved) {
      config = resolved;
    },
    configureServer({ middlewares }) {
      middlewares.use(answer(site()));
    },
    configurePreviewServer({ middlewares }) {
      middlewares.use(answer(site()));
    },
    generateBundle() {
      for (const [name, source] of Object.entries(files)) {
        this.emitFile({ type: 'asset', fileName: PLACE + name, source: source() });
      }
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { path }) {
        const up = '../'.repeat(path.split('/').length - 2) || './';
        const base =
          (/^\.?\/?$/.test(config.base) && config.base !== '/' ? up : config.base) + PLACE;
        return [
          { tag: 'script', attrs: { src: `${base}hook.js` }, injectTo: 'head-prepend' },
          {
            tag: 'script',
            attrs: { type: 'module', src: `${base}report.js` },
            injectTo: 'head-prepend',
          },
        ];
      },
    },
  };
}
