import type { TestTagDefinition } from 'vitest/config';

/** The tags of the tests. `npm test` runs every test that is not slow, and the core tests of the slow files. */
export const TEST_TAGS: TestTagDefinition[] = [
  {
    name: 'slow',
    description: 'Only in `npm run test:all`. A file has it with the comment `@module-tag slow`.',
  },
  { name: 'core', description: 'Also in `npm test`, although its file is slow.' },
];
