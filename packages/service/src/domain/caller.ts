import { ROLES, type Role } from '@badge/protocol';
import type { Context } from '../context.ts';
import type { Actor } from '../storage/audit-log.ts';
import type { Database } from '../storage/database.ts';
import { findLostRight, type LostRight } from '../storage/rights.ts';
import type { EmailSession, WalletSession } from '../storage/sessions.ts';
import { Refusal } from './refusal.ts';

/** The owner of the API key or of the session that a request was sent with. */
export type Credential =
  | { kind: 'operator' }
  | { kind: 'community'; communityId: string; apiKeyId: string; role: Role }
  | ({ kind: 'session' } & WalletSession)
  | ({ kind: 'emailSession' } & EmailSession);

/** A credential, and the role that the request needs in the community that it is about. */
export type Caller = Credential & { neededRole: Role };

/**
 * Returns the actor for the audit log, with what a statement needs to check the caller's right again. A
 * request without a credential was made with a wallet's signature or with the code of a claim link. What an
 * owner does with a session needs no role.
 */
export function toActor(
  caller: Caller | null,
  { hasSignature = false, isByOwner = false }: { hasSignature?: boolean; isByOwner?: boolean } = {},
): Actor {
  if (caller === null) return { kind: hasSignature ? 'signature' : 'claimCode', apiKeyId: null };
  if (caller.kind === 'operator') return { kind: 'operator', apiKeyId: null };
  // What it may do needs no role. It is decided before the write.
  if (caller.kind === 'emailSession') return { kind: 'email', apiKeyId: null };
  const { neededRole } = caller;
  if (caller.kind === 'community') return { kind: 'apiKey', apiKeyId: caller.apiKeyId, neededRole };
  const { sessionId, address } = caller;
  if (isByOwner) return { kind: 'session', apiKeyId: null, session: { sessionId: null, address } };
  return { kind: 'session', apiKeyId: null, session: { sessionId, address }, neededRole };
}

/**
 * Throws unless the caller may act for the community: its key must belong to the community, and its key or
 * its member must have the needed role.
 */
export async function checkMayActFor(
  context: Pick<Context, 'lookUps'>,
  caller: Caller,
  communityId: string,
): Promise<void> {
  if (caller.kind === 'community' && caller.communityId !== communityId) {
    throw new Refusal('ApiKeyNotAllowed', `The API key does not belong to the community ${communityId}.`);
  }
  if (!(await hasRole(context, caller, communityId))) throw roleNotAllowed(caller);
}

/** Whether the caller has the needed role in the community. A key must be one of this community. */
export async function hasRole(
  context: Pick<Context, 'lookUps'>,
  caller: Caller,
  communityId: string,
): Promise<boolean> {
  if (caller.kind === 'operator') return true;
  if (caller.kind === 'emailSession') return false;
  const role =
    caller.kind === 'community'
      ? caller.role
      : await context.lookUps.findMemberRole({ communityId, ...caller });
  return role !== null && ROLES.indexOf(role) >= ROLES.indexOf(caller.neededRole);
}

/**
 * Throws if the caller has lost its right since `checkMayActFor`. To be called if a statement has written
 * nothing, and after a read has waited.
 */
export async function checkMayStillWrite(db: Database, caller: Caller, communityId: string): Promise<void> {
  const lost = await findLostRight(db, toActor(caller), communityId);
  if (lost !== null) throw rightLost(lost, caller);
}

/** The refusal of a write whose caller has lost its right since the request was authenticated. */
export function rightLost(lost: LostRight, caller: Caller): Refusal {
  switch (lost) {
    case 'apiKeyInvalid':
      return new Refusal('InvalidApiKey', 'The API key is expired or revoked.');
    case 'sessionInvalid':
      return new Refusal('InvalidSession', 'The session is expired or ended.');
    case 'roleTooLow':
      return roleNotAllowed(caller);
  }
}

function roleNotAllowed({ neededRole }: Caller): Refusal {
  return new Refusal(
    'RoleNotAllowed',
    `This needs the role ${neededRole}, or a higher one, in the community.`,
  );
}
