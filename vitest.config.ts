import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts'],
          globalSetup: 'packages/service/src/testing/postgres-server.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      'acceptance',
      { test: { name: 'faults', include: ['faults/**/*.test.ts'] } },
    ],
  },
});
