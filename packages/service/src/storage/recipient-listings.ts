import {
  RECIPIENT_STATUSES,
  type Recipient,
  type RecipientHistoryEntry,
  type RecipientStatus,
} from '@badge/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { IS_SCHEDULED } from './invitations.ts';
import { hiddenFromPlanner, readWithTimeout } from './long-lists.ts';
import { ownerStatus, statusChangedAt } from './ownership.ts';
import { isValid, validUntilOf } from './validity.ts';

// The reads of recipients. What has become of a person follows from the claim, the link and the mail that the
// row names.

/** Which people of a token to list. */
export interface RecipientFilter {
  tokenId: number;
  communityId: string;
  /** One of these. */
  statuses: readonly RecipientStatus[] | undefined;
  ways: readonly Recipient['way'][] | undefined;
  /** Only the people of these links. */
  claimLinkIds?: readonly string[] | undefined;
  /** Only who has the token, if it ends within so many days. */
  endsWithinDays?: number | undefined;
  /** Only who has it, or can claim with it. */
  address?: Address | undefined;
  /** Only people with these sequence numbers. */
  sequences?: number[] | undefined;
}

/** SQL: joins to the recipient `r` the claim `c`, the link `l` and the mail `i` that hold. */
const JOINS = sql`
  left join claims c on c.token_id = r.token_id and c.address = r.address
  left join claim_links l on l.claim_link_id = r.claim_link_id and l.revoked_at is null
  left join invitations i on i.invitation_id = r.invitation_id and i.revoked_at is null`;

// The unsubscriptions are few, so they are read once, and not for each person.
function isUnsubscribed(communityId: string): RawBuilder<boolean> {
  const hashes = sql`select u.email_hash from mail_unsubscriptions u where u.community_id in ('', ${communityId})`;
  return sql`(i.state = 'unsubscribed' or i.email_hash in (${hashes}) or i.mailbox_hash in (${hashes}))`;
}

// SQL: when what a recipient has ends.
function recipientValidUntil({ tokenId }: Pick<RecipientFilter, 'tokenId'>): RawBuilder<Date | null> {
  return validUntilOf(sql`tokens where token_id = ${tokenId}`);
}

/** SQL: the status of the recipient `r` with its joins. */
function statusOf({ tokenId, communityId }: RecipientFilter): RawBuilder<RecipientStatus> {
  const validUntil = recipientValidUntil({ tokenId });
  return sql`(case
    when c.burnt_at is null and c.address is not null and ${isValid(validUntil)} then 'claimed'
    when c.address is not null then ${ownerStatus(validUntil)}
    when i.invitation_id is not null and ${isUnsubscribed(communityId)} then 'unsubscribed'
    when l.expires_at <= now() or (
      select expiration_timestamp <= extract(epoch from now()) * 1000 from tokens where token_id = ${tokenId}
    ) then 'expired'
    when i.state = 'failed' then 'failed'
    when i.kind = 'reservation' then 'reserved'
    when i.state = 'sent' then 'invited'
    when ${IS_SCHEDULED} then 'scheduled'
    when i.state = 'queued' then 'queued'
    when l.claim_link_id is not null then 'linked'
    else 'listed' end)`;
}

/** SQL: the recipients `r` that match, apart from their status and its end. */
function ofToken({
  tokenId,
  ways,
  claimLinkIds,
  address,
  sequences,
}: Omit<RecipientFilter, 'communityId' | 'statuses' | 'endsWithinDays'>): RawBuilder<unknown> {
  return sql`r.token_id = ${tokenId} and r.removed_at is null
    ${ways === undefined ? sql`` : sql`and r.way = any(${ways}::text[])`}
    ${claimLinkIds === undefined ? sql`` : sql`and r.claim_link_id = any(${claimLinkIds}::uuid[])`}
    ${address === undefined ? sql`` : sql`and r.address = ${address}`}
    ${sequences === undefined ? sql`` : sql`and r.sequence = any(${toArray(sequences)})`}`;
}

// The client library would write the numbers one by one, which is slow.
function toArray(sequences: number[]): RawBuilder<number[]> {
  return sql`${`{${sequences.join()}}`}::bigint[]`;
}

/** SQL: whether the recipient `r` with its joins has one of the statuses, and an end within the days. */
function hasStatus(filter: RecipientFilter): RawBuilder<boolean> {
  const { statuses, endsWithinDays } = filter;
  const isOne = statuses === undefined ? sql`true` : sql`${statusOf(filter)} = any(${statuses}::text[])`;
  if (endsWithinDays === undefined) return sql`${isOne}`;
  const validUntil = recipientValidUntil(filter);
  return sql`${isOne} and c.address is not null and c.burnt_at is null and ${validUntil} > now()
    and ${validUntil} <= now() + ${endsWithinDays} * interval '24 hours'`;
}

const needsJoins = ({ statuses, endsWithinDays }: RecipientFilter) =>
  statuses !== undefined || endsWithinDays !== undefined;

/** SQL: the recipients that match, as `r`. Without a filter by status or end, nothing is joined. */
function matching(filter: RecipientFilter): RawBuilder<unknown> {
  return !needsJoins(filter)
    ? sql`from recipients r where ${ofToken(filter)}`
    : sql`from recipients r ${JOINS} where ${ofToken(filter)} and ${hasStatus(filter)}`;
}

const STATUS_ORDER = sql`array[${sql.join(RECIPIENT_STATUSES.map((status) => sql.lit(status)))}]`;

/**
 * The sequence numbers of a page of the people that match, and how many match. Fails with a statement timeout
 * if it takes longer than 1 second.
 */
export async function listRecipientSequences(
  db: Database,
  filter: RecipientFilter,
  page: { order: 'newest' | 'oldest' | 'status'; limit: number; offset: number },
): Promise<{ total: number; sequences: number[] }> {
  const { limit, offset } = page;
  const isByStatus = page.order === 'status' && filter.statuses?.length !== 1;
  const found = isByStatus
    ? sql`select r.sequence, array_position(${STATUS_ORDER}, ${statusOf(filter)}) as place
        from recipients r ${JOINS} where ${ofToken(filter)} and ${hasStatus(filter)}`
    : sql`select r.sequence, 1 as place ${matching(filter)}`;
  const order = page.order === 'oldest' ? sql`sequence` : sql`place, sequence desc`;
  const { rows } = await readWithTimeout(db, true, (tx) =>
    sql<{ total: number; sequences: number[] }>`
      with found as materialized (${found})
      select (select count(*) from found) as total, array_to_json(array(
        select sequence from found order by ${order} limit ${limit} offset ${offset}
      )) as sequences`.execute(tx),
  );
  return rows[0] ?? { total: 0, sequences: [] };
}

/** What is searched and sorted of people. Each list has one item for each person. */
export interface SearchablePeople {
  sequences: number[];
  /** Encrypted, as the e-mails are, one after the other. */
  names: Buffer;
  nameSizes: (number | null)[];
  /** The next ones are empty unless they are asked for. */
  emails: Buffer;
  emailSizes: (number | null)[];
  identifiers: (string | null)[];
  addresses: (string | null)[];
}

/**
 * The people after a sequence number, in the order of addition. Undefined if there are none. Each list is
 * sent as one value, because the client library needs longer for many values than all the rest takes.
 */
export async function listSearchableAfter(
  db: Database,
  { tokenId, ways, claimLinkIds }: Pick<RecipientFilter, 'tokenId' | 'ways' | 'claimLinkIds'>,
  {
    after,
    limit,
    hasTexts,
    hasAddresses,
  }: { after: number; limit: number; hasTexts: boolean; hasAddresses: boolean },
): Promise<SearchablePeople | undefined> {
  const list = (value: RawBuilder<unknown>, isWanted = true) =>
    isWanted ? sql`json_agg(${value})` : sql`json '[]'`;
  const { rows } = await sql<SearchablePeople>`
    select ${list(sql`sequence`)} as sequences,
      coalesce(string_agg(name, ''), '') as names, ${list(sql`octet_length(name)`)} as "nameSizes",
      coalesce(${hasTexts ? sql`string_agg(email, '')` : sql`null`}, '') as emails,
      ${list(sql`octet_length(email)`, hasTexts)} as "emailSizes",
      ${list(sql`identifier`, hasTexts)} as identifiers,
      ${list(sql`'0x' || encode(address, 'hex')`, hasAddresses)} as addresses
    from (
      select * from recipients r
      where ${ofToken({ tokenId, ways, claimLinkIds })} and r.sequence > ${after}
      order by r.token_id, r.sequence limit ${hiddenFromPlanner(limit)}
    ) r
    having count(*) > 0`.execute(db);
  return rows[0];
}

export interface RecipientRow {
  recipient_id: string;
  sequence: number;
  /** For which the next three are encrypted. */
  contributor_key: Buffer;
  name: Buffer | null;
  email: Buffer | null;
  note: Buffer | null;
  identifier: string | null;
  address: Address | null;
  /** Whether the service keeps the token for an e-mail. */
  is_kept: boolean;
  way: Recipient['way'];
  status: RecipientStatus;
  claim_link_id: string | null;
  invitation_id: string | null;
  added_at: Date;
  sent_at: Date | null;
  reminded_at: Date | null;
  /** The time for which the mail waits, or has waited. */
  send_at: Date | null;
  claimed_at: Date | null;
  status_changed_at: Date;
  /** When what the person has ends. */
  valid_until: Date | null;
}

function columnsOf(filter: RecipientFilter): RawBuilder<unknown> {
  const validUntil = recipientValidUntil(filter);
  return sql`r.recipient_id, r.sequence, r.contributor_key, r.name, r.email, r.note, r.identifier, r.address, r.way,
    (select true from kept_addresses k where k.address = r.address limit 1) is not null as is_kept,
    ${statusOf(filter)} as status, r.claim_link_id, r.invitation_id, r.added_at, i.send_at, i.sent_at, c.claimed_at,
    (select max(m.sent_at) from invitations m where m.recipient_id = r.recipient_id and m.kind in ('reminder', 'expiryReminder')) as reminded_at,
    case when c.address is not null then ${validUntil} end as valid_until,
    case when c.address is not null then ${statusChangedAt(validUntil)}
      when l.expires_at <= now() then l.expires_at
      else greatest(
        r.added_at, l.created_at, i.created_at, i.sent_at, case when i.send_at <= now() then i.send_at end
      ) end as status_changed_at`;
}

/** The people with these sequence numbers, in this order. Those that are gone are left out. */
export async function findRecipients(
  db: Database,
  filter: Pick<RecipientFilter, 'tokenId' | 'communityId'>,
  sequences: number[],
): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`
    select ${columnsOf({ ...filter, statuses: undefined, ways: undefined })}
    from unnest(${toArray(sequences)}) with ordinality as wanted (sequence, position)
    cross join lateral (
      select * from recipients r
      where r.token_id = ${filter.tokenId} and r.sequence = wanted.sequence and r.removed_at is null limit 1
    ) r ${JOINS}
    order by wanted.position`.execute(db);
  return rows;
}

/** The people after a sequence number that match, in the order of addition. */
export async function listRecipientsAfter(
  db: Database,
  filter: RecipientFilter,
  sequence: number,
  limit: number,
): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`
    select ${columnsOf(filter)} from (
      select * from recipients
      where token_id = ${filter.tokenId} and sequence > ${sequence} and removed_at is null
      order by token_id, sequence limit ${hiddenFromPlanner(limit)}
    ) r ${JOINS}
    order by r.sequence`.execute(db);
  return rows;
}

/** Something that happened to a person. */
export interface RecipientEventRow {
  type: RecipientHistoryEntry['type'];
  happened_at: Date;
  actor: string | null;
  /** Of a member. */
  actor_address: Address | null;
  detail: string | null;
}

// SQL: who has accepted the operation `o`. Its entry of the audit log was written by the same statement, so
// it has the same time.
const LOGGED = sql`left join lateral (
  select actor, address, reason from audit_log a
  where a.community_id = o.community_id and a.recorded_at = o.created_at and a.resource_id = o.operation_id::text limit 1
) a on true`;

/** Everything that is known to have happened to a person, the oldest first. */
export async function listRecipientEvents(
  db: Database,
  { tokenId, recipientId, max }: { tokenId: number; recipientId: string; max: number },
): Promise<RecipientEventRow[]> {
  const { rows } = await sql<RecipientEventRow>`
    with recursive recipient as materialized (
      select * from recipients r
      where r.recipient_id = ${recipientId}::uuid and r.token_id = ${tokenId} and r.removed_at is null
    ), known as materialized (
      -- The token, and those that it has replaced: operations stay about the token that they changed.
      select ${tokenId}::bigint as token_id
      union all
      select token_id from tokens where replaced_by_token_id = ${tokenId}
    ), newest as (
      select i.* from recipient r join invitations i using (invitation_id)
    ), mail as (
      select * from newest
      union
      select i.* from newest n join invitations i on i.email_hash = n.email_hash and i.token_id = n.token_id
      where i.kind in ('invitation', 'reservation')
    ), held as (
      -- The claim of the address, and those from which the token was moved to it, unless they are of somebody else.
      select c.address, c.moved_from, c.operation_id, c.burn_operation_id, c.claimed_at, c.burnt_at, c.ending, r.token_id
      from recipient r join claims c on c.token_id = r.token_id and c.address = r.address
      union
      select c.address, c.moved_from, c.operation_id, c.burn_operation_id, c.claimed_at, c.burnt_at, c.ending, h.token_id
      from held h join claims c on c.token_id = h.token_id and c.address = h.moved_from
      where not exists (
        select from recipients other
        where other.token_id = h.token_id and other.address = c.address and not other.is_former
          and other.removed_at is null
      )
    ), happened as (
      -- The claim of somebody new is accepted a moment before it is settled, which adds the person.
      select 'added' as type, least(r.added_at, (select min(claimed_at) from held)) as happened_at, null as actor, null::bytea as actor_address, r.way as detail
      from recipient r where not r.is_former
      union all
      select 'sent', s.sent_at,
        case when m.kind = 'reservation' then 'claimCode' when m.created_by_key is not null then 'apiKey' else 'operator' end,
        m.created_by, null
      from mail m cross join lateral unnest(m.earlier_sent_at || m.sent_at) as s (sent_at) where s.sent_at is not null
      union all
      select 'failed', coalesce(m.first_attempt_at, m.created_at), 'service', null, m.error
      from mail m where m.state = 'failed'
      union all
      select 'reminded', m.sent_at,
        case when m.reminder_days is not null then 'service' when m.created_by_key is not null then 'apiKey' else 'operator' end,
        m.created_by, case m.kind when 'reminder' then 'claim' else 'expiry' end
      from recipient r join invitations m using (recipient_id)
      where m.kind in ('reminder', 'expiryReminder') and m.sent_at is not null
      union all
      -- Who did something at the service from which an owner was imported is not known.
      select 'claimed', h.claimed_at,
        case when h.operation_id is not null then coalesce(a.actor, 'signature') end, a.address, null
      from held h left join operations o using (operation_id) ${LOGGED}
      where h.moved_from is null
      union all
      select case when h.ending is null then 'burnt' else 'revoked' end, h.burnt_at,
        case when h.burn_operation_id is not null then 'signature' end,
        case when h.burn_operation_id is not null then h.address end, null
      from held h
      where h.burnt_at is not null
        and (h.ending is null or (h.ending = 'revoked' and h.burn_operation_id is null))
      union all
      select case o.operation_type
          when 'revoke' then 'revoked' when 'reinstate' then 'reinstated' when 'renew' then 'renewed' else 'moved'
        end,
        o.completed_at, a.actor, a.address,
        case o.operation_type
          when 'move' then '0x' || (o.request->>'toAddress')
          when 'renew' then o.request->>'validUntilTimestamp'
          else a.reason end
      from operations o ${LOGGED}
      where o.resource_id in (select token_id from known) and o.status = 'success'
        and o.operation_type in ('revoke', 'reinstate', 'move', 'renew')
        and (o.request->>'address' in (select encode(address, 'hex') from held)
          or o.request->>'toAddress' in (select encode(address, 'hex') from held)
          or o.request->'addresses' ?| array(select encode(address, 'hex') from held))
      union all
      select 'replaced', p.replaced_at, a.actor, a.address, p.token_id::text
      from recipient r
      join tokens p on p.replaced_by_token_id = r.token_id and p.replaced_at >= r.added_at
      left join operations o on o.resource_id = p.token_id and o.operation_type = 'replace' and o.status = 'success'
      ${LOGGED}
    )
    select * from happened order by happened_at, type limit ${max}`.execute(db);
  return rows;
}
