import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because it needs Debian's packages.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite',
  test: { name: 'credentials', testTimeout: 120_000, hookTimeout: 120_000 },
});
