import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because it needs Debian's PgBouncer.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite',
  test: {
    maxWorkers: 4,
    projects: [
      {
        root: join(import.meta.dirname, '../acceptance'),
        test: {
          name: 'acceptance',
          include: ['*.test.ts', 'bad-input/*.test.ts'],
          exclude: ['**/*.slow.test.ts'],
          globalSetup: join(import.meta.dirname, 'start-processes.ts'),
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      // These tests run after the acceptance suite, because they also examine the sessions that it has used.
      { test: { name: 'pooler', include: ['*.test.ts'], sequence: { groupOrder: 2 } } },
    ],
  },
});
