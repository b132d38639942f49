import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because it needs Debian's nginx.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite',
  test: {
    maxWorkers: 4,
    projects: [
      {
        root: join(import.meta.dirname, '../acceptance'),
        test: {
          name: 'bad input',
          include: ['bad-input/*.test.ts'],
          globalSetup: join(import.meta.dirname, 'start-proxied-service.ts'),
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'proxy',
          include: ['*.test.ts'],
          globalSetup: join(import.meta.dirname, '../../packages/test-support/src/postgres-server.ts'),
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
