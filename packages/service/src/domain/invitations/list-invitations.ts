import type { Invitation, InvitationStatus } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toAddress, toChecksumAddress } from '../../signatures/address.ts';
import {
  findInvitations,
  type InvitationRow,
  listInvitations as listStoredInvitations,
} from '../../storage/invitations.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { isUuid } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { decryptPerson } from '../recipients/rules.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { invitationNotFound } from './rules.ts';

// An address has up to 254 characters, a name 100, and an error 300, of up to 6 bytes in JSON.
const INVITATION_BYTES = 5 * 1024;

/** Lists a token's invitations in the order of creation. */
export async function listInvitations(
  context: Context,
  reader: Reader,
  caller: Caller,
  tokenId: string,
  page: { limit: number; offset: number; status: InvitationStatus | undefined },
): Promise<Invitation[]> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const rows = await reader.read(page.limit * INVITATION_BYTES, () =>
    listStoredInvitations(context.database, token.token_id, page).catch(
      refuseSlowRead('Use a smaller offset, or no status'),
    ),
  );
  return rows.map((row) => toInvitation(context, row));
}

/** Reads invitations of a token, in the order of their ids. */
export async function readInvitations(
  context: Context,
  tokenId: number,
  invitationIds: string[],
): Promise<Invitation[]> {
  const rows = await findInvitations(context.database, { tokenId, invitationIds });
  return rows.map((row) => toInvitation(context, row));
}

/** Reads the row of an invitation. */
export async function readInvitationRow(
  db: Context['database'],
  { tokenId, invitationId }: { tokenId: number; invitationId: string },
): Promise<InvitationRow> {
  if (!isUuid(invitationId)) throw invitationNotFound();
  const [row] = await findInvitations(db, { tokenId, invitationIds: [invitationId] });
  if (row === undefined) throw invitationNotFound();
  return row;
}

/** Returns an invitation as the API shows it. Without the encryption key, the address is not shown. */
export function toInvitation({ encryption }: Pick<Context, 'encryption'>, row: InvitationRow): Invitation {
  const { invitation_id: invitationId, person_key: personKey, contributor_key: key } = row;
  // The name stays that of the recipient, but the invitation forgets whom it was for.
  const isErased = row.email_hash === null;
  const { email, name } = decryptPerson(encryption, isErased ? null : personKey, { ...row, note: null });
  return {
    invitationId,
    email,
    name,
    address: key && toChecksumAddress(toAddress(key)),
    language: row.language,
    status: row.status,
    error: row.error,
    claimLinkId: row.claim_link_id,
    createdAtTimestamp: row.created_at.getTime(),
    sendAtTimestamp: row.send_at?.getTime() ?? null,
    sentAtTimestamp: row.sent_at?.getTime() ?? null,
    expiresAtTimestamp: row.expires_at?.getTime() ?? null,
  };
}
