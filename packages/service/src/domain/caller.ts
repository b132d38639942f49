import type { Actor } from '../storage/audit-log.ts';
import { Refusal } from './refusal.ts';

/** Who a request's key speaks for. */
export type Caller = { kind: 'operator' } | { kind: 'community'; communityId: string; apiKeyId: string };

/** Who the audit log names: the caller or, where no key was needed and none was sent, a wallet's signature. */
export function toActor(caller: Caller | null): Actor {
  if (caller === null) return { kind: 'signature', apiKeyId: null };
  if (caller.kind === 'operator') return { kind: 'operator', apiKeyId: null };
  return { kind: 'apiKey', apiKeyId: caller.apiKeyId };
}

/** Refuses a caller whose key belongs to another community. */
export function checkMayActFor(caller: Caller, communityId: string): void {
  if (caller.kind === 'community' && caller.communityId !== communityId) {
    throw new Refusal('ApiKeyNotAllowed', `The API key does not belong to the community ${communityId}.`);
  }
}
