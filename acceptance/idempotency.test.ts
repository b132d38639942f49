import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import {
  type Answer,
  asJson,
  call,
  demo,
  expectAccepted,
  expectSuccess,
  requestToken,
  withKey,
} from './client.ts';
import { expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';
import { openRequest } from './token-requests.ts';

const send = (body: Body | string, key: string) =>
  requestToken(body, { ...asJson, ...withKey, 'Idempotency-Key': key });
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

test('the same key and body get the same answer, and one token', async () => {
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

test('another body is refused, the same fields in another order too', async () => {
  const key = randomUUID();
  const body = await openRequest();
  expectAccepted(await send(body, key));
  expectProblem(await send(await openRequest(), key), 422, 'IdempotencyKeyReused');
  const reversed = Object.fromEntries(Object.entries(body).reverse());
  expectProblem(await send(reversed, key), 422, 'IdempotencyKeyReused');
});

test('many at once are executed once; the rest get its answer, or are told to wait', async () => {
  const key = randomUUID();
  const body = await openRequest();
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(body, key)));
  const accepted = answers.filter(({ status }) => status === 202);
  expect(accepted.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(new Set(accepted.map(expectAccepted)).size).toBe(1);
  for (const answer of answers.filter(({ status }) => status !== 202)) {
    expectProblem(answer, 409, 'IdempotencyKeyInUse');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  }
});

test('a refusal that came of executing is kept, a malformed body is not', async () => {
  const key = randomUUID();
  const unsigned = { ...(await openRequest()), headline: 'not what was signed' };
  const name = 'BadgeRegisterRequestNotSignedByCreator';
  expectProblem(await send(unsigned, key), 403, name);
  const again = await send(unsigned, key);
  expectProblem(again, 403, name);
  expect(isReplay(again)).toBe(true);

  const other = randomUUID();
  expectProblem(await send('{', other), 400, 'InvalidRequest');
  expectAccepted(await send(await openRequest(), other));
});

describe('a key is 1 to 255 visible ASCII characters', () => {
  test.each(['x', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '~'.repeat(255)])('%j', async (key) => {
    // A service that others use too may have seen the short one.
    expect([202, 422]).toContain((await send(await openRequest(), key)).status);
  });
});

test('a burn without a key has keys of its own', async () => {
  const key = randomUUID();
  const burn = () =>
    call('/v1/tokens/999999999/burn', {
      method: 'POST',
      headers: { ...asJson, 'Idempotency-Key': key },
      body: JSON.stringify({ burningAddress: `0x${'12'.repeat(20)}`, signature: `0x${'12'.repeat(64)}1b` }),
    });
  expectProblem(await burn(), 404, 'TokenNotFound');
  const again = await burn();
  expectProblem(again, 404, 'TokenNotFound');
  expect(isReplay(again)).toBe(true);
  expectAccepted(await send(await openRequest(), key));
});

test('an upload sent again is the same NFT type', async () => {
  const headers = { ...withKey, 'Idempotency-Key': randomUUID() };
  const upload = async (): Promise<Answer> => {
    const form = new FormData();
    form.set('name', 'Sent twice');
    form.set('assetFile', new Blob([PNG]), 'pixel.png');
    const { body, headers: formHeaders } = new Response(form);
    return await call(`/v1/communities/${demo}/nftTypes`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': formHeaders.get('content-type') ?? '' },
      body: body ?? '',
    });
  };
  const first = await upload();
  expect(first.status, first.text).toBe(201);
  const again = await upload();
  expect(isReplay(again)).toBe(true);
  expect([again.status, again.text]).toEqual([201, first.text]);
  const { nftTypeId } = JSON.parse(first.text) as { nftTypeId: string };
  await call(`/v1/communities/${demo}/nftTypes/${nftTypeId}`, { method: 'DELETE', headers: withKey });
});

test('the document names the header and its refusals at every POST but the one that makes API keys', () => {
  for (const [path, { post }] of Object.entries(inject('openApi').paths)) {
    if (post === undefined) continue;
    const takesKey = !path.endsWith('/apiKeys');
    const documented = JSON.stringify(post);
    expect(documented.includes('"Idempotency-Key"'), path).toBe(takesKey);
    expect(Object.hasOwn(post.responses, 422), path).toBe(takesKey);
    expect(documented.includes('IdempotencyKeyInUse'), path).toBe(takesKey);
    expect(Object.hasOwn(post.responses, 429), path).toBe(true);
  }
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
