import type { Context, DatabaseTransaction } from '../../context.ts';
import { MAX_CONNECTIONS, type MailResult, quoteServer } from '../../mail/mail-transport.ts';
import { toAddress, toChecksumAddress } from '../../signatures/address.ts';
import { findClaimLinkRow, revokeClaimLinks } from '../../storage/claim-links.ts';
import { findInvitationsByEmail } from '../../storage/invitations.ts';
import {
  countMailFailure,
  type DueMail,
  endMailTurn,
  findNextHourDelay,
  findNextMailDelay,
  finishMail,
  leaseMail,
  lockNextMail,
  type MailOutcome,
} from '../../storage/mails.ts';
import { findNextReminderDelay, revokeFurtherLink } from '../../storage/reminders.ts';
import { deleteReservation, isLinkFromSource } from '../../storage/reservations.ts';
import { lockCurrentToken } from '../../storage/token-locks.ts';
import { MAIL_TURN_MS, type MailContext } from '../mail-service.ts';
import { countInShare, uncountInShare } from '../mail-share.ts';
import { countMails } from '../mailbox-limits.ts';
import { queueDueReminders } from '../queue-due-reminders.ts';
import { queueMailAgain } from '../queue-mail-again.ts';
import { decryptPerson } from '../recipients/rules.ts';
import { Refusal } from '../refusal.ts';
import { findSourceRefusal } from '../reservations/read-source.ts';
import { createMailWriter } from './read-outgoing-mail.ts';
import { shortenAddress } from './rules.ts';

// Longer than an attempt may take. After a crash, the mail is tried again when this is over.
const LEASE_SECONDS = 60;
const RETRY_SECONDS = [60, 300, 900, 1_800, 3_600];
/** How long a mail is tried that the mail server refuses for now. */
const RETRIED_SECONDS = 24 * 3_600;
const FIRST_BACKOFF_SECONDS = 5;
const MAX_BACKOFF_SECONDS = 600;
/** The actor of what the service itself does. */
const SERVICE = { kind: 'service', apiKeyId: null } as const;

/** Why a run has ended. */
type RunEnd = 'nothingDue' | 'invitationsUsedUp' | 'shareUsedUp' | 'serverUnavailable' | 'timeOver';

/**
 * Returns a function that has a turn: it sends the due mails of a community, and ends the turn. Each mail is
 * sent at least once: if the process ends before the result is recorded, it is sent again, with the same
 * Message-ID.
 */
export function createMailDeliverer(
  context: MailContext,
): (communityId: string, signal?: AbortSignal) => Promise<void> {
  const writeMail = createMailWriter(context);

  async function sendMail(
    due: DueMail,
    signal: AbortSignal | undefined,
  ): Promise<{ result: MailResult; hidden: string[] }> {
    const { encryption, mail } = context;
    const { email, name } = readAddressee(context, due);
    const code = due.code && encryption.decrypt('claimCode', due.invitation_id, due.code);
    const address = due.contributor_key ?? due.owner;
    const wallet = address && shortenAddress(toAddress(address));
    const outgoing = await writeMail({
      kind: due.kind,
      mailId: due.mail_id,
      tokenId: due.token_id,
      to: { name: name ?? '', address: email },
      mailboxHash: due.mailbox_hash,
      language: due.language,
      message: due.message,
      code,
      wallet,
      isSignatureRequired: due.is_signature_required,
      invitedAt: due.invited_at,
      owner: due.owner && toChecksumAddress(due.owner),
      expiresAt: due.valid_until ?? due.expires_at,
      timeZone: due.time_zone,
      publicUrl: due.public_url,
    });
    const hidden = [email, email.slice(0, email.lastIndexOf('@')), code ?? '', wallet ?? ''].filter(Boolean);
    return { result: await mail.transport.send(outgoing, signal), hidden };
  }

  // Sends the next mail. Returns why the run ends, or null if it goes on.
  async function sendNext(communityId: string, signal: AbortSignal | undefined): Promise<RunEnd | null> {
    const taken = await takeMail(context, communityId);
    if (taken === null || typeof taken === 'string') return taken;
    try {
      const { result, hidden } = await sendMail(taken, signal);
      return await recordResult(context, communityId, taken, { result, hidden });
    } catch (error) {
      // Something else than the mail server: the database, the encryption key or the picture.
      await recordOutcome(context, communityId, taken, {
        state: 'postponed',
        error: 'Something else than the mail server failed. The mail is tried again.',
        delaySeconds: backoffSeconds(taken.attempts),
      });
      throw error;
    }
  }

  return async (communityId, signal) => {
    const { transport } = context.mail;
    // A failure does not keep back the mails that are queued.
    await queueDueReminders(context, communityId, signal).catch((error: unknown) =>
      context.log.warn({ err: error, communityId }, 'reminders could not be queued, and are tried again'),
    );
    const endAtMs = performance.now() + MAIL_TURN_MS;
    const run: { end: RunEnd | null } = { end: null };
    async function sendUntilEnd(): Promise<void> {
      while (run.end === null) {
        if (signal?.aborted || performance.now() > endAtMs) run.end = 'timeOver';
        else {
          // Waits for a connection before it takes a mail, so that a mail that is taken is sent at once.
          const end = await transport.withConnection(async () =>
            run.end === null ? await sendNext(communityId, signal) : null,
          );
          run.end ??= end;
        }
      }
    }
    const runs = await Promise.allSettled(Array.from({ length: MAX_CONNECTIONS }, sendUntilEnd));
    const failed = runs.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') {
      context.log.warn({ err: failed.reason, communityId }, 'a mail could not be sent, and is tried again');
    }
    // After an unexpected error, the next turn waits too.
    const end = failed === undefined ? run.end : 'serverUnavailable';
    await endTurn(context, communityId, end ?? 'nothingDue');
  };
}

// Takes the next due mail: an invitation, unless there is none or their part of the share is used up. Returns
// null if it need not be sent.
async function takeMail(context: MailContext, communityId: string): Promise<DueMail | null | RunEnd> {
  const taken = await context.transaction(async (tx) => {
    const { limit } = context.mail;
    let end: RunEnd = 'nothingDue';
    for (const isInvitation of [true, false]) {
      const due = await lockNextMail(tx, { communityId, isInvitation });
      if (due === undefined) continue;
      if (await countInShare(tx, limit, { communityId, isInvitation })) return await decide(tx, due);
      end = isInvitation ? 'invitationsUsedUp' : 'shareUsedUp';
    }
    return end;
  });
  if (typeof taken === 'string') return taken;
  const { due, isLinkUnneeded, arePeopleKept } = taken;
  if (isLinkUnneeded) await revokeLink(context, communityId, { due, arePeopleKept });
  return taken.isUnneeded ? null : due;

  async function decide(tx: DatabaseTransaction, due: DueMail) {
    const isDropped = due.kind === 'confirmation' && !(await isConfirmationNeeded(context, tx, due));
    const unneeded = isDropped ? null : findReasonNotToSend(due);
    if (unneeded !== null) await finishMail(tx, due, unneeded);
    if (unneeded !== null && isReminder(due) && due.claim_link_id !== null)
      await revokeFurtherLink(tx, due.claim_link_id);
    if (isDropped || unneeded !== null) {
      await uncountInShare(tx, context.mail.limit, { communityId, isInvitation: isByCommunity(due) });
      // A reminder leaves the entry to the link of the invitation.
      const isLinkUnneeded =
        !isReminder(due) && (unneeded?.state === 'unsubscribed' || unneeded?.state === 'revoked');
      return { due, isUnneeded: true, isLinkUnneeded, arePeopleKept: unneeded?.state === 'unsubscribed' };
    }
    await leaseMail(tx, due, LEASE_SECONDS);
    return { due, isUnneeded: false, isLinkUnneeded: false, arePeopleKept: true };
  }
}

/**
 * Decides what an address gets for which somebody wants a reservation: the mail that asks for a confirmation,
 * or the link that it has already, or nothing. If it is not the first, removes the request, and returns
 * false. With a code that cannot be used now, only a link that was made with it is sent again.
 */
async function isConfirmationNeeded(
  context: MailContext,
  tx: DatabaseTransaction,
  due: DueMail,
): Promise<boolean> {
  const { invitation_id: invitationId, email_hash: emailHash } = due;
  const sourceLinkId = due.source_link_id ?? '';
  // Nobody else locks the request, so the token can be locked after it.
  const tokenId = await lockCurrentToken(tx, due.token_id);
  const source = await findClaimLinkRow(tx, { tokenId, claimLinkId: sourceLinkId });
  const isUsable = source !== undefined && (await findSourceRefusal(tx, { tokenId, source })) === undefined;
  const isAllowed =
    !due.is_unsubscribed &&
    (due.attempts > 0 || (await countMails(tx, 'stranger', [due.mailbox_hash])).length === 0);
  const [known] = await findInvitationsByEmail(tx, { tokenId, emailHashes: [emailHash] });
  if (isAllowed && isUsable && known === undefined) return true;
  await deleteReservation(tx, invitationId);
  if (!isAllowed || known === undefined || known.status === 'claimed') return false;
  if (known.claim_link_id === null && known.contributor_key === null) return false;
  const isFromSource = await isLinkFromSource(tx, { invitationId: known.invitation_id, sourceLinkId });
  if (isUsable || isFromSource) await queueMailAgain(context, tx, SERVICE, known).catch(ignoreRefusal);
  return false;
}

// The community can store no further link, so the person keeps the old one.
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

const isReminder = ({ kind }: DueMail) => kind === 'reminder' || kind === 'expiryReminder';
const isByCommunity = ({ kind }: DueMail) => kind !== 'confirmation' && kind !== 'reservation';

function findReasonNotToSend(due: DueMail): MailOutcome | null {
  const { is_unsubscribed, is_right_lost, link_status, is_needed } = due;
  if (!is_needed || link_status === 'used' || link_status === 'revoked') return { state: 'notNeeded' };
  if (is_right_lost) return { state: 'revoked' };
  if (is_unsubscribed) return { state: 'unsubscribed' };
  return link_status === 'expired'
    ? { state: 'failed', error: 'The link ended before the mail could be sent.' }
    : null;
}

// Somebody who has to confirm an address is no recipient yet.
function readAddressee(
  { encryption }: MailContext,
  { invitation_id, unconfirmed_email, person_key, name, email }: DueMail,
): { email: string; name: string | null } {
  if (unconfirmed_email !== null) {
    return { email: encryption.decrypt('emailAddress', invitation_id, unconfirmed_email), name: null };
  }
  const person = decryptPerson(encryption, person_key, { name, email, note: null });
  if (person.email === null) throw new Error(`invitation ${invitation_id} has no address`);
  return { email: person.email, name: person.name };
}

// A transaction of its own, because others lock the token before the invitation. Whoever wants no mails stays
// in the list of recipients.
async function revokeLink(
  context: Context,
  communityId: string,
  { due, arePeopleKept }: { due: DueMail; arePeopleKept: boolean },
): Promise<void> {
  const { claim_link_id: claimLinkId } = due;
  if (claimLinkId === null) return;
  await context.transaction(async (tx) => {
    await lockCurrentToken(tx, due.token_id);
    await revokeClaimLinks(tx, SERVICE, { communityId, claimLinkIds: [claimLinkId], arePeopleKept });
  });
}

async function recordResult(
  context: MailContext,
  communityId: string,
  due: DueMail,
  { result, hidden }: { result: MailResult; hidden: string[] },
): Promise<RunEnd | null> {
  context.count.mail(result.kind);
  if (result.kind === 'sent') {
    await recordOutcome(context, communityId, due, { state: 'sent' });
    await countMailFailure(context.database, { communityId, isUsable: true });
    return null;
  }
  const error = quoteServer(result.words, hidden);
  if (result.kind === 'refused') {
    await recordOutcome(context, communityId, due, { state: 'failed', error });
    return null;
  }
  const isOld = (due.seconds_since_first_attempt ?? 0) >= RETRIED_SECONDS;
  if (result.kind === 'deferred' && isOld) {
    await recordOutcome(context, communityId, due, { state: 'failed', error });
    return result.isServerBusy ? 'serverUnavailable' : null;
  }
  const delaySeconds =
    result.kind === 'deferred'
      ? (RETRY_SECONDS[Math.min(due.attempts, RETRY_SECONDS.length - 1)] ?? 0)
      : backoffSeconds(due.attempts);
  await recordOutcome(context, communityId, due, { state: 'postponed', error, delaySeconds });
  if (result.kind === 'deferred') return result.isServerBusy ? 'serverUnavailable' : null;
  context.log.warn({ reason: error, communityId }, 'the mail server cannot be used: mails wait');
  return 'serverUnavailable';
}

// A mail that the server has not accepted does not count in the share.
async function recordOutcome(
  context: MailContext,
  communityId: string,
  due: DueMail,
  outcome: MailOutcome,
): Promise<void> {
  await context.transaction(async (tx) => {
    await finishMail(tx, due, outcome);
    if (outcome.state !== 'postponed') return;
    await uncountInShare(tx, context.mail.limit, { communityId, isInvitation: isByCommunity(due) });
  });
}

async function endTurn(context: MailContext, communityId: string, end: RunEnd): Promise<void> {
  await context.transaction((tx) => endMailTurn(tx, communityId, () => findDelay(tx)));

  // In how many seconds the next turn is due; null if no mail is queued.
  async function findDelay(tx: DatabaseTransaction): Promise<number | null> {
    if (end === 'timeOver') return 0;
    if (end === 'shareUsedUp') return await findNextHourDelay(tx);
    if (end === 'invitationsUsedUp') {
      const nextOther = await findNextMailDelay(tx, communityId, { isWithInvitations: false });
      return Math.min(await findNextHourDelay(tx), nextOther ?? Number.POSITIVE_INFINITY);
    }
    const nextDelay = await findNextMailDelay(tx, communityId, { isWithInvitations: true });
    if (end === 'nothingDue' || nextDelay === null) {
      const nextReminder = await findNextReminderDelay(tx, communityId);
      const delays = [nextDelay, nextReminder].filter((delay) => delay !== null);
      return delays.length === 0 ? null : Math.min(...delays);
    }
    const failures = await countMailFailure(tx, { communityId, isUsable: false });
    return Math.max(nextDelay, backoffSeconds(failures - 1));
  }
}

function backoffSeconds(earlierFailures: number): number {
  return Math.min(FIRST_BACKOFF_SECONDS * 2 ** Math.min(earlierFailures, 10), MAX_BACKOFF_SECONDS);
}
