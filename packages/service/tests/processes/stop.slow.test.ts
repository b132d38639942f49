import type { BadgeService } from '@badge/test-support/badge-process';
import {
  expectCleanStop,
  expectNothingRuns,
  findProcesses,
  makeDataDir,
  spawnTestBadge,
  startTestBadge,
} from '@badge/test-support/fixtures';
import { describe, expect, test } from 'vitest';
import { createToken, listTokens } from '../../src/testing/creations.ts';

/** Starts the service again, and expects the same API key as before, and these tokens. */
async function expectSameKeyAndTokens(
  dataDir: string,
  former: BadgeService,
  tokens: object[],
): Promise<void> {
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  expect(service.apiKey).toBe(former.apiKey);
  expect(await listTokens({ url: service.url })).toMatchObject(tokens);
  await createToken(service);
  expect(await service.end('SIGTERM')).toBe(0);
  await expectNothingRuns(dataDir);
}

// The URLs in a token contain the port, which is another one after each start.
function withoutUrls(tokens: Awaited<ReturnType<typeof listTokens>>): object[] {
  return tokens.map(({ tokenId, headline, createdByAddress }) => ({ tokenId, headline, createdByAddress }));
}

describe.for([
  { way: 'SIGTERM', stop: (service: BadgeService) => service.end('SIGTERM') },
  { way: 'SIGINT', stop: (service: BadgeService) => service.end('SIGINT') },
  { way: 'SIGHUP', stop: (service: BadgeService) => service.end('SIGHUP') },
  { way: "a terminal's Ctrl-C", stop: (service: BadgeService) => service.endGroup('SIGINT') },
])('a stop by $way', ({ stop }) => {
  test('leaves nothing running, and the next start has the same key and tokens', async () => {
    const dataDir = await makeDataDir();
    const service = await startTestBadge({ BADGE_DATA_DIR: dataDir }, { detached: true });
    await createToken(service);
    const tokens = withoutUrls(await listTokens(service));
    expect(await findProcesses(dataDir)).not.toEqual([]);
    expect(await stop(service)).toBe(0);
    expectCleanStop(service);
    await expectNothingRuns(dataDir);
    await expectSameKeyAndTokens(dataDir, service, tokens);
  });
});

test.for(['SIGTERM', 'SIGINT'] as const)('%s during the start stops everything', async (signal) => {
  const dataDir = await makeDataDir();
  const service = spawnTestBadge({ PORT: '0', BADGE_DATA_DIR: dataDir });
  await service.waitForLog('embedded PostgreSQL started');
  expect(await service.end(signal)).toBe(0);
  await expectNothingRuns(dataDir);
});
