import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createToken, listTokens } from '../testing/creations.ts';
import {
  type BadgeService,
  expectNothingRuns,
  findProcesses,
  makeDataDir,
  readLog,
  spawnBadge,
  startBadge,
} from '../testing/processes.ts';

function expectCleanLog({ output }: BadgeService): void {
  const log = readLog(output.stderr);
  expect(log.at(-1)).toMatchObject({ msg: 'stopped' });
  expect(log.filter(({ level }) => Number(level) > 30)).toEqual([]);
}

async function expectKept(dataDir: string, former: BadgeService, tokens: object[]): Promise<void> {
  const service = await startBadge({ BADGE_DATA_DIR: dataDir });
  expect(service.apiKey).toBe(former.apiKey);
  expect(await listTokens({ url: service.url })).toMatchObject(tokens);
  await createToken(service);
  expect(await service.end('SIGTERM')).toBe(0);
  await expectNothingRuns(dataDir);
}

function kept(tokens: Awaited<ReturnType<typeof listTokens>>): object[] {
  return tokens.map(({ tokenId, headline, createdByAddress }) => ({ tokenId, headline, createdByAddress }));
}

describe.for([
  { way: 'SIGTERM', stop: (service: BadgeService) => service.end('SIGTERM') },
  { way: 'SIGINT', stop: (service: BadgeService) => service.end('SIGINT') },
  { way: 'SIGHUP', stop: (service: BadgeService) => service.end('SIGHUP') },
  { way: "a terminal's Ctrl-C", stop: (service: BadgeService) => service.endGroup('SIGINT') },
])('stopped by $way', ({ stop }) => {
  test('leaves nothing running, and keeps the key and the tokens', async () => {
    const dataDir = await makeDataDir();
    const service = await startBadge({ BADGE_DATA_DIR: dataDir }, { detached: true });
    await createToken(service);
    const tokens = kept(await listTokens(service));
    expect(await findProcesses(dataDir)).not.toEqual([]);
    expect(await stop(service)).toBe(0);
    expectCleanLog(service);
    await expectNothingRuns(dataDir);
    await expectKept(dataDir, service, tokens);
  });
});

describe.for([
  { way: "a terminal's Ctrl-C", stop: (service: BadgeService) => service.endGroup('SIGINT') },
  { way: 'SIGTERM to npm', stop: (service: BadgeService) => service.end('SIGTERM') },
])('under `npm start`, stopped by $way', ({ stop }) => {
  test('leaves nothing running, and keeps the key and the tokens', async () => {
    const dataDir = await makeDataDir();
    const npm = { npm_config_cache: join(dirname(dataDir), 'npm'), npm_config_update_notifier: 'false' };
    const command = ['npm', 'start'];
    const service = await startBadge({ BADGE_DATA_DIR: dataDir, ...npm }, { detached: true, command });
    await createToken(service);
    const tokens = kept(await listTokens(service));
    await stop(service);
    expectCleanLog(service);
    await expectNothingRuns(dataDir);
    await expectKept(dataDir, service, tokens);
  });
});

test.for(['SIGTERM', 'SIGINT'] as const)('%s during the start stops everything', async (signal) => {
  const dataDir = await makeDataDir();
  const service = spawnBadge({ PORT: '0', BADGE_DATA_DIR: dataDir });
  await service.waitForLog('the embedded PostgreSQL runs');
  expect(await service.end(signal)).toBe(0);
  await expectNothingRuns(dataDir);
});
