import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { hashKey, isMistyped, isOfOtherKind } from './rules.ts';

/** A key as sent. Basic authentication also sends the community's id. */
export interface PresentedKey {
  key: string;
  communityId?: string;
}

/** Returns the owner of a key: the operator or a community. */
export async function authenticate(context: Context, presented: PresentedKey): Promise<Caller> {
  const hash = hashKey(presented.key);
  const { adminKeyHash } = context.settings;
  if (adminKeyHash !== null && timingSafeEqual(hash, adminKeyHash)) return { kind: 'operator' };
  if (isMistyped(presented.key)) {
    throw new Refusal('InvalidApiKey', 'The checksum of the API key is wrong: it is probably mistyped.');
  }
  if (isOfOtherKind(presented.key, context.settings.environment)) {
    throw new Refusal(
      'InvalidApiKey',
      `The API key is neither a ${context.settings.environment} key nor the operator's key of this service.`,
    );
  }
  const apiKey = await context.findApiKey(hash);
  if (apiKey === null) throw new Refusal('InvalidApiKey', 'The API key is unknown, expired or revoked.');
  if (presented.communityId !== undefined && presented.communityId !== apiKey.communityId) {
    throw new Refusal('InvalidApiKey', 'The API key does not belong to the community it was sent for.');
  }
  return { kind: 'community', ...apiKey };
}
