import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite',
  test: {
    // Not the folder `generators`, which is a suite of its own, with its own packages.
    include: ['*.test.ts', 'bad-input/*.test.ts'],
    globalSetup: './service-under-test.ts',
    // Test files share no state. Without isolation, each worker loads ethers and compiles the schemas only
    // once.
    isolate: false,
    // The same as in the root configuration. Vitest rejects another `maxWorkers` if a project is not
    // isolated.
    maxWorkers: 4,
    execArgv: ['--max-semi-space-size=64'],
    // On a busy machine, the tests that send hundreds of requests take longer than 30 seconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
