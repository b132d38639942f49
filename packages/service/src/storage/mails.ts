import type { ClaimLinkStatus, MailLanguage } from '@badge/protocol';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { LINK_STATUS } from './claim-links.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { insertEvents } from './events.ts';
import {
  ADDRESS_KEPT_FOR,
  CLAIM_OF_INVITATION,
  IS_BY_COMMUNITY,
  IS_REMINDER,
  IS_UNSUBSCRIBED,
} from './invitations.ts';
import { prepared } from './prepared-statements.ts';
import { PERSON_OF_INVITATION } from './recipients.ts';
import { NEED_OF_REMINDER } from './reminders.ts';
import { rankOf } from './rights.ts';

/** How many mails of a community may be sent. */
export interface MailLimit {
  perHour: number;
  perDay: number;
}

// The share of a day is counted in hours.
export const HOURS_PER_DAY = sql.lit('23 hours');
// A turn is shorter. If it ends later, another one only sends other mails.
const TURN_LEASE = sql.lit('1 minute');
const COUNTS_KEPT_FOR = sql.lit('2 days');
// A link may end in a thousand years, but the address is not kept that long.
const LONGEST_LINK = sql.lit('1 year');

/** Stands for the service itself in `mail_turns`: the mails with which people sign in are of no community. */
export const NO_COMMUNITY = '';

/** Makes a turn of the community due in `delaySeconds`, unless it is due earlier. */
export async function scheduleMails(
  tx: DatabaseTransaction,
  { communityId, delaySeconds = 0 }: { communityId: string; delaySeconds?: number },
): Promise<void> {
  await sql`
    insert into mail_turns as t (community_id, next_attempt_at)
    values (${communityId}, now() + make_interval(secs => ${delaySeconds}))
    on conflict (community_id) do update set next_attempt_at = least(t.next_attempt_at, excluded.next_attempt_at)`.execute(
    tx,
  );
}

/**
 * Takes up to `limit` communities whose turn is due, and first the mails with which people sign in, who wait
 * for them. Until its end, or for a minute, no other worker serves the community.
 */
export async function takeDueCommunities(db: Database, limit: number): Promise<string[]> {
  const { rows } = await prepared<{ community_id: string }>`
    with due as materialized (
      select community_id from mail_turns
      where next_attempt_at <= now() and (leased_until is null or leased_until <= now())
      order by community_id <> ${NO_COMMUNITY}, next_attempt_at limit ${limit}::bigint for no key update skip locked
    )
    update mail_turns t set leased_until = now() + interval ${TURN_LEASE} from due
    where t.community_id = due.community_id
    returning t.community_id`.execute(db);
  return rows.map((row) => row.community_id);
}

/**
 * Ends the turn of a community. `findDelay` says in how many seconds the next one is due; null: when mails
 * are queued. The row is locked, so mails that it does not see belong to transactions that will make a turn
 * due themselves.
 */
export async function endMailTurn(
  tx: DatabaseTransaction,
  communityId: string,
  findDelay: () => Promise<number | null>,
): Promise<void> {
  await sql`update mail_turns set leased_until = null where community_id = ${communityId}`.execute(tx);
  const delaySeconds = await findDelay();
  await sql`
    update mail_turns set next_attempt_at = now() + make_interval(secs => ${delaySeconds})
    where community_id = ${communityId}`.execute(tx);
}

/**
 * Counts that the mail server could not be used, and returns how often in a row. With `isUsable`, sets the
 * count to 0.
 */
export async function countMailFailure(
  db: Database,
  { communityId, isUsable }: { communityId: string; isUsable: boolean },
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update mail_turns set failures = ${isUsable ? sql`0` : sql`failures + 1`}
    where community_id = ${communityId} and (failures > 0 or not ${isUsable}::boolean)
    returning failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

/**
 * In how many seconds the next mail of the community, or the next one that is no invitation, is due; null if
 * there is none.
 */
export async function findNextMailDelay(
  db: Database,
  communityId: string,
  { isWithInvitations }: { isWithInvitations: boolean },
): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, extract(epoch from next_attempt_at - now()))::double precision as seconds from (
      (select next_attempt_at from invitations
       where community_id = ${communityId} and next_attempt_at is not null
         and (${isWithInvitations}::boolean or kind in ('confirmation', 'reservation'))
       order by next_attempt_at limit 1)
      union all
      (select next_attempt_at from resubscription_mails where community_id = ${communityId}
       order by next_attempt_at limit 1)
      union all
      (select next_attempt_at from email_challenges
       where ${communityId} = ${NO_COMMUNITY} and next_attempt_at is not null
       order by next_attempt_at limit 1)
    ) as mails
    order by next_attempt_at limit 1`.execute(db);
  return rows[0]?.seconds ?? null;
}

/** In how many seconds the next hour begins, by the database's clock. */
export async function findNextHourDelay(db: Database): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from date_trunc('hour', now()) + interval '1 hour' - now())::double precision as seconds`.execute(
    db,
  );
  return rows[0]?.seconds ?? 3_600;
}

/** A mail that is due. */
export interface DueMail {
  invitation_id: string;
  kind: 'invitation' | 'confirmation' | 'reservation' | 'reminder' | 'expiryReminder';
  mail_id: string;
  token_id: number;
  /** Encrypted for `person_key`, as the name is. Null for a confirmation. */
  email: Buffer | null;
  name: Buffer | null;
  person_key: Buffer | null;
  /** Encrypted, of a confirmation. */
  unconfirmed_email: Buffer | null;
  /** By which the mailbox is unsubscribed, and by which its mails are counted. */
  mailbox_hash: Buffer;
  email_hash: Buffer;
  language: MailLanguage;
  /** Null for a confirmation, and if the mail is for an entry. */
  claim_link_id: string | null;
  /** The address of a wallet, if the mail is for its entry. */
  contributor_key: Buffer | null;
  /** Encrypted. Null if the mail is for an entry. */
  code: Buffer | null;
  message: string | null;
  /** Null: UTC. */
  time_zone: string | null;
  public_url: string;
  /** The link whose code was sent; null for an invitation. */
  source_link_id: string | null;
  /** Whether that link needs the signature of a wallet. */
  is_signature_required: boolean;
  /** `used` also if the entry has claimed. */
  link_status: ClaimLinkStatus;
  expires_at: Date | null;
  /** Of a reminder: when it was to be sent first, and the end that it announces. */
  invited_at: Date | null;
  valid_until: Date | null;
  /** Of an expiryReminder: the address that has the badge. */
  owner: Address | null;
  /** False for a reminder that nobody needs any more, or that would follow another mail too soon. */
  is_needed: SqlBool;
  is_unsubscribed: SqlBool;
  /** Whether the member or the key that queued the mail has lost the right to do so. */
  is_right_lost: SqlBool;
  /** How often the mail was tried before. */
  attempts: number;
  /** How long ago it was first tried, in seconds. Null: never. */
  seconds_since_first_attempt: number | null;
}

// SQL: whether the right to the mail of the invitation `i` is lost: the member who queued it may no longer
// invite, or the key that queued it is revoked.
const IS_RIGHT_LOST = sql<boolean>`(${IS_BY_COMMUNITY} and (
  (i.created_by is not null and not exists (
    select from members m where m.community_id = i.community_id and m.address = i.created_by
      and ${rankOf(sql`m.role`)} >= ${rankOf(sql`'issuer'`)}
  )) or exists (select from api_keys k where k.api_key_id = i.created_by_key and k.revoked_at is not null)
))`;

/**
 * Locks the next due invitation of the community, or its next other mail, that no other process has locked.
 */
export async function lockNextMail(
  tx: DatabaseTransaction,
  { communityId, isInvitation }: { communityId: string; isInvitation: boolean },
): Promise<DueMail | undefined> {
  const condition = isInvitation ? IS_BY_COMMUNITY : sql`not ${IS_BY_COMMUNITY}`;
  const { rows } = await sql<DueMail>`
    with due as materialized (
      select i.* from invitations i
      where i.community_id = ${communityId} and i.next_attempt_at <= now() and ${condition}
      order by i.next_attempt_at, i.sequence limit 1
      for no key update skip locked
    )
    select i.invitation_id, i.kind, i.mail_id,
           coalesce((select t.replaced_by_token_id from tokens t where t.token_id = i.token_id), i.token_id) as token_id,
           p.email, p.name, p.person_key, i.unconfirmed_email, i.email_hash, i.mailbox_hash, i.language,
           i.claim_link_id, i.contributor_key, i.source_link_id,
           exists (select from claim_links s where s.claim_link_id = i.source_link_id and s.is_signature_required)
             as is_signature_required, i.code, r.message, r.time_zone, r.public_url,
           case when e.address is not null then 'used' else ${LINK_STATUS} end as link_status, l.expires_at, i.attempts,
           extract(epoch from now() - i.first_attempt_at)::double precision as seconds_since_first_attempt,
           o.invited_at, i.valid_until, o.owner, (not ${IS_REMINDER} or o.is_needed is true) as is_needed,
           ${IS_UNSUBSCRIBED} as is_unsubscribed, ${IS_RIGHT_LOST} as is_right_lost
    from due i
    join invitation_requests r using (invitation_request_id)
    ${CLAIM_OF_INVITATION} ${PERSON_OF_INVITATION} ${NEED_OF_REMINDER}`.execute(tx);
  return rows[0];
}

/** A mail to count. `ofKind` bounds the invitations, or all other mails, as `limit` bounds both together. */
export interface CountedShare {
  communityId: string;
  isInvitation: boolean;
  limit: MailLimit;
  ofKind: MailLimit;
}

/**
 * Counts a mail in the community's share. Returns false if the share, or the part of its kind, is used up.
 */
export async function countMail(
  tx: DatabaseTransaction,
  { communityId, isInvitation, limit, ofKind }: CountedShare,
): Promise<boolean> {
  const kind = (table: RawBuilder<unknown>) =>
    isInvitation ? sql`${table}.invitations` : sql`(${table}.mails - ${table}.invitations)`;
  // The row of the current hour is locked, and those of the other hours hardly change, so concurrent calls
  // cannot exceed the share together.
  const { rows } = await sql`
    with earlier as materialized (
      select coalesce(sum(mails), 0) as mails, coalesce(sum(${kind(sql`mail_counts`)}), 0) as of_kind from mail_counts
      where community_id = ${communityId} and hour < date_trunc('hour', now())
        and hour >= date_trunc('hour', now()) - interval ${HOURS_PER_DAY}
    )
    insert into mail_counts as c (community_id, hour, mails, invitations)
    select ${communityId}, date_trunc('hour', now()), 1, ${isInvitation ? 1 : 0} from earlier
    where earlier.mails < ${limit.perDay} and earlier.of_kind < ${ofKind.perDay}
    on conflict (community_id, hour) do update
    set mails = c.mails + 1, invitations = c.invitations + excluded.invitations
    where c.mails < ${limit.perHour} and c.mails + (select mails from earlier) < ${limit.perDay}
      and ${kind(sql`c`)} < ${ofKind.perHour}
      and ${kind(sql`c`)} + (select of_kind from earlier) < ${ofKind.perDay}
    returning c.mails`.execute(tx);
  return rows.length > 0;
}

/** Takes back the count of a mail that the mail server has not accepted. */
export async function uncountMail(
  tx: DatabaseTransaction,
  { communityId, isInvitation }: { communityId: string; isInvitation: boolean },
): Promise<void> {
  const one = isInvitation ? 1 : 0;
  const isCounted = isInvitation ? sql`invitations > 0` : sql`mails > invitations`;
  await sql`
    update mail_counts set mails = mails - 1, invitations = invitations - ${one}
    where community_id = ${communityId} and ${isCounted} and hour = (
      select max(hour) from mail_counts where community_id = ${communityId} and ${isCounted}
    )`.execute(tx);
}

/**
 * Notes that a process sends the locked mail. If it does not end within `seconds`, another one tries again.
 */
export async function leaseMail(
  tx: DatabaseTransaction,
  { invitation_id }: DueMail,
  seconds: number,
): Promise<void> {
  await sql`
    update invitations set
      attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, now()),
      next_attempt_at = now() + make_interval(secs => ${seconds})
    where invitation_id = ${invitation_id}::uuid`.execute(tx);
}

/** How an attempt has ended. */
export type MailOutcome =
  | { state: 'sent' }
  | { state: 'failed'; error: string }
  | { state: 'unsubscribed' }
  /** Who queued the mail has lost the right to do so. */
  | { state: 'revoked' }
  /** The link was claimed or revoked, which the status of the link says. */
  | { state: 'notNeeded' }
  | { state: 'postponed'; error: string; delaySeconds: number };

/**
 * Records how an attempt has ended, and the event of an invitation that was sent or has failed. Returns
 * false, and changes nothing, if the invitation was revoked or was queued with another mail meanwhile.
 */
export async function finishMail(
  tx: DatabaseTransaction,
  { invitation_id, mail_id }: Pick<DueMail, 'invitation_id' | 'mail_id'>,
  outcome: MailOutcome,
): Promise<boolean> {
  const mail = sql`
    i.invitation_id = ${invitation_id}::uuid and i.mail_id = ${mail_id}::uuid and i.state = 'queued'
    and i.next_attempt_at is not null`;
  if (outcome.state === 'postponed') {
    const { numAffectedRows = 0n } = await sql`
      update invitations i set error = ${outcome.error},
        next_attempt_at = now() + make_interval(secs => ${outcome.delaySeconds})
      where ${mail}`.execute(tx);
    return numAffectedRows > 0n;
  }
  const { state } = outcome;
  const erasedFrom =
    state === 'sent'
      ? sql`least(now() + interval ${LONGEST_LINK}, greatest(now(), (
          select l.expires_at from claim_links l where l.claim_link_id = i.claim_link_id
        )))`
      : sql`now()`;
  const isEvent = state === 'sent' || state === 'failed';
  // The feed says nothing about reservations.
  const recorded = isEvent
    ? sql`, recorded as ${insertEvents(`invitation.${state}`, sql`jsonb_build_object('invitationId', invitation_id, 'tokenId', token_id)`, 'invited')}`
    : sql``;
  const { rows } = await sql`
    with written as (
      update invitations i set
        state = ${state === 'notNeeded' || state === 'revoked' ? 'queued' : state},
        revoked_at = ${state === 'revoked' ? sql`now()` : sql`i.revoked_at`},
        error = ${state === 'failed' ? outcome.error : null},
        sent_at = ${state === 'sent' ? sql`now()` : sql`i.sent_at`},
        earlier_sent_at = i.earlier_sent_at || ${state === 'sent' ? sql`array_remove(array[i.sent_at], null)` : sql`'{}'`},
        claim_link_id = ${state === 'unsubscribed' ? sql`null` : sql`i.claim_link_id`},
        code = null, next_attempt_at = null, erase_at = interval ${ADDRESS_KEPT_FOR} + ${erasedFrom}
      where ${mail}
      returning invitation_id, token_id, community_id, kind
    ), invited as (
      select * from written where kind = 'invitation'
    )${recorded}
    select from written`.execute(tx);
  return rows.length > 0;
}

/** Returns those of the hashed addresses and mailboxes that want no mails of the community. */
export async function findUnsubscribed(
  tx: DatabaseTransaction,
  { communityId, hashes }: { communityId: string; hashes: Buffer[] },
): Promise<Buffer[]> {
  const { rows } = await sql<{ email_hash: Buffer }>`
    select distinct u.email_hash from mail_unsubscriptions u
    where u.email_hash = any(${hashes}::bytea[]) and u.community_id in ('', ${communityId})`.execute(tx);
  return rows.map((row) => row.email_hash);
}

/**
 * Records that the owner of a hashed mailbox wants no mails of a community. An empty id means all
 * communities.
 */
export async function insertUnsubscription(
  db: Database,
  { emailHash, communityId }: { emailHash: Buffer; communityId: string },
): Promise<void> {
  await sql`
    insert into mail_unsubscriptions (email_hash, community_id) values (${emailHash}::bytea, ${communityId})
    on conflict do nothing`.execute(db);
}

/** Undoes that the owner of an address, named by its hashes, wants no mails of a community, or of any. */
export async function deleteUnsubscriptions(
  db: Database,
  { hashes, communityId }: { hashes: Buffer[]; communityId: string },
): Promise<void> {
  await sql`
    delete from mail_unsubscriptions
    where email_hash = any(${hashes}::bytea[]) and community_id in ('', ${communityId})`.execute(db);
}

/** Deletes the counts of past days. */
export async function deleteOldMailCounts(db: Database): Promise<void> {
  await sql`delete from mail_counts where hour < now() - interval ${COUNTS_KEPT_FOR}`.execute(db);
}
