import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite',
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './find-service.ts',
    // No file has state that another could see; loading ethers and compiling schemas once a worker saves much time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
