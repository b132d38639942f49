import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite',
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './find-service.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
