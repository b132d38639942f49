import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { RequestOutcome } from '../../delivery/webhook-sender.ts';
import {
  describeFailure,
  findWebhookUrlErrors,
  judgeAttempt,
  makeWebhookSecret,
  signWebhook,
} from './rules.ts';

describe('the signature', () => {
  const eventId = randomUUID();
  const body = JSON.stringify({ type: 'badge.claimed', data: { name: 'é🐦' } });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const secrets = [makeWebhookSecret(), makeWebhookSecret()];
  const headers = signWebhook({ eventId, timestampSeconds, body }, secrets);

  test('is verified by the package standardwebhooks, with each of two secrets', () => {
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(makeWebhookSecret()).verify(body, headers)).toThrow(
      'No matching signature found',
    );
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers)).toThrow(
      'No matching signature found',
    );
  });

  test('is that of the package', () => {
    const [secret = ''] = secrets;
    const signature = new Webhook(secret).sign(eventId, new Date(timestampSeconds * 1_000), body);
    expect(headers['webhook-signature']?.split(' ')[0]).toBe(signature);
  });

  test('a secret has 32 random bytes', () => {
    const made = new Set(Array.from({ length: 100 }, makeWebhookSecret));
    expect(made.size).toBe(100);
    for (const secret of made) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});

const respond = (status: number, retryAfterSeconds: number | null = null): RequestOutcome => ({
  kind: 'response',
  status,
  bodyStart: '',
  retryAfterSeconds,
});
const judge = (outcome: RequestOutcome, attempt: Partial<Parameters<typeof judgeAttempt>[1]> = {}) =>
  judgeAttempt(outcome, { attemptCount: 0, failures: 0, random: 0, ...attempt });
const TIMEOUT: RequestOutcome = { kind: 'timeout', detail: 'slow' };

describe('what follows from an attempt', () => {
  test.each([200, 201, 202, 204, 299])('the status %i is a success', (status) => {
    expect(judge(respond(status))).toEqual({
      isSuccess: true,
      retryAfterSeconds: null,
      pauseSeconds: null,
      disabledReason: null,
    });
  });

  test.each([100, 199, 300, 302, 400, 401, 404, 500])(
    'the status %i is retried, and does not delay others',
    (status) => {
      expect(judge(respond(status))).toMatchObject({
        isSuccess: false,
        retryAfterSeconds: 5,
        pauseSeconds: null,
      });
    },
  );

  test('ten attempts take about three days', () => {
    const delays = Array.from(
      { length: 11 },
      (_, attemptCount) => judge(respond(500), { attemptCount }).retryAfterSeconds,
    );
    expect(delays.slice(9)).toEqual([null, null]);
    const seconds = delays.slice(0, 9).map((delay) => delay ?? 0);
    const hours = seconds.reduce((sum, delay) => sum + delay, 0) / 3_600;
    expect(hours).toBeGreaterThan(72);
    expect(hours).toBeLessThan(78);
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
    const spread = judge(respond(500), { attemptCount: 4, random: 1 }).retryAfterSeconds ?? 0;
    expect(spread).toBeCloseTo((seconds[4] ?? 0) * 1.1);
  });

  test('410 disables, and is not retried', () => {
    expect(judge(respond(410))).toMatchObject({
      isSuccess: false,
      retryAfterSeconds: null,
      disabledReason: 'The receiver responded with the status 410 (Gone).',
    });
  });

  test.each([respond(429), respond(502), respond(503), respond(504), TIMEOUT])(
    'a receiver that is not available is left for longer and longer: %#',
    (outcome) => {
      const pauses = Array.from({ length: 9 }, (_, failures) => judge(outcome, { failures }).pauseSeconds);
      expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
      expect(judge(outcome, { failures: 10_000 }).pauseSeconds).toBe(300);
    },
  );

  test('Retry-After is honoured up to an hour', () => {
    expect(judge(respond(503, 60))).toMatchObject({ retryAfterSeconds: 60, pauseSeconds: 60 });
    expect(judge(respond(503, 1))).toMatchObject({ retryAfterSeconds: 5, pauseSeconds: 5 });
    expect(judge(respond(429, 86_400))).toMatchObject({ retryAfterSeconds: 3_600, pauseSeconds: 3_600 });
    expect(judge(respond(503, 60), { attemptCount: 8 }).retryAfterSeconds).toBe(86_400);
    expect(judge(respond(503, 60), { attemptCount: 9 }).retryAfterSeconds).toBeNull();
  });
});

describe('what the log shows', () => {
  const failure = (bodyStart: string, secrets: string[] = []) =>
    describeFailure({ kind: 'response', status: 500, bodyStart, retryAfterSeconds: null }, secrets);

  test('the beginning of the response, in one line', () => {
    expect(failure('  broken\r\n\tat line 1\u0000\u202e ')).toBe('broken at line 1');
    expect(failure('x'.repeat(1_024))).toBe('x'.repeat(300));
    expect(failure(`${'x'.repeat(299)}🐦`)).toBe(`${'x'.repeat(299)}\ufffd`);
    expect(failure('')).toBe('The response has the status 500.');
    expect(describeFailure(TIMEOUT, [])).toBe('slow');
  });

  test('no secret and no signature that the receiver sends back', () => {
    expect(failure('got whsec_abc and v1,SIG=, SIG=', ['whsec_abc', 'SIG='])).toBe('got … and v1,…, …');
  });
});

describe('the URL', () => {
  const rules = { mayUseHttp: true, isAllowedAddress: (address: string) => address === '127.0.0.1' };
  const find = (url: unknown, more = {}) => findWebhookUrlErrors({ url }, { ...rules, ...more });

  test.each([
    'https://example.org',
    'https://example.org:8443/a?b=c',
    'http://127.0.0.1:3000/',
    'http://localhost/',
    'https://example.org./',
  ])('%s is right', (url) => expect(find(url)).toEqual([]));

  test.each([
    ['example.org', 'must be a URL'],
    ['', null],
    ['https://example.org/a b', 'must be a URL'],
    ['https://example.org/\n', 'must be a URL'],
    [' https://example.org/', 'must be a URL'],
    ['https://', 'must be a URL'],
    ['ftp://example.org/', 'must be an https URL'],
    ['javascript:alert(1)', 'must be an https URL'],
    ['https://user@example.org/', 'must not contain a user'],
    ['https://user:password@example.org/', 'must not contain a user'],
    ['https://example.org/#', 'must not contain a fragment'],
    ['https://10.0.0.1/', 'must not lead to an address of a private network'],
    ['https://0x7f.1:3000/', null],
    ['https://0xa000001/', 'must not lead to'],
    ['https://[::1]/', 'must not lead to'],
  ])('%s', (url, problem) => {
    const [error] = find(url);
    if (problem === null) expect(error).toBeUndefined();
    else expect(error).toEqual({ pointer: '/url', detail: expect.stringContaining(problem) });
  });

  test('must begin with https where http is not allowed', () => {
    expect(find('http://localhost/', { mayUseHttp: false })).toEqual([
      { pointer: '/url', detail: 'must be an https URL' },
    ]);
  });

  test('of another type is an error of the schema', () => {
    for (const body of [null, undefined, [], 'x', { url: 1 }, {}])
      expect(findWebhookUrlErrors(body, rules)).toEqual([]);
  });
});
