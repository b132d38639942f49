import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BadgeWebhookError, verifyWebhook } from './index.ts';

const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes!').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of this length').toString('base64')}`;
const event = {
  eventId: randomUUID(),
  type: 'badge.claimed',
  createdAtTimestamp: 1_798_000_000_000,
  communityId: 'demo',
  data: { operationId: randomUUID(), tokenId: 1, address: `0x${'1'.repeat(40)}`, claimLinkId: null },
};
const body = JSON.stringify({ ...event, note: 'é🐦' });

function sign({
  secret = SECRET,
  at = new Date(),
  text = body,
}: {
  secret?: string;
  at?: Date;
  text?: string;
} = {}) {
  return {
    'webhook-id': event.eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(event.eventId, at, text),
  };
}

const inArrays = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

afterEach(() => void vi.useRealTimers());

describe('a right request', () => {
  test.each<[string, string | Uint8Array | ArrayBuffer]>([
    ['text', body],
    ['a Buffer', Buffer.from(body)],
    [
      'a view of a larger buffer',
      new Uint8Array(Buffer.from(`xx${body}xx`)).subarray(2, 2 + Buffer.byteLength(body)),
    ],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('with its body as %s returns the event', async (_title, raw) => {
    expect(await verifyWebhook(sign(), raw, SECRET)).toEqual({ ...event, note: 'é🐦' });
  });

  test('may have its headers in each form', async () => {
    const headers = sign();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const form of [
      headers,
      upper,
      new Headers(headers),
      new Map(Object.entries(headers)) as unknown as Headers,
      inArrays(headers),
      new Map(Object.entries(inArrays(headers))),
    ]) {
      expect(await verifyWebhook(form, body, SECRET)).toMatchObject(event);
    }
  });

  test('may be signed with one of several secrets, and have several signatures', async () => {
    expect(await verifyWebhook(sign(), body, [OTHER, SECRET])).toMatchObject(event);
    const [first, second] = [sign({ secret: OTHER }), sign()];
    const both = `v1a,abc ${first['webhook-signature']} v1,* ${second['webhook-signature']}`;
    expect(await verifyWebhook({ ...second, 'webhook-signature': both }, body, SECRET)).toMatchObject(event);
  });

  test.each([-299, 299])('may be %i seconds old', async (seconds) => {
    const headers = sign({ at: new Date(Date.now() - seconds * 1_000) });
    expect(await verifyWebhook(headers, body, SECRET)).toMatchObject(event);
  });
});

describe('a request that must not be trusted', () => {
  const refuse = async (
    headers: Parameters<typeof verifyWebhook>[0],
    raw: string,
    secret: string | string[] = SECRET,
  ) => {
    const error = await verifyWebhook(headers, raw, secret).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadgeWebhookError);
    const { name, message } = error as Error;
    expect(name).toBe('BadgeWebhookError');
    expect(message).not.toContain(SECRET);
    return message;
  };

  test('is signed with another secret, or for another body, id or time', async () => {
    const headers = sign();
    const changed = [
      refuse(headers, body, OTHER),
      refuse(headers, body, [OTHER, OTHER]),
      refuse(headers, `${body} `),
      refuse(headers, JSON.stringify(JSON.parse(body), null, 1)),
      refuse({ ...headers, 'webhook-id': randomUUID() }, body),
      refuse({ ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, body),
      refuse({ ...headers, 'webhook-signature': 'v1,' }, body),
      refuse({ ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') }, body),
      refuse({ ...headers, 'webhook-signature': headers['webhook-signature'].slice(0, -8) }, body),
      refuse({ ...headers, 'webhook-signature': 'v1,%%%' }, body),
    ];
    for (const message of await Promise.all(changed)) expect(message).toMatch(/^No signature is right/);
  });

  test.each([301, -301, 86_400])('is %i seconds old', async (seconds) => {
    const headers = sign({ at: new Date(Date.now() - seconds * 1_000) });
    expect(await refuse(headers, body)).toMatch(/not within 5 minutes/);
  });

  test.each(['', 'now', '1e9', '-1', '12.5', 'NaN', ' 1798000000'])('has the time "%s"', async (time) => {
    await refuse({ ...sign(), 'webhook-timestamp': time }, body);
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
    'has no %s, or several',
    async (name) => {
      const { [name]: value, ...others } = sign();
      expect(await refuse(others, body)).toContain(`no header ${name}`);
      expect(await refuse({ ...others, [name]: [] }, body)).toContain(`no header ${name}`);
      expect(await refuse({ ...others, [name]: [value, value] }, body)).toContain(`several headers ${name}`);
    },
  );
});

describe('a mistake of the program is a TypeError, whatever was sent', () => {
  const misuse = async (raw: unknown, secret: unknown) =>
    await verifyWebhook({}, raw as string, secret as string).catch((thrown: unknown) => thrown);

  test('a body that was parsed', async () => {
    for (const parsed of [event, [], null, undefined, 1, true]) {
      const error = await misuse(parsed, SECRET);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toMatch(/raw body.*express\.raw/);
    }
  });

  test('a secret that is missing or of something else', async () => {
    for (const secret of ['', 'badge_sandbox_abc', 'whsec_', 'whsec_%%%', undefined, [], ['']]) {
      const error = await misuse(body, secret);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toMatch(/^`secret`/);
    }
  });
});
