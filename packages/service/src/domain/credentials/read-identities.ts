import { randomBytes } from 'node:crypto';
import { type BadgeIdentity, hashIdentity } from '@badge/credentials/issue';
import { type RequestError, spellEmailAddress } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { Address } from '../../signatures/address.ts';
import type { Caller } from '../caller.ts';
import { isOneLine } from '../invitations/rules.ts';
import { isOwnerSession } from '../is-owner-session.ts';
import { invalidRequest, Refusal } from '../refusal.ts';
import { decryptEmail } from '../sessions/read-session.ts';

const SALT_BYTES = 16;

/** Who wants a credential that says who its owner is. */
export interface IdentityRequest {
  caller: Caller;
  /** What the owner has typed as their name. Null: nothing. */
  name: string | null;
}

/**
 * Returns who the owner of a badge is, for a file that only they get. Nothing of it is stored. Throws unless
 * the caller is the owner.
 */
export async function readIdentities(
  context: Context,
  { caller, name }: IdentityRequest,
  owner: { communityId: string; address: Address },
): Promise<BadgeIdentity[]> {
  if (!(await isOwnerSession(context, caller, owner))) {
    throw new Refusal('RoleNotAllowed', 'This needs the session of the owner of the badge.');
  }
  return [
    ...(name === null ? [] : [{ type: 'name' as const, name }]),
    ...(caller.kind === 'emailSession' ? [toEmailIdentity(decryptEmail(context, caller))] : []),
  ];
}

/**
 * Hashes an address in lower case, its domain in ASCII, so that the hash does not depend on how the person
 * has typed it. The salt is new for each file, so the files of two communities do not show that they are of
 * one person.
 */
function toEmailIdentity(email: string): BadgeIdentity {
  const [text = email] = spellEmailAddress(email);
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { type: 'emailAddress', hash: hashIdentity(text, salt), salt };
}

/** Throws unless the query of a credential asks for a name that it can contain. */
export function checkNameParameter(query: { with?: string; name?: string }): void {
  const { name } = query;
  if (name === undefined) return;
  const fail = (detail: string): RequestError => ({ parameter: 'name', detail });
  if (query.with === undefined) throw invalidRequest([fail('can only be sent with `with=identity`')]);
  if (!isOneLine(name)) throw invalidRequest([fail('must be one line, without control characters')]);
  if (name.trim() === '') throw invalidRequest([fail('must not be blank')]);
}
