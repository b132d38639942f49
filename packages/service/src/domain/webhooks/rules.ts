import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { RequestError, Webhook } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { RequestOutcome, WebhookSender } from '../../delivery/webhook-sender.ts';
import { type Encryption, WrongEncryptionKey } from '../../encryption.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import type { WebhookRow } from '../../storage/webhooks.ts';
import { Refusal } from '../refusal.ts';

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Returns a new secret, as Standard Webhooks writes it. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Returns what is recorded of a secret to recognize it later. It is a hash of the encrypted secret, so it
 * reveals nothing.
 */
export function secretIdOf(encryptedSecret: Buffer): string {
  return createHash('sha256').update(encryptedSecret).digest('hex');
}

/** Returns the headers of Standard Webhooks. There is a signature for each secret, the present one first. */
export function signWebhook(
  { eventId, timestampSeconds, body }: { eventId: string; timestampSeconds: number; body: string },
  secrets: string[],
): Record<string, string> {
  const signed = `${eventId}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

/** What the configuration says about the URLs of webhooks. */
export type WebhookUrlRules = Pick<WebhookSender, 'mayUseHttp' | 'isAllowedAddress'>;

/**
 * Returns the errors of the URL in a body that its schema cannot express. A name is not resolved here,
 * because it can lead to another address whenever a request is sent.
 */
export function findWebhookUrlErrors(body: unknown, rules: WebhookUrlRules): RequestError[] {
  const { url } = (body ?? {}) as { url?: unknown };
  if (typeof url !== 'string' || url === '') return [];
  const detail = findUrlProblem(url, rules);
  return detail === null ? [] : [{ pointer: '/url', detail }];
}

function findUrlProblem(text: string, { mayUseHttp, isAllowedAddress }: WebhookUrlRules): string | null {
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text))
    return 'must be a URL, such as https://example.org/events';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(mayUseHttp && url.protocol === 'http:')) return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (text.includes('#')) return 'must not contain a fragment';
  const address = findAddress(url.hostname);
  if (address !== null && !isAllowedAddress(address))
    return 'must not lead to an address of a private network, unless the operator opens it with BADGE_WEBHOOK_ALLOW';
  return null;
}

// The parser of URLs writes each form of an IPv4 address, such as 0x7f000001, with four numbers.
function findAddress(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : null;
}

const MAKER_LEFT =
  'The member who made this webhook, or set its URL or its secret, is no longer an owner. Give it a new secret to keep it, or delete it.';

/** Returns a webhook as the API shows it. */
export function toWebhook({ encryption }: Pick<Context, 'encryption'>, row: WebhookRow): Webhook {
  const hasMakerLeft = row.maker_left_at !== null;
  return {
    webhookId: row.webhook_id,
    url: encryption && decryptOrNull(encryption, 'webhookUrl', row.webhook_id, row.encrypted_url),
    name: row.name,
    events: row.events,
    isEnabled: row.is_enabled && !hasMakerLeft,
    disabledReason: hasMakerLeft ? MAKER_LEFT : row.disabled_reason,
    createdBy: row.created_by === null ? null : toChecksumAddress(row.created_by),
    failingSinceTimestamp: row.failing_since?.getTime() ?? null,
    formerSecretExpiresAtTimestamp: row.former_secret_expires_at?.getTime() ?? null,
    createdAtTimestamp: row.created_at.getTime(),
  };
}

/** Returns what was encrypted for a webhook; null if it was encrypted with another key. */
export function decryptOrNull(
  encryption: Encryption,
  purpose: 'webhookSecret' | 'webhookUrl',
  webhookId: string,
  encrypted: Buffer,
): string | null {
  try {
    return encryption.decrypt(purpose, webhookId, encrypted);
  } catch (error) {
    if (error instanceof WrongEncryptionKey) return null;
    throw error;
  }
}

/** The refusal of a call that needs a webhook to which events are sent. */
export function webhookDisabled({ maker_left_at }: Pick<WebhookRow, 'maker_left_at'>): Refusal {
  const detail =
    maker_left_at === null ? 'The webhook is disabled. Set isEnabled to true first.' : MAKER_LEFT;
  return new Refusal('WebhookDisabled', detail);
}

export function webhookNotFound(): Refusal {
  return new Refusal('WebhookNotFound', 'The community has no webhook with this id.');
}

// The schedule of Standard Webhooks, about three days in all. The number of attempts is one more.
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** After so many hours without a success, a webhook is disabled. The last attempt of a delivery is later. */
export const MAX_FAILING_HOURS = 72;
const MAX_RETRY_AFTER_SECONDS = 3_600;
const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 300;
/** Spreads the retries of many deliveries that failed at the same time. */
const MAX_JITTER = 0.1;

export interface AttemptVerdict {
  isSuccess: boolean;
  /** When to try again; null: not again. */
  retryAfterSeconds: number | null;
  /** How long to send nothing to this receiver, because it is not available; null: it is. */
  pauseSeconds: number | null;
  disabledReason: string | null;
}

/**
 * Decides what follows from an attempt. `attemptCount` and `failures` do not include it. `random` is from 0
 * to 1.
 */
export function judgeAttempt(
  outcome: RequestOutcome,
  { attemptCount, failures, random }: { attemptCount: number; failures: number; random: number },
): AttemptVerdict {
  const verdict = { isSuccess: false, retryAfterSeconds: null, pauseSeconds: null, disabledReason: null };
  if (outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300) {
    return { ...verdict, isSuccess: true };
  }
  if (outcome.kind === 'response' && outcome.status === 410) {
    return { ...verdict, disabledReason: 'The receiver responded with the status 410 (Gone).' };
  }
  const asked = outcome.kind === 'response' ? outcome.retryAfterSeconds : null;
  const minSeconds = asked === null ? 0 : Math.min(asked, MAX_RETRY_AFTER_SECONDS);
  const planned = RETRY_SECONDS[attemptCount];
  return {
    ...verdict,
    retryAfterSeconds:
      planned === undefined ? null : Math.max(planned * (1 + random * MAX_JITTER), minSeconds),
    pauseSeconds: isAvailable(outcome)
      ? null
      : Math.max(Math.min(FIRST_PAUSE_SECONDS * 2 ** failures, MAX_PAUSE_SECONDS), minSeconds),
  };
}

// Whether it makes sense to send the next event at once.
function isAvailable(outcome: RequestOutcome): boolean {
  return outcome.kind === 'response' && ![429, 502, 503, 504].includes(outcome.status);
}

const MAX_ERROR_CHARACTERS = 300;
// A shorter part of a URL is a word, such as `events`, rather than a secret.
const MIN_SECRET_CHARACTERS = 12;

/**
 * Returns the parts of a URL that can be a secret, the longest first. Receivers often repeat the path of a
 * request.
 */
export function findSecretParts(url: string): string[] {
  const { href, pathname, search } = new URL(url);
  const parts = [url, href, pathname + search, pathname, ...(pathname + search).split(/[/?&=]/)];
  const secrets = parts.filter((part) => part.length >= MIN_SECRET_CHARACTERS);
  return [...new Set(secrets)].sort((a, b) => b.length - a.length);
}

/**
 * Returns what the log of deliveries shows of an attempt that failed. A receiver can send back what it got,
 * so the secrets and signatures are left out.
 */
export function describeFailure(outcome: RequestOutcome, secretTexts: string[]): string {
  if (outcome.kind !== 'response') return outcome.detail;
  const { status, bodyStart } = outcome;
  if (status >= 300 && status < 400)
    return `The response has the status ${status}. Redirects are not followed.`;
  const text = secretTexts
    .reduce((shown, secret) => shown.replaceAll(secret, '…'), bodyStart)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return text === ''
    ? `The response has the status ${status}.`
    : text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed();
}
