import type { BadgeEvent } from './types.ts';

const SECRET_PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 5 * 60;

/**
 * The headers of a request: those of `Request`, or `req.headers` of Node, Express and Fastify. A value can be
 * an array of one, as in `req.headersDistinct` and in the events of some clouds.
 *
 * @example
 * const headers: WebhookHeaders = new Headers();
 */
export type WebhookHeaders =
  | { get(name: string): string | readonly string[] | null | undefined }
  | Record<string, string | readonly string[] | undefined>;

/**
 * A request to a webhook that must not be trusted: it was not sent by the service, or not now. Respond with
 * the status 400.
 *
 * @example
 * try {
 *   await verifyWebhook(request.headers, await request.text(), secret);
 * } catch (error) {
 *   if (!(error instanceof BadgeWebhookError)) throw error;
 *   console.log(`400 ${error.message}`);
 * }
 */
export class BadgeWebhookError extends Error {
  override readonly name = 'BadgeWebhookError';
}

/**
 * Returns the event of a request to a webhook, after its signature and its time are checked. `body` is the
 * raw body, as text or bytes: an object that a framework has parsed cannot be checked. After a rotation,
 * either secret is right for 24 hours, so change it at any time during them. An array is for a server that
 * cannot know which of several secrets is right; then also check `communityId` in the event. Throws
 * `BadgeWebhookError` if the request must not be trusted.
 *
 * **`await` it**, and use only the event that it returns: without `await`, a forged request is not stopped.
 * An event can arrive twice, so remember its `eventId`.
 *
 * @example
 * const secret = process.env.BADGE_WEBHOOK_SECRET ?? '';
 * const event = await verifyWebhook(request.headers, await request.text(), secret);
 * if (event.type === 'badge.claimed') {
 *   console.log(`${event.data.address} has claimed token ${event.data.tokenId}`);
 * }
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  secret: string | readonly string[],
): Promise<BadgeEvent> {
  // Mistakes of the program are found first, whatever was sent.
  const keys = (Array.isArray(secret) ? secret : [secret]).map(readSecret);
  if (keys.length === 0) throw new TypeError('`secret` has no secret.');
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('`headers` must be the headers of the request.');
  const bytes = readBody(body);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ');
  const age = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > TOLERANCE_SECONDS) {
    throw new BadgeWebhookError(
      'webhook-timestamp is not within 5 minutes of the time of this machine: the request is a repetition, or a clock is wrong.',
    );
  }
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const signature of signatures) {
      const expected = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : null;
      // `verify` compares in constant time.
      if (expected && (await crypto.subtle.verify('HMAC', imported, expected, signed))) {
        const event = JSON.parse(new TextDecoder().decode(bytes)) as BadgeEvent;
        if (event.eventId === id) return event;
      }
    }
  }
  throw new BadgeWebhookError(
    'No signature is right: the secret is another one, or the body is not exactly what was sent.',
  );
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key =
    typeof secret === 'string' && secret.startsWith(SECRET_PREFIX)
      ? decodeBase64(secret.slice(SECRET_PREFIX.length))
      : null;
  if (!key?.length)
    throw new TypeError('`secret` must be the secret of the webhook, which begins with whsec_.');
  return key;
}

function readBody(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError(
    '`body` must be the raw body of the request, as text or bytes, not an object that was parsed from it. In Express, use express.raw({ type: "application/json" }).',
  );
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const found =
    typeof headers.get === 'function'
      ? (headers as { get(name: string): unknown }).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const [value, second] = Array.isArray(found) ? found : [found];
  if (second !== undefined) {
    throw new BadgeWebhookError(`The request has several headers ${name}, so it is not from the service.`);
  }
  if (typeof value !== 'string' || value === '') {
    throw new BadgeWebhookError(`The request has no header ${name}, so it is not from the service.`);
  }
  return value;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
