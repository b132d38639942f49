import { randomUUID } from 'node:crypto';
import { type CreateReservationBody, parseEmailAddress } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { scheduleMails } from '../../storage/mails.ts';
import {
  countReservation,
  countReservationOfClient,
  findReservableLink,
  insertReservation,
  type ReservableLink,
} from '../../storage/reservations.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { hashClient, makeClaimCode, toSentCode } from '../claim-links/rules.ts';
import { readClaimRefusals } from '../claims/read-eligibility.ts';
import { describeClaimRefusal } from '../claims/rules.ts';
import { hashEmail, hashMailbox } from '../invitations/rules.ts';
import { requireMail } from '../mail-service.ts';
import { Refusal, rateLimited } from '../refusal.ts';
import { checkNotReplaced, currentIdOf, withTokenRow } from '../tokens/read-token.ts';
import { hashConfirmationCode, limitRequests, limitRequestsOfClient } from './rules.ts';

/**
 * Records that somebody wants a token reserved for an e-mail address, with the code of a claim link. A job
 * decides which mail the address gets, so neither the response nor its time says whether the address is
 * known. No place is taken yet.
 */
export async function createReservation(
  context: Context,
  { tokenId, body, client }: { tokenId: string; body: CreateReservationBody; client: string },
): Promise<void> {
  const { token, mailContext, source } = await withTokenRow(context, tokenId, async (token) => ({
    token,
    mailContext: requireMail(context),
    source: await readUsableLink(context, token, body.claimCode),
  }));
  const { encryption, settings } = mailContext;
  const email = parseEmailAddress(body.email);
  if (typeof email === 'string') throw new Error('the address was not checked');
  const invitationId = randomUUID();
  const code = makeClaimCode();
  await context.transaction(async (tx) => {
    const { limit } = mailContext.mail;
    const clientAddress = encryption.hash('clientAddress', client);
    const ofClient = await countReservationOfClient(tx, clientAddress, limitRequestsOfClient(limit));
    if (ofClient !== null) throw tooMany('from this client address', ofClient);
    // So no queue of them can grow.
    const ofAll =
      limit === null ? null : await countReservation(tx, token.community_id, limitRequests(limit));
    if (ofAll !== null) throw tooMany('in this community', ofAll);
    await insertReservation(tx, {
      invitationId,
      invitationRequestId: randomUUID(),
      mailId: randomUUID(),
      communityId: token.community_id,
      tokenId: currentIdOf(token),
      publicUrl: settings.publicUrl,
      email: encryption.encrypt('emailAddress', invitationId, email.address),
      emailHash: hashEmail(encryption, email),
      mailboxHash: hashMailbox(encryption, email),
      language: body.language ?? 'en',
      sourceLinkId: source.claim_link_id,
      clientHash: source.is_for_room ? hashClient(source.made_for_token_id, body.claimCode, client) : null,
      code: encryption.encrypt('claimCode', invitationId, code),
      confirmationHash: hashConfirmationCode(code),
    });
    await scheduleMails(tx, { communityId: token.community_id });
  });
}

// Returns the link of the code, if a claim with the code would be granted now. A signature is not needed yet.
async function readUsableLink(
  context: Context,
  token: TokenSummaryRow,
  claimCode: string,
): Promise<ReservableLink> {
  const code = toSentCode(token, claimCode);
  const link = await findReservableLink(context.database, code);
  if (link === undefined) {
    checkNotReplaced(token);
    throw new Refusal('ClaimCodeInvalid', describeClaimRefusal('ClaimCodeInvalid'));
  }
  // Whoever has a link instead may have lost its mail, also when the room is full or has ended. The mail
  // is sent to nobody else.
  if (link.has_successor) return link;
  const refusals = await readClaimRefusals(context, {
    tokenId: code.tokenId,
    address: null,
    identifierKey: link.is_for_room ? null : link.contributor_key,
    isAllowlistBypassed: false,
    claimLinkId: link.claim_link_id,
    clientHash: null,
  });
  const [refusal] = refusals.filter((name) => name !== 'SignatureRequired');
  if (refusal !== undefined) throw new Refusal(refusal, describeClaimRefusal(refusal));
  return link;
}

const tooMany = (where: string, pauseSeconds: number) =>
  rateLimited(`Too many reservations were requested ${where}.`, pauseSeconds);
