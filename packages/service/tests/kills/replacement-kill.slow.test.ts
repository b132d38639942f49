import { startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { raceReplacement } from '../../src/testing/replacement-race.ts';
import { replacementsFixture, UNREACHABLE_MAIL_SERVER } from '../../src/testing/replacements-fixture.ts';

const fixture = replacementsFixture({ role: 'api' });

const startWorker = ({ databaseUrl, dataDir, adminKey, apiKey } = fixture.service) =>
  startTestBadge({
    ...UNREACHABLE_MAIL_SERVER,
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: dataDir,
    BADGE_ADMIN_KEY: adminKey,
    BADGE_DEMO_API_KEY: apiKey,
    BADGE_ROLE: 'worker',
  });

test.each([0, 1, 10, 25, 40])(
  'kill -9 of the only worker after %s claims: everybody has exactly one badge, on the replacement',
  { timeout: 120_000 },
  async (claims) => {
    const worker = await startWorker();
    let successor = worker;
    await raceReplacement(fixture, async (tokenId, replacementTokenId) => {
      await vi.waitFor(async () => {
        const rows = await query(
          fixture.service.databaseUrl,
          'select 1 from claims where token_id in ($1, $2) and burnt_at is null',
          [tokenId, replacementTokenId],
        );
        expect(rows.length).toBeGreaterThanOrEqual(claims);
      }, WAIT_OPTIONS);
      expect(await worker.end('SIGKILL')).toBe('SIGKILL');
      successor = await startWorker();
    });
    await successor.stop();
  },
);
