import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Node compiles libraries only once for all workers.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');
// The tests create about 200 databases, which need 2.2 GB. In memory, the whole run takes a third less time
// than on a disk.
const MEMORY_FOLDER = '/dev/shm';
if (process.env.TMPDIR === undefined && hasMemoryFor(3 * 2 ** 30)) process.env.TMPDIR = MEMORY_FOLDER;
const POSTGRES_SERVER = join(import.meta.dirname, 'packages/test-support/src/postgres-server.ts');

export default defineConfig({
  test: {
    // Twice the cores of a small machine, because tests also wait for timeouts and for other processes.
    maxWorkers: 4,
    // The default is 16 MB, which most tests fill several times a second. Each time, V8 copies what is still
    // used.
    execArgv: ['--max-semi-space-size=64'],
    // No project has an `exclude` of its own: the one of `npm test`, which leaves out the slow tests, would
    // not reach it.
    projects: [
      {
        // As in packages/web/vite.config.ts: the pages use the sources of the SDK.
        resolve: { alias: { '@badge/sdk': join(import.meta.dirname, 'packages/sdk/src/index.ts') } },
        test: {
          name: 'packages',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/tests/**/*.test.ts',
            'demo/**/*.test.ts',
            'tests/bench/**/*.test.ts',
            'tests/faults/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          // Without isolation, each worker loads the service and its libraries only once. So a test undoes
          // what it replaces.
          isolate: false,
          globalSetup: POSTGRES_SERVER,
          // On a busy machine, the tests that start processes or send hundreds of requests take longer than
          // 30 seconds.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'web',
          // paint.test.ts measures times, so it needs a machine that does nothing else.
          include: [
            `packages/web/browser-tests/${process.env.BADGE_MEASURE_PAINT ? 'paint' : '!(paint)'}.test.ts`,
          ],
          isolate: false,
          globalSetup: [POSTGRES_SERVER, 'packages/web/browser-tests/harness/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      'tests/acceptance',
    ],
  },
});

function hasMemoryFor(bytes: number): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false;
  const folder = statfsSync(MEMORY_FOLDER);
  return folder.bavail * folder.bsize > bytes && process.availableMemory() > 2 * bytes;
}
