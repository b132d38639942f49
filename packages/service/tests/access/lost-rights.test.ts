import type { EventPage, Problem } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hashKey } from '../../src/domain/api-keys/rules.ts';
import { createApiKey, createSession } from '../../src/testing/access-matrix-roles.ts';
import { lostRightsFixture } from '../../src/testing/lost-rights-fixture.ts';

const fixture = lostRightsFixture();
const { LOSSES, WRITES, quickLosses, expectRejection, ROW_WRITES, expectRejectionAtRow, withIndex } = fixture;

describe.each(withIndex(WRITES))('%s', (_operationId, write, index) => {
  test.each(quickLosses(index))(
    'is rejected and writes nothing if %s while the request waits',
    async (...loss) => {
      await expectRejection(write, loss);
    },
  );
});

describe.each(withIndex(ROW_WRITES))('%s', (_operationId, write, index) => {
  test.each(quickLosses(index))(
    'is rejected if %s while the request waits for the row of its webhook',
    async (...loss) => {
      await expectRejectionAtRow(write, loss);
    },
  );
});

// A key that becomes a viewer's may still read.
test.each(LOSSES.filter(([name]) => !name.includes('viewer')))(
  'a reader who waits for events gets none if %s meanwhile',
  async (_name, refusal, createCredential) => {
    const { token, lose } = await createCredential();
    // An event of an earlier test would end the wait.
    await vi.waitFor(async () => {
      const unfinished = "select from event_outbox union all select from operations where status = 'pending'";
      expect(await query(fixture.service.databaseUrl, unfinished)).toEqual([]);
    }, WAIT_OPTIONS);
    const feed = '/v1/communities/demo/events';
    const { nextCursor } = (await (
      await fixture.service.call(`${feed}?limit=1000`, { key: token })
    ).json()) as EventPage;
    const watching = vi.spyOn(fixture.service.context.waits, 'untilEvent');
    onTestFinished(() => watching.mockRestore());
    const response = fixture.service.call(`${feed}?wait=30&after=${nextCursor}`, { key: token });
    await vi.waitFor(() => expect(watching).toHaveBeenCalledOnce(), WAIT_OPTIONS);
    await lose();
    await fixture.service.call('/v1/tokens', { key: fixture.service.apiKey, json: await signedToken() });
    expect(((await (await response).json()) as Problem).name).toBe(refusal);
  },
);

test('a member of several communities writes in one of them with its role there', async () => {
  const other = { uniqId: 'other', displayId: 'other', name: 'Other' };
  await fixture.service.call('/v1/communities', { key: fixture.service.adminKey, json: other });
  const token = await createSession(fixture.service, { communityId: 'demo', role: 'owner' });
  await query(
    fixture.service.databaseUrl,
    `insert into members (community_id, address, role)
     select 'other', address, 'viewer' from members m join sessions s using (address) where s.token_hash = $1`,
    [hashKey(token)],
  );
  const { apiKeyId } = await createApiKey(fixture.service, 'demo');
  const revoked = await fixture.service.call(`/v1/communities/demo/apiKeys/${apiKeyId}`, {
    method: 'DELETE',
    key: token,
  });
  expect(revoked.status).toBe(204);
  const patch = (communityId: string) =>
    fixture.service.call(`/v1/communities/${communityId}`, {
      method: 'PATCH',
      key: token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'new' }),
    });
  expect((await patch('demo')).status).toBe(200);
  expect((await patch('other')).status).toBe(403);
});
