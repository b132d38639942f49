import { randomBytes, randomUUID } from 'node:crypto';
import type { ConfirmedReservation } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { findClaimLinkRow, replaceClaimLink } from '../../storage/claim-links.ts';
import type { ClaimRequest } from '../../storage/claims.ts';
import { findInvitationsByEmail } from '../../storage/invitations.ts';
import { scheduleMails } from '../../storage/mails.ts';
import { findEntryOfEmail } from '../../storage/named-recipients.ts';
import { findOwner } from '../../storage/ownership.ts';
import { writeRecipients } from '../../storage/recipients.ts';
import {
  confirmReservation as confirmStored,
  deleteReservation,
  type FoundReservation,
  findReservation,
  takeRoomPlace,
} from '../../storage/reservations.ts';
import { lockCurrentToken } from '../../storage/token-locks.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { acceptOperation } from '../accept-operation.ts';
import { toActor } from '../caller.ts';
import { checkClaimLinkUsage } from '../claim-links/read-usage.ts';
import { hashClaimCode, makeClaimCode } from '../claim-links/rules.ts';
import { readClaimRefusals } from '../claims/read-eligibility.ts';
import { describeClaimRefusal, identifyRequestAboutToken } from '../claims/rules.ts';
import { namesOfEmail } from '../contributors/rules.ts';
import {
  hasKeptBadges,
  prepareKeptAddress,
  receivingAddressOf,
  requireKeptAddresses,
} from '../kept-addresses.ts';
import { type MailContext, requireMail } from '../mail-service.ts';
import { queueMailAgain } from '../queue-mail-again.ts';
import { encryptClaimer, encryptPerson } from '../recipients/rules.ts';
import { Refusal } from '../refusal.ts';
import { currentIdOf, readTokenRow } from '../tokens/read-token.ts';
import { findSourceRefusal } from './read-source.ts';
import { hashConfirmationCode } from './rules.ts';

/** Who confirms has the code of a mail, and no key. */
const ACTOR = toActor(null);

/**
 * Confirms an address. If the service keeps badges, and the token needs no signature, somebody who has
 * confirmed an e-mail claims at once, and confirming twice is the same operation.
 *
 * Otherwise takes a place of the link whose code was sent, makes a link for the address, and queues the mail
 * with it. A room counts a claim; a link for one claim is replaced. An address that has an invitation or a
 * reservation takes no second place, but gets its link again. Confirming twice changes nothing.
 */
export async function confirmReservation(
  context: Context,
  { tokenId, confirmationCode }: { tokenId: string; confirmationCode: string },
): Promise<ConfirmedReservation> {
  const token = await readTokenRow(context, tokenId);
  const mailContext = requireMail(context);
  const confirmationHash = hashConfirmationCode(confirmationCode);
  const claim = await claimAtOnce(context, token, confirmationHash);
  if (claim !== null) return claim;
  await context.transaction(async (tx) => {
    // While the token is locked, no claim and no other confirmation can take the place. If another token has
    // replaced it, the place is one of that token.
    const tokenId = await lockCurrentToken(tx, token.token_id);
    const found = await findReservation(tx, { tokenId, confirmationHash });
    if (found === undefined) throw invalidCode();
    if (found.kind === 'reservation') return;
    const reservation = { ...found, token_id: tokenId };
    if (await sendKnownLink(mailContext, tx, reservation)) return;
    await takePlace(mailContext, tx, reservation);
  });
  return { operationId: null, address: null };
}

// Accepts the claim of who confirms. Null if it needs a wallet, or if this person has claimed with one. The
// request stays until its hour is over, so that a repetition finds the operation by it.
async function claimAtOnce(
  context: Context,
  token: TokenSummaryRow,
  confirmationHash: Buffer,
): Promise<ConfirmedReservation | null> {
  if (!hasKeptBadges(context) || token.is_signature_required) return null;
  const { encryption } = requireKeptAddresses(context);
  const tokenId = currentIdOf(token);
  const found = await findReservation(context.database, { tokenId, confirmationHash });
  if (found === undefined || found.is_signature_required) return null;
  const { unconfirmed_email: encrypted, email_hash: emailHash, community_id: communityId } = found;
  if (encrypted === null || emailHash === null) return null;
  const { address, isKept } = await receivingAddressOf(context, { communityId, emailHash });
  const owner = await findOwner(context.database, tokenId, address);
  const [known] = await findInvitationsByEmail(context.database, { tokenId, emailHashes: [emailHash] });
  if (owner === undefined && known?.status === 'claimed') return null;
  const email = encryption.decrypt('emailAddress', found.invitation_id, encrypted);
  // Whoever has a place already takes no second one.
  const ownKey = await findEntryOfEmail(context.database, {
    tokenId,
    emailHash,
    ...namesOfEmail(email),
  });
  const entryKey = ownKey ?? found.source_key;
  const request: ClaimRequest = {
    tokenId,
    address,
    identifierKey: entryKey,
    isAllowlistBypassed: false,
    claimLinkId: ownKey === null ? found.source_link_id : null,
    clientHash: null,
    claimer: encryptClaimer(encryption, { email, emailHash }, [address, ...(entryKey ? [entryKey] : [])]),
    isForOther: !isKept,
  };
  const [refused] = await readClaimRefusals(context, request);
  // This can be the operation of an earlier confirmation.
  if (refused !== undefined && refused !== 'ClaimingAddressAlreadyHasToken') throw refusal(refused);
  if (isKept) await prepareKeptAddress(context, context.database, { communityId, emailHash });
  const { operationId } = await acceptOperation(context, {
    operationType: 'claim',
    communityId,
    caller: null,
    key: null,
    requestIdentity: identifyRequestAboutToken('claim', tokenId, [address, confirmationHash]),
    request,
  });
  return { operationId, address: toChecksumAddress(address) };
}

// Returns whether the address has a link or an entry to the token already. If it is not used, it is sent
// again.
async function sendKnownLink(
  context: MailContext,
  tx: DatabaseTransaction,
  { invitation_id: invitationId, token_id: tokenId, email_hash: emailHash }: FoundReservation,
): Promise<boolean> {
  if (emailHash === null) throw invalidCode();
  const [known] = await findInvitationsByEmail(tx, { tokenId, emailHashes: [emailHash] });
  if (known === undefined) return false;
  await deleteReservation(tx, invitationId);
  const isInvited = known.claim_link_id !== null || known.contributor_key !== null;
  if (isInvited && known.status !== 'claimed') await queueMailAgain(context, tx, ACTOR, known);
  return true;
}

async function takePlace(
  context: MailContext,
  tx: DatabaseTransaction,
  reservation: FoundReservation,
): Promise<void> {
  const { token_id: tokenId, community_id: communityId, invitation_id: invitationId } = reservation;
  const source = await findClaimLinkRow(tx, { tokenId, claimLinkId: reservation.source_link_id });
  if (source === undefined) throw invalidCode();
  const refused = await findSourceRefusal(tx, { tokenId, source });
  if (refused !== undefined) throw refusal(refused);
  await checkClaimLinkUsage(context, tx, { token: reservation, added: 1 });
  const claimLinkId = randomUUID();
  const code = makeClaimCode();
  const codeHash = hashClaimCode(tokenId, code);
  const contributorKey = source.max_claims === null ? source.contributor_key : randomBytes(32);
  const recipientId = await writePerson(context, tx, { reservation, contributorKey, claimLinkId });
  const isConfirmed = await confirmStored(tx, ACTOR, {
    invitationId,
    tokenId,
    mailId: randomUUID(),
    recipientId,
    claimLinkId,
    code: context.encryption.encrypt('claimCode', invitationId, code),
  });
  if (!isConfirmed) throw invalidCode();
  if (source.max_claims === null) {
    const link = { claimLinkId: source.claim_link_id, newClaimLinkId: claimLinkId };
    await replaceClaimLink(tx, { communityId, codeHash, ...link });
  } else {
    const place = { roomLinkId: source.claim_link_id, contributorKey };
    const { client_hash: clientHash } = reservation;
    if (!(await takeRoomPlace(tx, { claimLinkId, codeHash, clientHash, ...place })))
      throw refusal('ClaimCodeUsed');
  }
  await scheduleMails(tx, { communityId });
}

// Somebody who has confirmed an address is a recipient from now on.
async function writePerson(
  { encryption }: MailContext,
  tx: DatabaseTransaction,
  {
    reservation,
    contributorKey,
    claimLinkId,
  }: { reservation: FoundReservation; contributorKey: Buffer; claimLinkId: string },
): Promise<string> {
  const { invitation_id: invitationId, unconfirmed_email: encrypted } = reservation;
  if (encrypted === null) throw invalidCode();
  const email = encryption.decrypt('emailAddress', invitationId, encrypted);
  const [recipientId] = await writeRecipients(tx, reservation.token_id, [
    {
      contributorKey,
      way: 'reservation',
      address: null,
      claimLinkId,
      invitationId,
      ...encryptPerson(encryption, contributorKey, { email }),
    },
  ]);
  if (recipientId === undefined) throw new Error(`reservation ${invitationId} has no recipient`);
  return recipientId;
}

function refusal(name: Parameters<typeof describeClaimRefusal>[0]): Refusal {
  return new Refusal(name, describeClaimRefusal(name));
}

function invalidCode(): Refusal {
  return new Refusal(
    'ConfirmationCodeInvalid',
    'The code is unknown, or was sent more than an hour ago. Request the mail again.',
  );
}
