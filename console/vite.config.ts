/** How the console is built: plain files only, since the server's content policy allows nothing inline. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// biome-ignore lint/style/noDefaultExport: it is how vite finds its settings
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  // One copy of React: libraries that lie elsewhere would find another one, with hooks of its own.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7420' } },
});
