import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { type BadgeClient, createBadgeClient } from '../../src/index.ts';
import { countTokens, loseResponses, OPEN, startBehindProxy } from '../../src/testing/lost-responses.ts';

test('a community whose response is lost is created once', async () => {
  const { lost, createFilter } = loseResponses(201, (number) => number === 1);
  const { proxy, service } = await startBehindProxy({}, { createFilter });
  const operator = createBadgeClient({ url: `http://127.0.0.1:${proxy.port}`, apiKey: service.adminKey });
  const community = await operator.createCommunity({ displayId: 'dao', name: 'DAO' });
  expect(lost.count).toBe(1);
  const { data } = await operator.listCommunities();
  expect(data.filter(({ uniqId }) => uniqId !== 'demo')).toEqual([community]);
});

test('a token whose response takes too long is created once', async () => {
  let hasDelayed = false;
  const { badge, proxy } = await startBehindProxy(
    { timeoutMs: 2_000 },
    {
      // The first 202 is held back for longer than the timeout of an attempt.
      createFilter: () => (chunk, from) => {
        if (from === 'server' && !hasDelayed && chunk.toString().startsWith('HTTP/1.1 202 ')) {
          hasDelayed = true;
          proxy.delay(3_000);
        } else if (from === 'client' && hasDelayed) proxy.heal();
        return true;
      },
    },
  );
  const operation = await badge.createToken({ ...OPEN, signer: newWallet() });
  await operation.wait();
  expect(hasDelayed).toBe(true);
  expect(operation.isReplayed).toBe(true);
  expect(await countTokens(badge)).toBe(1);
});

/**
 * Creates an allowlisted token, and returns its id, its creator and a function that reads who has which
 * links.
 */
async function createAllowlisted(badge: BadgeClient) {
  const signer = newWallet();
  const creation = await badge.createToken({
    communityId: 'demo',
    headline: 'Speaker 2026',
    nftTypeId: 'defaultOrangeRed',
    contributors: ['first@example.org'],
    signer,
  });
  const { tokenId } = await creation.wait();
  const listLinks = async (status: 'unused' | 'revoked') =>
    (await badge.listClaimLinks({ tokenId, status, limit: 1_000 })).data.map(({ identifier }) => identifier);
  return { tokenId, signer, listLinks };
}

test('issue() replaces the claim links whose response is lost, so every code is known', async () => {
  const { lost, createFilter } = loseResponses(201, (number) => number <= 2);
  const { badge } = await startBehindProxy({}, { createFilter });
  const { tokenId, signer, listLinks } = await createAllowlisted(badge);
  const recipients = ['ada@example.org', 'grace@example.org'];
  const results = await badge.issue({ tokenId, recipients, signer });
  expect(lost.count).toBe(2);
  expect(await listLinks('revoked')).toEqual([...recipients, ...recipients]);
  expect(await listLinks('unused')).toEqual(recipients);
  for (const result of results) {
    const claimCode = result.status === 'linked' ? result.code : '';
    await expect(badge.checkClaimCode({ tokenId, claimCode })).resolves.toMatchObject({ canClaim: true });
  }
});

test('issue() airdrops once, although responses are lost', async () => {
  const { lost, createFilter } = loseResponses(202, (number) => number % 2 === 0);
  const { badge } = await startBehindProxy({}, { createFilter });
  const { tokenId } = await (await badge.createToken({ ...OPEN, signer: newWallet() })).wait();
  const recipients = [newAddress(), newAddress(), newAddress()];
  const results = await badge.issue({ tokenId, recipients });
  expect(lost.count).toBeGreaterThan(0);
  expect(results.map(({ status }) => status)).toEqual(['airdropped', 'airdropped', 'airdropped']);
  expect((await badge.listOwners({ tokenId })).data).toHaveLength(3);
});

test('after an outage, issue() returns what it has done, and a second run does the rest', async () => {
  const { badge, proxy } = await startBehindProxy({ maxRetries: 0 });
  const { tokenId, signer, listLinks } = await createAllowlisted(badge);
  const recipients = Array.from({ length: 150 }, (_, index) => `person${index}@example.org`);
  const issue = (onResult?: () => void) => badge.issue({ tokenId, recipients, signer, onResult });
  const first = await issue(() => proxy.cut());
  expect(first.map(({ status }) => status)).toEqual([
    ...Array(100).fill('linked'),
    ...Array(50).fill('failed'),
  ]);
  expect(first[100]).toMatchObject({ recipient: recipients[100], error: 'BadgeConnectionError' });
  proxy.heal();
  const second = await issue();
  expect(second.map(({ status }) => status)).toEqual([
    ...Array(100).fill('alreadyIssued'),
    ...Array(50).fill('linked'),
  ]);
  expect(await listLinks('unused')).toEqual(recipients);
});
