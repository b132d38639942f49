import { Refusal } from './refusal.ts';

/** Who a request's key speaks for. */
export type Caller = { kind: 'operator' } | { kind: 'community'; communityId: string; apiKeyId: string };

/** Refuses a caller whose key belongs to another community. */
export function checkMayActFor(caller: Caller, communityId: string): void {
  if (caller.kind === 'community' && caller.communityId !== communityId) {
    throw new Refusal('ApiKeyNotAllowed', `The API key does not belong to the community ${communityId}.`);
  }
}
