import { defineConfig } from 'vitest/config';

const limits = { testTimeout: 180_000, hookTimeout: 180_000 };

// Not part of `npm test`, because it needs root and Debian's packages.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite',
  test: {
    bail: 1,
    projects: [
      // Alone, because it asserts that clients notice no upgrade.
      {
        test: { name: 'compose', include: ['tests/compose.test.ts'], sequence: { groupOrder: 0 }, ...limits },
      },
      {
        test: {
          name: 'deploy',
          include: ['tests/*.test.ts'],
          exclude: ['tests/compose.test.ts'],
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          ...limits,
        },
      },
    ],
  },
});
