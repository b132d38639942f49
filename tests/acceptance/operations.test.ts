import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call, createToken, expectAccepted, parseOk, read, requestToken } from './client.ts';
import { expectProblem } from './problems.ts';
import type { Operation, Token } from './shapes.ts';
import { openRequest } from './token-requests.ts';

async function newOperationLocation(): Promise<string> {
  return expectAccepted(await requestToken(await openRequest()));
}

test('a final operation has the id of the token, and the times of its acceptance and completion', async () => {
  const sentTimestamp = Date.now();
  const location = await newOperationLocation();
  const operation = await read<Operation>(`${location}?wait=30`);
  expect(operation).toStrictEqual({
    operationId: location.split('/').at(-1),
    operationType: 'createToken',
    status: 'success',
    resourceId: expect.any(Number),
    txHash: null,
    error: null,
    warnings: [],
    createdAtTimestamp: expect.any(Number),
    completedAtTimestamp: expect.any(Number),
  });
  const { createdAtTimestamp, completedAtTimestamp, resourceId } = operation;
  expect([createdAtTimestamp, completedAtTimestamp, resourceId].every(Number.isSafeInteger)).toBe(true);
  expect(completedAtTimestamp).toBeGreaterThanOrEqual(createdAtTimestamp);
  expect(Math.abs(createdAtTimestamp - sentTimestamp)).toBeLessThan(60_000);
  const token = await read<Token>(`/v1/tokens/${resourceId}`);
  expect(token.createdAtTimestamp).toBe(createdAtTimestamp);
});

test('an operation warns of times that look like seconds, and of an expiration that is over', async () => {
  const inSeconds = Math.floor(Date.now() / 1_000) + 86_400;
  const location = expectAccepted(
    await requestToken(await openRequest({ startDateTimestamp: inSeconds, expirationTimestamp: inSeconds })),
  );
  expect(await read<Operation>(`${location}?wait=30`)).toMatchObject({
    status: 'success',
    warnings: [
      { pointer: '/startDateTimestamp', detail: expect.stringContaining('looks like seconds') },
      {
        pointer: '/expirationTimestamp',
        detail: expect.stringMatching(/looks like seconds.*nobody can ever/),
      },
    ],
  });
});

test('an operation can be read as soon as it is accepted, and has no result until it is final', async () => {
  const location = await newOperationLocation();
  let isFinal: boolean;
  do {
    const response = await call(location);
    const operation = parseOk<Operation>(response);
    isFinal = ['success', 'error'].includes(operation.status);
    expect(response.headers.get('retry-after')).toBe(isFinal ? null : '1');
    expect(response.headers.get('cache-control')).toBe(isFinal ? null : 'no-store');
    if (!isFinal) {
      expect(['pending', 'processing']).toContain(operation.status);
      expect(operation).toMatchObject({ resourceId: null, error: null, completedAtTimestamp: null });
    }
  } while (!isFinal);
});

test('a final operation never changes, with or without a trailing slash and wait', async () => {
  const location = await newOperationLocation();
  const final = await read<Operation>(`${location}?wait=30`);
  for (const path of [
    location,
    `${location}/`,
    `${location}?wait=0`,
    `${location}/?wait=30`,
    `${location}?x=1`,
  ]) {
    expect(await read(path)).toStrictEqual(final);
  }
});

test('the token can be read as soon as the operation succeeds', async () => {
  const requests = await Promise.all(Array.from({ length: 20 }, () => openRequest()));
  const tokens = await Promise.all(requests.map(createToken));
  expect(tokens.map(({ headline }) => headline)).toEqual(requests.map(({ headline }) => headline));
});

test.each(['0', '1', '30'])('wait=%s is accepted', async (seconds) => {
  const { status } = await read<Operation>(`${await newOperationLocation()}?wait=${seconds}`);
  expect(['pending', 'processing', 'success']).toContain(status);
});

test('an empty wait means no wait', async () => {
  expect((await call(`${await newOperationLocation()}?wait=`)).status).toBe(200);
});

test('the service does not wait for an unknown operation', async () => {
  const startedMs = performance.now();
  expectProblem(await call(`/v1/operations/${randomUUID()}?wait=30`), 404, 'OperationNotFound');
  expect(performance.now() - startedMs).toBeLessThan(5000);
});
