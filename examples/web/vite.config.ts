import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../target/vite-demo',
  // Loopback only; the library, the viewer and sql.js are outside of this folder.
  server: { host: '127.0.0.1', fs: { allow: ['../..'] } },
});
