import type { Actor } from '../storage/audit-log.ts';
import { Refusal } from './refusal.ts';

/** The owner of the API key that a request was sent with. */
export type Caller = { kind: 'operator' } | { kind: 'community'; communityId: string; apiKeyId: string };

/**
 * Returns the actor for the audit log. A request without an API key was made with a wallet's signature or with the code
 * of a claim link.
 */
export function toActor(caller: Caller | null, { hasSignature = false } = {}): Actor {
  if (caller === null) return { kind: hasSignature ? 'signature' : 'claimCode', apiKeyId: null };
  if (caller.kind === 'operator') return { kind: 'operator', apiKeyId: null };
  return { kind: 'apiKey', apiKeyId: caller.apiKeyId };
}

/** Throws if the caller's key belongs to another community. */
export function checkMayActFor(caller: Caller, communityId: string): void {
  if (caller.kind === 'community' && caller.communityId !== communityId) {
    throw new Refusal('ApiKeyNotAllowed', `The API key does not belong to the community ${communityId}.`);
  }
}
