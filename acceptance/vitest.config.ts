import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite',
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './find-service.ts',
    // No file has state that another could see; loading ethers and compiling schemas once a worker saves much time.
    isolate: false,
    // As in the root's configuration. Vitest rejects projects that differ in it if one is not isolated.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
