import { randomBytes, randomUUID } from 'node:crypto';
import type { CreateInvitationsBody, Invitation, RequestError } from '@badge/protocol';
import type { Context, DatabaseTransaction, Repetition } from '../../context.ts';
import {
  findListedIdentifiers,
  insertClaimLinks,
  type ListedIdentifier,
  type NewClaimLink,
} from '../../storage/claim-links.ts';
import {
  adoptReservations,
  findInvitationsByEmail,
  findInvitedMailboxes,
  insertInvitations,
  type NewInvitation,
} from '../../storage/invitations.ts';
import { findUnsubscribed, scheduleMails } from '../../storage/mails.ts';
import type { NewSignature } from '../../storage/operations.ts';
import { type NewRecipient, removeInvited, writeRecipients } from '../../storage/recipients.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { beginCreatorCheck, type RunChainCalls, type RunWrite } from '../check-signature.ts';
import { checkClaimLinkUsage } from '../claim-links/read-usage.ts';
import { hashClaimCode, makeClaimCode } from '../claim-links/rules.ts';
import { normaliseContributor } from '../contributors/rules.ts';
import { lockWritableToken } from '../lock-token.ts';
import { type MailContext, requireMail } from '../mail-service.ts';
import { countMails, mailboxFull } from '../mailbox-limits.ts';
import { encryptPerson } from '../recipients/rules.ts';
import { checkNoErrors, MAX_ERRORS, Refusal } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { readInvitations } from './list-invitations.ts';
import { checkEntries, checkHasEntries, checkSameEntries } from './read-entries.ts';
import { hashEmail, hashMailbox, listRecipients, type Recipient, toSendAt } from './rules.ts';

/**
 * Creates an invitation for each recipient: a claim link, unless the mail is for the entry of an address, and
 * a mail that is sent by a job. A recipient who has an invitation to the token keeps it. An unsubscribed one
 * gets neither a link nor a mail. A repeated request with the same `Idempotency-Key` only reads the
 * invitations of the first one.
 */
export async function createInvitations(
  context: Context,
  caller: Caller,
  {
    tokenId,
    body,
    repetition,
    runChainCalls,
    runWrite,
  }: {
    tokenId: string;
    body: CreateInvitationsBody;
    repetition: Repetition | undefined;
    runChainCalls: RunChainCalls;
    runWrite: RunWrite;
  },
): Promise<Invitation[]> {
  const token = await readWritableToken(context, caller, tokenId);
  const earlierIds = repetition?.earlierIds ?? null;
  if (earlierIds !== null) return await readInvitations(context, token.token_id, earlierIds);
  const mailContext = requireMail(context);
  if (body.signature && !token.is_allowlist_required) {
    throw new Refusal('AllowlistMismatch', 'This token is open: send no signature.');
  }
  const check = body.signature ? beginCreatorCheck(context, token, body.signature, runChainCalls) : null;
  const recipients = listRecipients(body.recipients).map((recipient) => ({
    ...recipient,
    emailHash: hashEmail(mailContext.encryption, recipient.email),
    mailboxHash: hashMailbox(mailContext.encryption, recipient.email),
  }));
  checkHasEntries(token, recipients);
  const signature = (await check?.finish()) ?? null;
  const insert = async (tx: DatabaseTransaction) => {
    // Claims, links and invitations of the token wait, so an address never gets two of them.
    await lockWritableToken(tx, token.token_id);
    const ids = await insertMissing(mailContext, tx, caller, { token, body, recipients, signature });
    await repetition?.record(tx, ids);
    return ids;
  };
  const invitationIds = await runWrite(() => context.transaction(insert));
  return await readInvitations(context, token.token_id, invitationIds);
}

type HashedRecipient = Recipient & { emailHash: Buffer; mailboxHash: Buffer };

interface CreationRequest {
  token: TokenSummaryRow;
  body: CreateInvitationsBody;
  recipients: HashedRecipient[];
  signature: NewSignature | null;
}

// Returns the ids of the invitations of all recipients, in their order.
async function insertMissing(
  context: MailContext,
  tx: DatabaseTransaction,
  caller: Caller,
  { token, body, recipients, signature }: CreationRequest,
): Promise<string[]> {
  const tokenId = token.token_id;
  const emailHashes = recipients.map((recipient) => recipient.emailHash);
  const invitations = await findInvitationsByEmail(tx, { tokenId, emailHashes });
  const idByHash = new Map(invitations.map((one) => [one.email_hash.toString('hex'), one.invitation_id]));
  const byHash = new Map(invitations.map((one) => [one.email_hash.toString('hex'), one]));
  checkSameEntries(
    recipients.map((one) => ({ ...one, invitation: byHash.get(one.emailHash.toString('hex')) })),
  );
  const reservations = invitations.filter(({ kind }) => kind === 'reservation');
  if (reservations.length > 0) {
    await adoptReservations(
      tx,
      reservations.map((one) => one.invitation_id),
    );
  }
  const missing = recipients.filter(({ emailHash }) => !idByHash.has(emailHash.toString('hex')));
  if (missing.length > 0) {
    const created = await insertNew(context, tx, caller, { token, body, recipients: missing, signature });
    for (const { invitationId, emailHash } of created) idByHash.set(emailHash.toString('hex'), invitationId);
  }
  return recipients.map(({ emailHash }) => idByHash.get(emailHash.toString('hex')) ?? '');
}

async function insertNew(
  context: MailContext,
  tx: DatabaseTransaction,
  caller: Caller,
  { token, body, recipients, signature }: CreationRequest,
): Promise<NewInvitation[]> {
  const { encryption, settings } = context;
  const { token_id: tokenId, community_id: communityId } = token;
  const hashes = recipients.flatMap((recipient) => [recipient.emailHash, recipient.mailboxHash]);
  const unsubscribed = toHexSet(await findUnsubscribed(tx, { communityId, hashes }));
  const invited = recipients.filter(
    ({ emailHash, mailboxHash }) =>
      !unsubscribed.has(emailHash.toString('hex')) && !unsubscribed.has(mailboxHash.toString('hex')),
  );
  await checkEntries(tx, tokenId, recipients);
  await countRepeated(tx, tokenId, invited);
  const linked = invited.filter(({ address }) => address === null);
  const links = new Map(
    (await createLinks(tx, { token, recipients: linked, signature })).map((link) => [link.recipient, link]),
  );
  const isInvited = new Set(invited);
  const people = await writePeople(context, tx, { tokenId, recipients, links });
  const invitations = recipients.map((recipient, index): NewInvitation => {
    const { invitationId, recipientId } = people[index] ?? { invitationId: '', recipientId: '' };
    const { language, address, emailHash, mailboxHash } = recipient;
    const link = links.get(recipient);
    return {
      invitationId,
      mailId: randomUUID(),
      recipientId,
      emailHash,
      mailboxHash,
      language,
      contributorKey: address,
      isUnsubscribed: !isInvited.has(recipient),
      link:
        link === undefined
          ? null
          : {
              claimLinkId: link.claimLinkId,
              code: encryption.encrypt('claimCode', invitationId, link.code),
            },
    };
  });
  const isInserted = await insertInvitations(tx, toActor(caller), {
    invitationRequestId: randomUUID(),
    tokenId,
    message: body.message?.trim() || null,
    timeZone: body.timeZone ?? null,
    sendAt: toSendAt(body.sendAtTimestamp),
    publicUrl: settings.publicUrl,
    invitations,
  });
  if (!isInserted) {
    await checkMayStillWrite(tx, caller, communityId);
    throw new Error(`token ${tokenId} no longer exists`);
  }
  if (links.size > 0) {
    await checkClaimLinkUsage(context, tx, { token, added: links.size });
    await insertLinks(tx, caller, { tokenId, body, links: [...links.values()], signature });
  }
  if (invited.length > 0) await scheduleMails(tx, { communityId });
  return invitations;
}

// Writes who is invited. Somebody who wants no mails has neither a link nor an entry.
async function writePeople(
  { encryption }: MailContext,
  tx: DatabaseTransaction,
  {
    tokenId,
    recipients,
    links,
  }: { tokenId: number; recipients: HashedRecipient[]; links: Map<HashedRecipient, LinkOfRecipient> },
): Promise<{ invitationId: string; recipientId: string }[]> {
  await removeInvited(tx, { tokenId, emailHashes: recipients.map(({ emailHash }) => emailHash) });
  const people = recipients.map((recipient): NewRecipient & { invitationId: string } => {
    const { address, email, name } = recipient;
    const link = links.get(recipient);
    const contributorKey = address ?? link?.contributorKey ?? randomBytes(32);
    return {
      contributorKey,
      way: 'invitation',
      address,
      claimLinkId: link?.claimLinkId ?? null,
      invitationId: randomUUID(),
      ...encryptPerson(encryption, contributorKey, { name, email: email.address }),
    };
  });
  const recipientIds = await writeRecipients(tx, tokenId, people);
  return people.map(({ invitationId }, index) => ({ invitationId, recipientId: recipientIds[index] ?? '' }));
}

const toHexSet = (hashes: Buffer[]) => new Set(hashes.map((hash) => hash.toString('hex')));

// The first invitation of a mailbox to the token is free. Throws if a mailbox has got too many further ones.
async function countRepeated(
  tx: DatabaseTransaction,
  tokenId: number,
  recipients: HashedRecipient[],
): Promise<void> {
  const mailboxHashes = recipients.map(({ mailboxHash }) => mailboxHash);
  const seen = toHexSet(await findInvitedMailboxes(tx, { tokenId, mailboxHashes }));
  const repeated = recipients.filter(({ mailboxHash }) => {
    const hash = mailboxHash.toString('hex');
    const isRepeated = seen.has(hash);
    seen.add(hash);
    return isRepeated;
  });
  const tooMany = await countMails(
    tx,
    'repeated',
    repeated.map(({ mailboxHash }) => mailboxHash),
  );
  if (tooMany.length === 0) return;
  const full = toHexSet(tooMany.map(({ mailboxHash }) => mailboxHash));
  const errors = repeated
    .filter(({ mailboxHash }) => full.has(mailboxHash.toString('hex')))
    .map(({ index }) => ({ pointer: `/recipients/${index}/email`, detail: 'has got too many mails today' }));
  throw mailboxFull(Math.max(...tooMany.map(({ seconds }) => seconds)), errors.slice(0, MAX_ERRORS));
}

type LinkOfRecipient = NewClaimLink & { recipient: HashedRecipient; code: string };

// A recipient on the allowlist gets a link for this entry, any other a link with an entry of its own.
async function createLinks(
  tx: DatabaseTransaction,
  {
    token,
    recipients,
    signature,
  }: { token: TokenSummaryRow; recipients: HashedRecipient[]; signature: NewSignature | null },
): Promise<LinkOfRecipient[]> {
  const { token_id: tokenId, is_allowlist_required: isAllowlistRequired } = token;
  const candidateKeys = recipients.map(({ email }) =>
    email.spellings.map((spelling) => normaliseContributor(spelling).key),
  );
  const listed = isAllowlistRequired ? await findListedIdentifiers(tx, tokenId, candidateKeys.flat()) : [];
  const byKey = new Map(listed.map((entry) => [entry.contributor_key.toString('hex'), entry]));
  const errors: RequestError[] = [];
  const links = recipients.map((recipient, index): LinkOfRecipient => {
    const entry = (candidateKeys[index] ?? [])
      .map((key) => byKey.get(key.toString('hex')))
      .find((found) => found !== undefined);
    const detail = findEntryError(entry, isAllowlistRequired, signature);
    if (detail !== null) errors.push({ pointer: `/recipients/${recipient.index}/email`, detail });
    const code = makeClaimCode();
    return {
      recipient,
      claimLinkId: randomUUID(),
      contributorKey: entry?.contributor_key ?? randomBytes(32),
      identifier: entry?.identifier ?? null,
      code,
      codeHash: hashClaimCode(tokenId, code),
    };
  });
  checkNoErrors(errors);
  return links;
}

function findEntryError(
  entry: ListedIdentifier | undefined,
  isAllowlistRequired: boolean,
  signature: NewSignature | null,
): string | null {
  if (entry?.has_claimed) return 'has already claimed this token';
  return isAllowlistRequired && entry === undefined && signature === null
    ? "is not on the token's allowlist; the creator's signature adds it"
    : null;
}

async function insertLinks(
  tx: DatabaseTransaction,
  caller: Caller,
  request: {
    tokenId: number;
    body: CreateInvitationsBody;
    links: LinkOfRecipient[];
    signature: NewSignature | null;
  },
): Promise<void> {
  const { tokenId, body, links, signature } = request;
  const expiresAt = body.expiresAtTimestamp ? new Date(body.expiresAtTimestamp) : null;
  const isListed = ({ identifier }: NewClaimLink) => identifier !== null;
  for (const group of [
    { links: links.filter(isListed), signature: null },
    { links: links.filter((link) => !isListed(link)), signature },
  ]) {
    if (group.links.length === 0) continue;
    const request = { tokenId, expiresAt, room: null, isRecordedByCaller: true, ...group };
    const createdAt = await insertClaimLinks(tx, toActor(caller), request);
    if (createdAt === undefined) throw new Error(`the links of token ${tokenId} were not inserted`);
  }
}
