import { WAIT_OPTIONS, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { holdLock } from '@badge/test-support/sql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createToken } from '../../testing/creations.ts';
import { startTestService } from '../../testing/services.ts';

test.each([
  { call: 'PATCH /v1/tokens/:tokenId', path: '', method: 'PATCH', json: { isHidden: true }, table: 'tokens' },
  {
    call: 'POST /v1/tokens/:tokenId/claimLinks',
    path: '/claimLinks',
    method: 'POST',
    json: { count: 1 },
    table: 'claim_links',
  },
])(
  '$call: requests with one key that wait for a lock hold only one database connection',
  async ({ path, method, json, table }) => {
    const service = await startTestService();
    onTestFinished(service.stop);
    const { resourceId } = await createToken(service);
    // This lock blocks writes, but not reads.
    const release = await holdLock(service.databaseUrl, table, 'share');
    const changes = Array.from({ length: 20 }, () =>
      service.call(`/v1/tokens/${resourceId}${path}`, {
        method,
        key: service.apiKey,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(json),
      }),
    );
    await vi.waitFor(async () => {
      const metrics = await (await service.call('/metrics')).text();
      expect(metrics).toContain('badge_http_waiting_requests{resource="writeConnections"} 19');
    }, WAIT_OPTIONS);
    await waitForBlockedStatements(service.databaseUrl, 1);
    await release();
    for (const response of await Promise.all(changes)) expect(response.ok).toBe(true);
  },
);
