import { defineConfig, type Plugin } from 'vite';

/**
 * The toolkit's glue names its wasm file as a default, which Vite would put into the
 * bundle. We always hand the bytes or the address over.
 */
export function withoutDefaultWasm(): Plugin {
  return {
    name: 'without-default-wasm',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('wasm_xray_toolkit.js')) return null;
      const without = code.replace(
        /new URL\('wasm_xray_toolkit_bg\.wasm', import\.meta\.url\)/,
        'undefined',
      );
      if (without === code) this.error('the toolkit’s glue names its wasm file in another way');
      return without;
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  logLevel: 'warn',
  plugins: [withoutDefaultWasm()],
  build: {
    outDir: '../../npm/www',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: {
      output: { entryFileNames: 'viewer.js', assetFileNames: 'viewer[extname]' },
    },
  },
});
