import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Credential } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { hashKey, isMistyped, isOfOtherKind, isSessionToken } from './rules.ts';

/** A key or the token of a session, as sent. Basic authentication also sends the community's id. */
export interface PresentedKey {
  key: string;
  communityId?: string;
  /** Whether it was sent as a bearer token, as the token of a session must be. */
  isBearer?: boolean;
}

/** Returns the owner of a key or a session: the operator, a community, a wallet or an e-mail address. */
export async function authenticate(context: Context, presented: PresentedKey): Promise<Credential> {
  const hash = hashKey(presented.key);
  if (isSessionToken(presented.key)) return await authenticateSession(context, presented, hash);
  if (isOneOf(context.settings.adminKeyHashes, hash)) return { kind: 'operator' };
  if (isMistyped(presented.key)) {
    throw new Refusal('InvalidApiKey', 'The checksum of the API key is wrong: it is probably mistyped.');
  }
  if (isOfOtherKind(presented.key, context.settings.environment)) {
    throw new Refusal(
      'InvalidApiKey',
      `The API key is neither a ${context.settings.environment} key nor the operator's key of this service.`,
    );
  }
  const apiKey = await context.lookUps.findApiKey(hash);
  if (apiKey === null) throw new Refusal('InvalidApiKey', 'The API key is unknown, expired or revoked.');
  if (presented.communityId !== undefined && presented.communityId !== apiKey.communityId) {
    throw new Refusal('InvalidApiKey', 'The API key does not belong to the community it was sent for.');
  }
  return { kind: 'community', ...apiKey };
}

async function authenticateSession(
  context: Context,
  { key, isBearer = false }: PresentedKey,
  hash: Buffer,
): Promise<Credential> {
  if (!isBearer) {
    throw new Refusal('InvalidSession', 'Send the token of a session as "Authorization: Bearer TOKEN".');
  }
  if (isMistyped(key)) {
    throw new Refusal(
      'InvalidSession',
      'The checksum of the session token is wrong: it is probably mistyped.',
    );
  }
  const session = await context.lookUps.findSession(hash);
  if (session === null) throw new Refusal('InvalidSession', 'The session is unknown, expired or ended.');
  return 'emailHash' in session ? { kind: 'emailSession', ...session } : { kind: 'session', ...session };
}

/** Throws unless the key may read the metrics: the operator's key, or one that may do only this. */
export async function checkMayReadMetrics(context: Context, presented: PresentedKey): Promise<void> {
  if (isOneOf(context.settings.metricsKeyHashes, hashKey(presented.key))) return;
  const caller = await authenticate(context, presented);
  if (caller.kind === 'operator') return;
  throw new Refusal('ApiKeyNotAllowed', "This endpoint requires the operator's key, or that of the metrics.");
}

// Compares with all of them, so that the time does not say which one is meant.
function isOneOf(hashes: Buffer[], hash: Buffer): boolean {
  return hashes.map((each) => timingSafeEqual(each, hash)).includes(true);
}
