import type { CreatedClaimLinks } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { insertClaimLinks } from '../../src/testing/insert-claim-links.ts';
import { claim, count, json, nameOf, roomLinksFixture } from '../../src/testing/room-links-fixture.ts';
import { startTestService } from '../../src/testing/services.ts';

const { createToken } = roomLinksFixture();

test('a token has at most 100,000 unused links: used, revoked and expired ones do not count', async () => {
  const at = await startTestService();
  const open = { isAllowlistRequired: false, totalClaimCount: 10, contributors: null };
  const tokenId = await createToken(at, open);
  const [first, second, third] = (await json<CreatedClaimLinks>(count(at, tokenId, 3))).items;
  await insertClaimLinks(at.databaseUrl, tokenId, 99_997);
  expect(await nameOf(at, await count(at, tokenId, 1))).toBe('ClaimLinkLimitReached');
  const path = `/v1/tokens/${tokenId}/claimLinks/${first?.claimLinkId}`;
  await at.call(path, { method: 'DELETE', key: at.apiKey });
  expect(await nameOf(at, await claim(at, { tokenId, code: second?.code ?? '' }))).toBe('success');
  await query(at.databaseUrl, 'update claim_links set expires_at = now() where claim_link_id = $1', [
    third?.claimLinkId,
  ]);
  expect(await nameOf(at, await count(at, tokenId, 4))).toBe('ClaimLinkLimitReached');
  expect((await count(at, tokenId, 3)).status).toBe(201);
  // Another token of the community has its own limit.
  expect((await count(at, await createToken(at, open), 1)).status).toBe(201);
  await at.stop();
});
