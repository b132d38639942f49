import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * The running service to which the development server passes requests for the API, pictures and
 * documentation.
 */
const SERVICE_URL = process.env.BADGE_URL ?? 'http://localhost:3000';

// The console is a build of its own (`--mode console`), which shares no file with the other pages. So
// whatever the console needs, people who claim load the same bytes.
export default defineConfig(({ mode }) => ({
  plugins: [react(), compressFiles(), serveConsole()],
  resolve: {
    // The sources, so that the pages need no build of the SDK.
    alias: { '@badge/sdk': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) },
  },
  build: {
    ...(mode === 'console' ? { emptyOutDir: false, copyPublicDir: false } : {}),
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // No file becomes a `data:` URL, so browsers cache each file separately.
    assetsInlineLimit: 0,
    // All target browsers support `modulepreload`.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: mode === 'console' ? 'console.html' : 'index.html',
      // The pages use no schemas of @badge/protocol. Without this option, the scripts would also contain them
      // and TypeBox.
      treeshake: { moduleSideEffects: [{ test: /packages\/protocol\/|\/typebox\//, sideEffects: false }] },
      // One file for everything that several pages use. Otherwise each page would load about ten small files.
      output: {
        codeSplitting: {
          groups: [{ name: mode === 'console' ? 'console-shared' : 'shared', minShareCount: 2 }],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/v1', '/images', '/metadata', '/docs', '/openapi.json', '/sandbox-chain'].map((path) => [
        path,
        SERVICE_URL,
      ]),
    ),
  },
}));

/** Lets the development server send the HTML of the console for its paths, as the service does. */
function serveConsole(): Plugin {
  return {
    name: 'serve-console',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        if (/^\/console(?=[/?]|$)/.test(request.url ?? '')) request.url = '/console.html';
        next();
      });
    },
  };
}

/**
 * Adds compressed copies of the scripts and styles that Vite writes, so that the service compresses nothing
 * itself.
 */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!/\.(js|css)$/.test(file.fileName)) continue;
          const content = file.type === 'chunk' ? file.code : file.source;
          this.emitFile({
            type: 'asset',
            fileName: `${file.fileName}.br`,
            source: brotliCompressSync(content),
          });
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipSync(content) });
        }
      },
    },
  };
}
