import type { Context } from '../../context.ts';
import { removeDefaultAddress as removeStoredAddress } from '../../storage/holders.ts';
import type { SessionHolder } from '../../storage/sessions.ts';
import { Refusal } from '../refusal.ts';

/**
 * Keeps again what somebody claims later with an e-mail. It needs no signature: the wallet may be that of
 * somebody else, who has once read a code of the person.
 */
export async function removeDefaultAddress({ database }: Context, session: SessionHolder): Promise<void> {
  if (!('emailHash' in session)) {
    throw new Refusal('RoleNotAllowed', 'Only a session by e-mail has a wallet of later badges.');
  }
  await removeStoredAddress(database, session.emailHash);
}
