import { defineConfig } from 'vite';
import { withoutDefaultWasm } from '../viewer/vite.config.js';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  logLevel: 'warn',
  plugins: [withoutDefaultWasm()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['devtools.html', 'panel.html'] },
  },
});
