import { expect, test } from 'vitest';
import type { JournaledRequest } from '../journal.ts';
import { countOutcomes, toHistory } from './history.ts';

test('a request with two accepted attempts counts as one operation', () => {
  const request: JournaledRequest = {
    kind: 'createToken',
    path: '/v1/tokens',
    body: '{}',
    isKeySent: true,
    idempotencyKey: 'key',
  };
  const result = { outcome: 'accepted', location: '/v1/operations/1' } as const;
  const history = toHistory([
    { type: 'request', requestId: 0, request, atMs: 0 },
    { type: 'result', requestId: 0, result, atMs: 1 },
    { type: 'result', requestId: 0, result, atMs: 2 },
  ]);
  expect(countOutcomes(history).accepted).toEqual({ createToken: 1 });
});
