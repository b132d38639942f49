import { randomUUID } from 'node:crypto';
import type { CreatedClaimLink, Operation } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { describe, expect, test, vi } from 'vitest';
import {
  creator,
  ENV,
  json,
  mailLimitsFixture,
  newName,
  WAIT_OPTIONS,
} from '../../src/testing/mail-limits-fixture.ts';
import { startTestService } from '../../src/testing/services.ts';

const fixture = mailLimitsFixture();

describe('what strangers ask for', () => {
  test('a backlog of invitations does not hold up a reservation', async () => {
    const isolated = await startTestService({
      ...ENV,
      BADGE_SMTP_URL: fixture.mailServer.url,
      BADGE_MAIL_LIMIT: '5/20',
    });
    try {
      const call = { key: isolated.apiKey, headers: { 'Idempotency-Key': randomUUID() } };
      const body = await signedToken({ headline: 'Room', communityId: 'demo' }, creator);
      const created = await isolated.call('/v1/tokens', { ...call, json: body });
      const operation = isolated.call(`${created.headers.get('location')}?wait=30`);
      const tokenId = (await json<Operation>(operation)).resourceId ?? 0;
      const path = `/v1/tokens/${tokenId}`;
      const links = isolated.call(`${path}/claimLinks`, { key: isolated.apiKey, json: { count: 1 } });
      const [link] = (await json<{ items: CreatedClaimLink[] }>(links)).items;
      const name = newName();
      const recipients = Array.from({ length: 6 }, (_, index) => ({ email: `${name}${index}@example.org` }));
      await isolated.call(`${path}/invitations`, { key: isolated.apiKey, json: { recipients } });
      const received = () =>
        fixture.mailServer.received.filter(({ recipient }) => recipient.startsWith(name));
      await vi.waitFor(() => expect(received()).toHaveLength(4), WAIT_OPTIONS);
      const asked = { email: `${name}r@example.org`, claimCode: link?.code };
      expect((await isolated.call(`${path}/reservations`, { json: asked })).status).toBe(202);
      await vi.waitFor(() => expect(received()).toHaveLength(5), WAIT_OPTIONS);
      expect(received().at(-1)?.recipient).toBe(asked.email);
    } finally {
      await isolated.stop();
    }
  });
});
