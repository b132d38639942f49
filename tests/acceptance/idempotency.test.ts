import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import {
  type ApiResponse,
  asJson,
  call,
  expectAccepted,
  expectSuccess,
  requestToken,
  withDemoKey,
} from './client.ts';
import { expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';
import { openRequest } from './token-requests.ts';
import { addNftType, deleteNftType, parseAdded, upload, validParts } from './uploads.ts';

const send = (body: Body | string, key: string) =>
  requestToken(body, { ...asJson, ...withDemoKey, 'Idempotency-Key': key });
const isReplay = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true';

test('the same key and body return the same response and create one token', async () => {
  const key = randomUUID();
  const body = JSON.stringify(await openRequest());
  const first = await send(body, key);
  const location = expectAccepted(first);
  expect(first.headers.has('idempotency-replayed')).toBe(false);
  const again = await send(body, key);
  expect(expectAccepted(again)).toBe(location);
  expect(isReplay(again)).toBe(true);
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  await expectSuccess(location);
  expect(expectAccepted(await send(body, key))).toBe(location);
});

test('another body with the same key is rejected, even if only the order of the fields differs', async () => {
  const key = randomUUID();
  const body = await openRequest();
  expectAccepted(await send(body, key));
  expectProblem(await send(await openRequest(), key), 422, 'IdempotencyKeyReused');
  const reversed = Object.fromEntries(Object.entries(body).reverse());
  expectProblem(await send(reversed, key), 422, 'IdempotencyKeyReused');
});

test('the same body creates another token with another key, and without a key', async () => {
  const body = await openRequest();
  const responses = [
    await send(body, randomUUID()),
    await send(body, randomUUID()),
    await requestToken(body),
  ];
  expect(responses.map(isReplay)).toEqual([false, false, false]);
  const tokenIds = await Promise.all(responses.map((response) => expectSuccess(expectAccepted(response))));
  expect(new Set(tokenIds).size).toBe(3);
});

test('50 concurrent requests with one key return one operation', async () => {
  const key = randomUUID();
  const body = await openRequest();
  const responses = await Promise.all(Array.from({ length: 50 }, () => send(body, key)));
  expect(new Set(responses.map(expectAccepted)).size).toBe(1);
  expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
});

test('a claim is replayed after it has succeeded', async () => {
  const tokenId = await expectSuccess(expectAccepted(await requestToken(await openRequest())));
  const claim = (key: string) =>
    call(`/v1/tokens/${tokenId}/claim`, {
      method: 'POST',
      headers: { ...asJson, ...withDemoKey, 'Idempotency-Key': key },
      body: JSON.stringify({ claimingAddress: `0x${'12'.repeat(20)}` }),
    });
  const key = randomUUID();
  const location = expectAccepted(await claim(key));
  await expectSuccess(location);
  expectProblem(await claim(randomUUID()), 409, 'ClaimingAddressAlreadyHasToken');
  const again = await claim(key);
  expect(expectAccepted(again)).toBe(location);
  expect(isReplay(again)).toBe(true);
});

test('an error is not stored: the same request succeeds after the cause of the error is gone', async () => {
  const key = randomUUID();
  const nftTypeId = `later-${randomUUID()}`;
  const body = await openRequest({ nftTypeId });
  expectProblem(await send(body, key), 404, 'NftTypeNotFound');
  expectProblem(await send(body, key), 404, 'NftTypeNotFound');
  await addNftType('image/png', ['nftTypeId', nftTypeId]);
  const response = await send(body, key);
  await expectSuccess(expectAccepted(response));
  expect(isReplay(response)).toBe(false);
  await deleteNftType(nftTypeId);
});

test('the key of a rejected request can be used with another body', async () => {
  const key = randomUUID();
  const changed = { ...(await openRequest()), headline: 'not what was signed' };
  expectProblem(await send(changed, key), 403, 'BadgeRegisterRequestNotSignedByCreator');
  expectProblem(await send('{', key), 400, 'InvalidRequest');
  expectAccepted(await send(await openRequest(), key));
});

describe('an Idempotency-Key can have 1 to 255 visible ASCII characters', () => {
  test.each(['x', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '~'.repeat(255)])('%j', async (key) => {
    // The keys are always the same, so an earlier run on the same service may have used them.
    expect([202, 422]).toContain((await send(await openRequest(), key)).status);
  });
});

test('an upload sent again with its key returns the same NFT type, although its boundary differs', async () => {
  const headers = { ...withDemoKey, 'Idempotency-Key': randomUUID() };
  const first = await upload(validParts(), { headers });
  const again = await upload(validParts(), { headers });
  expect(isReplay(again)).toBe(true);
  expect([again.status, again.text]).toEqual([201, first.text]);
  await deleteNftType(parseAdded(first).nftTypeId);
});

test('every POST documents Idempotency-Key and its errors, except those for which a repetition has no further effect', () => {
  for (const [path, { post }] of Object.entries(inject('openApi').paths)) {
    if (post === undefined) continue;
    const takesKey =
      !/\/(cancelMails|reminders|preview|reservations|resubscriptions|confirm|checkClaimCode|checkOwners|ensNames|snapshotScores|sessions|challenge|emailChallenge|sign)$/.test(
        path,
      );
    const documented = JSON.stringify(post);
    expect(documented.includes('"Idempotency-Key"'), path).toBe(takesKey);
    expect(Object.hasOwn(post.responses, 422), path).toBe(takesKey);
    expect(documented.includes('IdempotencyKeyInUse'), path).toBe(takesKey);
    expect(Object.hasOwn(post.responses, 429), path).toBe(true);
  }
});
