import type { MailLanguage } from '@badge/protocol';
import { type RawBuilder, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { SentCode } from './claim-links.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { findNextHourDelay, HOURS_PER_DAY, type MailLimit } from './mails.ts';

/** How long a mail can be confirmed after it was sent. */
const CONFIRMED_WITHIN = sql.lit('1 hour');
// As long as a mail is tried that the mail server refuses for now, and an hour.
const WAITS_FOR = sql.lit('25 hours');
const COUNTS_KEPT_FOR = sql.lit('2 days');

/** A request for a reservation to insert. */
export interface NewReservation {
  invitationId: string;
  invitationRequestId: string;
  mailId: string;
  communityId: string;
  tokenId: number;
  publicUrl: string;
  /** Encrypted. */
  email: Buffer;
  emailHash: Buffer;
  mailboxHash: Buffer;
  language: MailLanguage;
  /** The link whose code was sent. */
  sourceLinkId: string;
  /** By which the confirmation counts for the client; null for a link for one claim. */
  clientHash: Buffer | null;
  /** The code that confirms the address, encrypted. */
  code: Buffer;
  /** SHA-256 of this code. */
  confirmationHash: Buffer;
}

/** Inserts a request for a reservation, whose mail is due at once. */
export async function insertReservation(tx: DatabaseTransaction, one: NewReservation): Promise<void> {
  await sql`
    with shared as (
      insert into invitation_requests (invitation_request_id, public_url)
      values (${one.invitationRequestId}::uuid, ${one.publicUrl})
    )
    insert into invitations
      (invitation_id, invitation_request_id, community_id, token_id, unconfirmed_email, email_hash, language, code, mail_id, state,
       next_attempt_at, kind, source_link_id, confirmation_hash, mailbox_hash, client_hash)
    values (${one.invitationId}::uuid, ${one.invitationRequestId}::uuid, ${one.communityId}, ${one.tokenId},
            ${one.email}::bytea, ${one.emailHash}::bytea, ${one.language}, ${one.code}::bytea, ${one.mailId}::uuid, 'queued',
            now(), 'confirmation', ${one.sourceLinkId}::uuid, ${one.confirmationHash}::bytea, ${one.mailboxHash}::bytea,
            ${one.clientHash}::bytea)`.execute(tx);
}

/** The link of a code with which a place can be reserved, or a lost mail be sent again. */
export interface ReservableLink {
  claim_link_id: string;
  contributor_key: Buffer;
  is_for_room: boolean;
  /** Whether somebody has a link instead of this one: by a reservation, or because a mail was sent again. */
  has_successor: boolean;
  /** The token that the code was made for. */
  made_for_token_id: number;
}

/** Finds the link of a code. A revoked one is found only if it has a successor. */
export async function findReservableLink(
  db: Database,
  { tokenId, madeFor }: SentCode,
): Promise<ReservableLink | undefined> {
  const { rows } = await sql<ReservableLink>`
    select * from (
      select l.claim_link_id, l.contributor_key, l.revoked_at, l.max_claims is not null as is_for_room,
        h.token_id as made_for_token_id, h.position,
        exists (
          select from invitations i where i.source_link_id = l.claim_link_id and i.kind = 'reservation'
        ) or (l.max_claims is null and l.revoked_at is not null and exists (
          select from claim_links n join invitations i using (claim_link_id)
          where n.token_id = l.token_id and n.contributor_key = l.contributor_key and n.revoked_at is null
        )) as has_successor
      from unnest(
        ${madeFor.map((one) => one.tokenId)}::bigint[], ${madeFor.map((one) => one.codeHash)}::bytea[]
      ) with ordinality as h (token_id, code_hash, position)
      join claim_links l on l.code_hash = h.code_hash
      where l.token_id = ${tokenId} and coalesce(l.made_for_token_id, l.token_id) = h.token_id
    ) found
    where revoked_at is null or has_successor
    order by position limit 1`.execute(db);
  return rows[0];
}

/**
 * Counts a request in this hour. Returns null, or in how many seconds the hour ends if there were too many in
 * it, or in 24 hours.
 */
export async function countReservationOfClient(
  tx: DatabaseTransaction,
  clientHash: Buffer,
  limit: MailLimit,
): Promise<number | null> {
  return await countRequest(tx, sql`reservation_clients`, {
    column: sql`client_hash`,
    value: sql`${clientHash}::bytea`,
    limit,
  });
}

/** The same for the requests in a community. */
export async function countReservation(
  tx: DatabaseTransaction,
  communityId: string,
  limit: MailLimit,
): Promise<number | null> {
  return await countRequest(tx, sql`reservation_counts`, {
    column: sql`counted_for`,
    value: sql`${`community ${communityId}`}::text`,
    limit,
  });
}

const OF_ALL_SIGN_INS = { column: sql`counted_for`, value: sql`'sign-in'::text` };

/** The same for the mails with which people sign in. They are counted when they are sent. */
export async function countSignInMailOfAll(
  tx: DatabaseTransaction,
  limit: MailLimit,
): Promise<number | null> {
  return await countRequest(tx, sql`reservation_counts`, { ...OF_ALL_SIGN_INS, limit });
}

/** Returns null, or in how many seconds the hour ends if no further such mail can be sent in it. */
export async function findSignInPause(db: Database, { perHour, perDay }: MailLimit): Promise<number | null> {
  const { column, value } = OF_ALL_SIGN_INS;
  const { rows } = await sql`
    select from reservation_counts
    where ${column} = ${value} and hour >= date_trunc('hour', now()) - interval ${HOURS_PER_DAY}
    having sum(requests) >= ${perDay}
      or sum(requests) filter (where hour >= date_trunc('hour', now())) >= ${perHour}`.execute(db);
  return rows.length === 0 ? null : await findNextHourDelay(db);
}

async function countRequest(
  tx: DatabaseTransaction,
  table: RawBuilder<unknown>,
  counted: { column: RawBuilder<unknown>; value: RawBuilder<unknown>; limit: MailLimit },
): Promise<number | null> {
  const { column, value, limit } = counted;
  const { perHour, perDay } = limit;
  const { rows } = await sql`
    with earlier as materialized (
      select coalesce(sum(requests), 0) as requests from ${table}
      where ${column} = ${value} and hour < date_trunc('hour', now())
        and hour >= date_trunc('hour', now()) - interval ${HOURS_PER_DAY}
    )
    insert into ${table} as c (${column}, hour, requests)
    select ${value}, date_trunc('hour', now()), 1 from earlier where earlier.requests < ${perDay}
    on conflict (${column}, hour) do update set requests = c.requests + 1
    where c.requests < ${perHour} and c.requests + (select requests from earlier) < ${perDay}
    returning 1`.execute(tx);
  return rows.length > 0 ? null : await findNextHourDelay(tx);
}

/**
 * Whether an address got its link with the code of the link `sourceLinkId`: by a reservation with it, or
 * because its link has replaced it.
 */
export async function isLinkFromSource(
  tx: DatabaseTransaction,
  { invitationId, sourceLinkId }: { invitationId: string; sourceLinkId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from invitations i join claim_links l using (claim_link_id)
    where i.invitation_id = ${invitationId}::uuid and (i.source_link_id = ${sourceLinkId}::uuid or exists (
      select from claim_links s
      where s.claim_link_id = ${sourceLinkId}::uuid and s.token_id = l.token_id and s.contributor_key = l.contributor_key
    ))`.execute(tx);
  return rows.length > 0;
}

/** A reservation, found by its confirmation code. */
export interface FoundReservation {
  invitation_id: string;
  token_id: number;
  community_id: string;
  kind: 'confirmation' | 'reservation';
  /** Encrypted. Null once it is confirmed. */
  unconfirmed_email: Buffer | null;
  email_hash: Buffer | null;
  source_link_id: string;
  client_hash: Buffer | null;
  /** The entry of the link whose code was sent; null for a room. */
  source_key: Buffer | null;
  is_signature_required: boolean;
}

/**
 * Finds the reservation of a confirmation code, unless its time is over. A request that was made before the
 * token replaced another one is still for the other one.
 */
export async function findReservation(
  db: Database,
  { tokenId, confirmationHash }: { tokenId: number; confirmationHash: Buffer },
): Promise<FoundReservation | undefined> {
  const { rows } = await sql<FoundReservation>`
    select i.invitation_id, i.token_id, i.community_id, i.kind, i.unconfirmed_email, i.email_hash, i.source_link_id, i.client_hash,
      case when l.max_claims is null then l.contributor_key end as source_key,
      coalesce(l.is_signature_required, false) as is_signature_required
    from invitations i left join claim_links l on l.claim_link_id = i.source_link_id
    where i.confirmation_hash = ${confirmationHash}::bytea and i.kind <> 'invitation'
      and (i.token_id = ${tokenId} or i.token_id in (select token_id from tokens where replaced_by_token_id = ${tokenId}))
      and (i.kind = 'reservation' or i.sent_at is null or i.sent_at > now() - interval ${CONFIRMED_WITHIN})`.execute(
    db,
  );
  return rows[0];
}

/**
 * Takes a place of a room: counts a claim of its link, and inserts a link for one claim with an allowlist
 * entry of its own. The new link needs a signature if a claim with the code would: always, or because the
 * client has made its claims without. Returns false if no place is left. The caller must have locked the
 * token.
 */
export async function takeRoomPlace(
  tx: DatabaseTransaction,
  place: {
    roomLinkId: string;
    claimLinkId: string;
    contributorKey: Buffer;
    codeHash: Buffer;
    clientHash: Buffer | null;
  },
): Promise<boolean> {
  const { rows } = await sql`
    with room as (
      update claim_links set claim_count = claim_count + 1, is_used = claim_count + 1 = max_claims,
        has_clients = has_clients or ${place.clientHash}::bytea is not null
      where claim_link_id = ${place.roomLinkId}::uuid and claim_count < max_claims and revoked_at is null
      returning token_id, claim_link_id, claim_link_signature_id, is_signature_required, max_claims_per_client
    ), client as (
      insert into claim_link_clients as k (claim_link_id, client_hash, claim_count)
      select claim_link_id, ${place.clientHash}::bytea, 1 from room
      where ${place.clientHash}::bytea is not null and not is_signature_required
      on conflict (claim_link_id, client_hash) do update set claim_count = k.claim_count + 1
      where k.claim_count < (select max_claims_per_client from room)
      returning claim_count
    ), entry as (
      insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
      select r.token_id, ${place.contributorKey}::bytea, 'claimLink:' || ${place.claimLinkId}::text,
             coalesce((select max(position) from allowlist_entries a where a.token_id = r.token_id), 0) + 1, now()
      from room r
    ), counted as (
      update communities c set claim_link_count = claim_link_count + 1
      from room r join tokens t using (token_id) where c.community_id = t.community_id
    )
    insert into claim_links
      (claim_link_id, token_id, contributor_key, code_hash, claim_link_signature_id, is_signature_required)
    select ${place.claimLinkId}::uuid, token_id, ${place.contributorKey}::bytea, ${place.codeHash}::bytea,
           claim_link_signature_id,
           is_signature_required or (${place.clientHash}::bytea is not null and not exists (select from client))
    from room
    returning claim_link_id`.execute(tx);
  return rows.length > 0;
}

/**
 * Makes a confirmed request a reservation with a link, whose mail is due at once, and inserts an audit log
 * entry. Returns false if the request is gone, because its time is over.
 */
export async function confirmReservation(
  tx: DatabaseTransaction,
  actor: Actor,
  mail: {
    invitationId: string;
    tokenId: number;
    mailId: string;
    recipientId: string;
    claimLinkId: string;
    code: Buffer;
  },
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      update invitations set
        kind = 'reservation', token_id = ${mail.tokenId}::bigint, recipient_id = ${mail.recipientId}::uuid,
        unconfirmed_email = null, claim_link_id = ${mail.claimLinkId}::uuid, code = ${mail.code}::bytea,
        mail_id = ${mail.mailId}::uuid, state = 'queued', error = null, attempts = 0, first_attempt_at = null,
        next_attempt_at = now(), sent_at = null, erase_at = null, client_hash = null
      where invitation_id = ${mail.invitationId}::uuid and kind = 'confirmation'
      returning claim_link_id, community_id
    ), recorded as ${insertAuditEntries(actor, 'confirmReservation')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/** Deletes a request for a reservation. */
export async function deleteReservation(tx: DatabaseTransaction, invitationId: string): Promise<void> {
  await sql`
    delete from invitations where invitation_id = ${invitationId}::uuid and kind = 'confirmation'`.execute(
    tx,
  );
}

const MAX_DELETED = 1_000;

/** Deletes what was not confirmed in time, and old counts. Returns whether there may be more. */
export async function deleteUnconfirmedReservations(db: Database): Promise<boolean> {
  await sql`delete from requested_mails where requested_at < now() - interval ${COUNTS_KEPT_FOR}`.execute(db);
  await sql`delete from reservation_clients where hour < now() - interval ${COUNTS_KEPT_FOR}`.execute(db);
  await sql`delete from reservation_counts where hour < now() - interval ${COUNTS_KEPT_FOR}`.execute(db);
  const { numAffectedRows = 0n } = await sql`
    with deleted as (
      delete from invitations where invitation_id = any(array(
        select invitation_id from invitations
        where kind = 'confirmation' and created_at <= now() - interval ${CONFIRMED_WITHIN}
          and case when sent_at is not null then sent_at <= now() - interval ${CONFIRMED_WITHIN}
                   else next_attempt_at is null or created_at <= now() - interval ${WAITS_FOR} end
        order by created_at limit ${MAX_DELETED} for update skip locked
      )) returning invitation_request_id
    )
    delete from invitation_requests r using deleted d
    where r.invitation_request_id = d.invitation_request_id`.execute(db);
  return numAffectedRows >= BigInt(MAX_DELETED);
}
