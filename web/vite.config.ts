import { defineConfig } from 'vite';

// The program embeds these files under fixed names; they may be served below any prefix.
export default defineConfig(({ command }) => ({
  base: command === 'serve' ? '/ui/' : './',
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'page.js',
        assetFileNames: 'page[extname]',
        codeSplitting: false,
      },
    },
  },
  server: {
    // Requests go to a `benzer serve ROOT` that runs next to `npm run dev`. Without keys it refuses requests from pages of
    // other servers, so the origin is set to its own.
    proxy: {
      '^/(v1|healthz|readyz|metrics|openapi.json)': {
        target: 'http://127.0.0.1:6363',
        changeOrigin: true,
        headers: { origin: 'http://127.0.0.1:6363' },
      },
    },
  },
}));
