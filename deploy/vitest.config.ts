import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because it needs root and Debian's packages.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite',
  test: { name: 'deploy', maxWorkers: 2, bail: 1, testTimeout: 180_000, hookTimeout: 180_000 },
});
