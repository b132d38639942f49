import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most of a test's time is waiting: for a process, a database, a bound.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: ['packages/service/**'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'service',
          include: ['packages/service/src/**/*.test.ts'],
          globalSetup: 'packages/test-support/src/postgres-server.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      'acceptance',
      { test: { name: 'faults', include: ['faults/**/*.test.ts'] } },
    ],
  },
});
