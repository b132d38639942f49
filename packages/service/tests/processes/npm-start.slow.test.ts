import { test } from 'vitest';
import { expectCompleteStop } from '../../src/testing/npm-start.ts';

test('SIGTERM to npm alone stops everything that `npm start` started', async () => {
  await expectCompleteStop((npm) => npm.end('SIGTERM'));
});

test("a terminal's Ctrl-C stops everything that `npm start` started", async () => {
  await expectCompleteStop((npm) => npm.endGroup('SIGINT'));
});
