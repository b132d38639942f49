import { createDatabase } from '@badge/test-support/databases';
import { newAddress, newWallet } from '@badge/test-support/signing';
import { startDatabaseProxy } from '@badge/test-support/tcp-proxy';
import { expect, onTestFinished, test } from 'vitest';
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

test('if a call fails because its response is lost, a later call with the key of the error has no second effect', async () => {
  const { createFilter } = loseResponses(202, (number) => number === 1);
  const { badge } = await startBehindProxy({ maxRetries: 0 }, { createFilter });
  const signed = await badge.signToken({ ...OPEN, signer: newWallet() });
  const error = await badge.createToken(signed).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'BadgeConnectionError', idempotencyKey: expect.any(String) });
  const operation = await badge.createToken(signed, { idempotencyKey: error.idempotencyKey });
  await operation.wait();
  expect(operation.isReplayed).toBe(true);
  expect(await countTokens(badge)).toBe(1);
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

test('an outage of the service does not end wait()', async () => {
  let failures = 0;
  const { badge, proxy } = await startBehindProxy({
    fetch: (...request) =>
      globalThis.fetch(...request).catch((error) => {
        failures += 1;
        throw error;
      }),
  });
  const operation = await badge.createToken({ ...OPEN, signer: newWallet() });
  proxy.cut();
  const result = operation.wait();
  await expect.poll(() => failures, { timeout: 30_000 }).toBeGreaterThan(1);
  proxy.heal();
  await expect(result).resolves.toMatchObject({ status: 'success' });
});

test('a request that gets 503 because the database is unavailable is retried', async () => {
  const database = await startDatabaseProxy(await createDatabase());
  onTestFinished(() => database.stop());
  const unavailable: string[] = [];
  const { badge } = await startBehindProxy(
    {
      async fetch(...request) {
        const response = await globalThis.fetch(...request);
        if (response.status === 503) {
          unavailable.push(response.headers.get('Retry-After') ?? '');
          database.heal();
        }
        return response;
      },
      maxRetries: 10,
    },
    { env: { DATABASE_URL: database.url } },
  );
  const signed = await badge.signToken({ ...OPEN, signer: newWallet() });
  database.cut();
  const operation = await badge.createToken(signed);
  await operation.wait();
  expect(unavailable[0]).toMatch(/^\d+$/);
  expect(await countTokens(badge)).toBe(1);
});

test('a 429 is retried when the rate limit allows it', async () => {
  const statuses: number[] = [];
  const { badge } = await startBehindProxy(
    {
      async fetch(...request) {
        const response = await globalThis.fetch(...request);
        statuses.push(response.status);
        return response;
      },
    },
    { env: { BADGE_RATE_LIMIT: '1/1' } },
  );
  // A window of five seconds allows five requests. If a window ends meanwhile, two windows allow ten. So at
  // least one of eleven requests is refused.
  const requests = Array.from({ length: 11 }, () => badge.getEnvironment());
  await Promise.all(requests);
  expect(statuses).toContain(429);
  expect(statuses.filter((status) => status === 200)).toHaveLength(11);
});
