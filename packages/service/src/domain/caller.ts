import type { Actor } from '../storage/audit-log.ts';
import { Refusal } from './refusal.ts';

/** The owner of the API key that a request was sent with. */
export type Caller = { kind: 'operator' } | { kind: 'community'; communityId: string; apiKeyId: string };

/** The audit log's actor: the caller, or a wallet's signature if no key was sent. */
export function toActor(caller: Caller | null): Actor {
  if (caller === null) return { kind: 'signature', apiKeyId: null };
  if (caller.kind === 'operator') return { kind: 'operator', apiKeyId: null };
  return { kind: 'apiKey', apiKeyId: caller.apiKeyId };
}

/** Throws if the caller's key belongs to another community. */
export function checkMayActFor(caller: Caller, communityId: string): void {
  if (caller.kind === 'community' && caller.communityId !== communityId) {
    throw new Refusal('ApiKeyNotAllowed', `The API key does not belong to the community ${communityId}.`);
  }
}
