import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because it needs Debian's PostgreSQL 15.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite',
  test: { name: 'restore', globalSetup: './drill.ts' },
});
