import type { Session } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { readHolder } from '../../storage/holders.ts';
import { listOwningAddressesOf } from '../../storage/kept-addresses.ts';
import { listMemberships } from '../../storage/members.ts';
import type { EmailSession, WalletSession } from '../../storage/sessions.ts';
import { requireEncryption } from '../require-encryption.ts';

const MAX_MEMBERSHIPS = 1_000;
const MAX_ADDRESSES = 1_000;

/** Reads who has signed in, and the memberships or the kept addresses as they are now. */
export async function readSession(
  context: Context,
  session: Pick<WalletSession, 'address' | 'walletChainId' | 'expiresAt'> | EmailSession,
): Promise<Session> {
  const expiresAtTimestamp = session.expiresAt.getTime();
  if ('emailHash' in session) {
    const { emailHash } = session;
    const kept = await listOwningAddressesOf(context.database, emailHash, MAX_ADDRESSES);
    const { moveNonce, defaultAddress } = await readHolder(context.database, emailHash);
    return {
      identity: { type: 'email', email: decryptEmail(context, session) },
      address: null,
      addresses: kept.map((one) => ({ ...one, address: toChecksumAddress(one.address) })),
      emailHash: emailHash.toString('hex'),
      moveNonce,
      defaultAddress: defaultAddress && toChecksumAddress(defaultAddress),
      expiresAtTimestamp,
      memberships: [],
    };
  }
  const rows = await listMemberships(context.database, session, MAX_MEMBERSHIPS);
  const address = toChecksumAddress(session.address);
  return {
    identity: { type: 'wallet', address },
    address,
    addresses: [],
    emailHash: null,
    moveNonce: null,
    defaultAddress: null,
    expiresAtTimestamp,
    memberships: rows.map(({ community_id: communityId, name, role }) => ({ communityId, name, role })),
  };
}

/** The e-mail address that was proven. */
export function decryptEmail(
  context: Pick<Context, 'encryption'>,
  { sessionId, encryptedEmail }: Pick<EmailSession, 'sessionId' | 'encryptedEmail'>,
): string {
  return requireEncryption(context).decrypt('emailAddress', sessionId, encryptedEmail);
}
