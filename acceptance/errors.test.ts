import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { asJson, call, demo, withKey } from './client.ts';
import { expectProblem } from './problems.ts';
import type { Problem } from './shapes.ts';
import { newAddress } from './token-requests.ts';

describe('an unknown route', () => {
  test.each([
    ...['/nope', '/v1', '/v1/', '/v1/nope', '/v2/tokens', '/tokens', '/v1/Tokens', '/v1/tokens/1/nope'],
    ...[
      '/v1//tokens',
      '/v1/wallets',
      `/v1/wallets/${newAddress()}`,
      '/v1/operations',
      '/v1/%F0%9F%8E%96',
      '/.env',
    ],
    ...['/v1/nope?limit=x', '/v1/tokens%2F1'],
  ])('%s is NotFound', async (path) => {
    expectProblem(await call(path, { isUndocumented: true }), 404, 'NotFound');
  });

  test('is NotFound for a call of /v1 without its prefix', async () => {
    expectProblem(await call('/tokens', { method: 'DELETE', isUndocumented: true }), 404, 'NotFound');
  });

  test('is NotFound for every method, with a key or without', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'DELETE' ? {} : { body: '{}' };
      for (const key of [{}, withKey]) {
        const init = { method, headers: { ...asJson, ...key }, ...body, isUndocumented: true };
        expectProblem(await call('/v1/nope', init), 404, 'NotFound');
      }
    }
  });
});

describe('a wrong method', () => {
  test.each([
    ['PUT', '/v1/tokens', ['GET', 'POST']],
    ['DELETE', '/v1/tokens', ['GET', 'POST']],
    ['PATCH', '/v1/tokens/', ['GET', 'POST']],
    ['PUT', '/v1/tokens/1', ['GET']],
    ['DELETE', '/v1/tokens/1', ['GET']],
    ['POST', `/v1/wallets/${newAddress()}/tokens`, ['GET']],
    ['DELETE', `/v1/operations/${randomUUID()}`, ['GET']],
    ['PUT', `/v1/communities/${demo}`, ['GET']],
    ['PUT', `/v1/communities/${demo}/nftTypes`, ['GET']],
    ['POST', '/v1/environment', ['GET']],
    ['POST', '/healthz', ['GET']],
  ])('%s %s is MethodNotAllowed', async (method, path, allowed) => {
    const body = method === 'DELETE' ? {} : { body: '{}' };
    const answer = await call(path, { method, headers: asJson, ...body, isUndocumented: true });
    expectProblem(answer, 405, 'MethodNotAllowed');
    const allow = (answer.headers.get('allow') ?? '').split(/\s*,\s*/);
    expect(allow).toEqual(expect.arrayContaining(allowed));
    expect(allow).not.toContain(method);
  });
});

test('every answer has a request id of its own', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('/v1/tokens?limit=0')));
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(10);
});

test('problems of one name have one type, title and status', async () => {
  const problems = await Promise.all(
    ['1', 'abc', randomUUID()].map(async (id) => {
      const answer = await call(`/v1/operations/${id}`);
      const { type, title, status, name } = JSON.parse(answer.text) as Problem;
      return { type, title, status, name };
    }),
  );
  expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(1);
});

test.each(['%', '%zz', '%ff', '%c0%af', '%ed%a0%80'])(
  'the path %s is answered without a fault',
  async (path) => {
    for (const place of [
      `/v1/tokens/${path}`,
      `/v1/communities/${path}`,
      `/v1/operations/${path}`,
      `/${path}`,
    ]) {
      const { status } = await call(place, { isUndocumented: true });
      expect([400, 404], place).toContain(status);
    }
  },
);

test('long and odd queries are answered without a fault', async () => {
  const queries = [
    `x=${'y'.repeat(8000)}`,
    '%',
    '%ff=%ff',
    '&&&=&',
    '__proto__=1&constructor=2',
    'a[b][c]=1',
  ];
  for (const query of queries) expect((await call(`/v1/tokens?limit=1&${query}`)).status, query).toBe(200);
});
