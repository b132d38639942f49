import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call } from './client.ts';
import type { Problem } from './shapes.ts';

test('every response has its own request id', async () => {
  const responses = await Promise.all(Array.from({ length: 10 }, () => call('/v1/tokens?limit=0')));
  expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(10);
});

test('problems with the same name have the same type, title and status', async () => {
  const problems = await Promise.all(
    ['1', 'abc', randomUUID()].map(async (id) => {
      const response = await call(`/v1/operations/${id}`);
      const { type, title, status, name } = JSON.parse(response.text) as Problem;
      return { type, title, status, name };
    }),
  );
  expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(1);
});
