import type { Session } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { listMemberships } from '../../storage/members.ts';
import type { ValidSession } from '../../storage/sessions.ts';

const MAX_MEMBERSHIPS = 1_000;

/** Reads who has signed in, and the memberships of the address as they are now. */
export async function readSession(
  context: Context,
  { address, walletChainId, expiresAt }: Pick<ValidSession, 'address' | 'walletChainId' | 'expiresAt'>,
): Promise<Session> {
  const rows = await listMemberships(context.database, { address, walletChainId }, MAX_MEMBERSHIPS);
  return {
    address: toChecksumAddress(address),
    expiresAtTimestamp: expiresAt.getTime(),
    memberships: rows.map(({ community_id: communityId, name, role }) => ({ communityId, name, role })),
  };
}
