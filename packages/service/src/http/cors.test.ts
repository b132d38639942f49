import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => await service.stop());

const splitList = (text: string | null) => (text ?? '').split(', ');
const sendPreflight = (method: string, headers: string) =>
  service.call('/v1/tokens', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://app.example.com',
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': headers,
    },
  });
const STANDARD_HEADERS = ['Authorization', 'X-API-Key', 'Content-Type', 'Idempotency-Key'];

describe('a preflight', () => {
  test('allows the requested headers and method in addition to the standard ones', async () => {
    const { status, headers } = await sendPreflight('PUT', 'traceparent,baggage, sentry-trace,content-type');
    expect(status).toBe(204);
    expect(splitList(headers.get('access-control-allow-headers'))).toEqual([
      ...STANDARD_HEADERS,
      'traceparent',
      'baggage',
      'sentry-trace',
    ]);
    expect(splitList(headers.get('access-control-allow-methods'))).toEqual(
      expect.arrayContaining(['PUT', 'GET', 'HEAD', 'POST', 'PATCH', 'DELETE']),
    );
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.has('content-length')).toBe(false);
  });

  test.each([
    ['names that are not header names', 'a b,c/d,(x),é'],
    ['a list that is too long', Array.from({ length: 500 }, (_, index) => `x-header-${index}`).join(',')],
    ['an empty list', ''],
    ['a list of commas only', ',,,'],
  ])(
    'allows only the standard headers and methods if the browser asks for %s and an invalid method',
    async (_title, requested) => {
      const { status, headers } = await sendPreflight('GET /', requested);
      expect(status).toBe(204);
      expect(splitList(headers.get('access-control-allow-headers'))).toEqual(STANDARD_HEADERS);
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    },
  );
});

test('web pages of every origin can read a 405', async () => {
  const response = await service.call('/v1/tokens', {
    method: 'PUT',
    headers: { Origin: 'https://app.example.com' },
  });
  expect(response.status).toBe(405);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});
