import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because the programs of this folder are 390 packages of their own.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../../node_modules/.vite',
  test: { name: 'generators', globalSetup: './generate.ts', testTimeout: 120_000, hookTimeout: 120_000 },
});
