import type { Recipient } from '@badge/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';

// The writes of recipients. Whatever adds or removes an entry, a link, a mail or a claim calls one of these
// functions in the same transaction, while the token is locked.

/** How long the name and the e-mail of somebody who was removed are kept for the invitation. */
const KEPT_FOR = sql.lit('90 days');

/** What a community says about a person. Each is encrypted for the contributor key of the person. */
export interface PersonalFields {
  name: Buffer | null;
  email: Buffer | null;
  /** The keyed hash of the e-mail. */
  emailHash: Buffer | null;
  note: Buffer | null;
}

/** A person to add to a token, or about whom more is known now. A null changes nothing. */
export interface NewRecipient extends PersonalFields {
  contributorKey: Buffer;
  /** How the token is given. Of somebody who is known already, the first one stays, unless a link is made. */
  way: Recipient['way'];
  address: Address | null;
  claimLinkId: string | null;
  invitationId: string | null;
  /** The identifier of the entry. Absent: it is not an identifier. */
  identifier?: string | undefined;
  /** When the token was given. Absent: now. */
  addedAt?: Date | null;
}

/**
 * SQL: CTEs that write the rows of the CTE `given`, and count those that are new. It has the columns of
 * `recipients` that are inserted, and `position`. `written` has the ids.
 */
// A condition on `removed_at` beside the key would let PostgreSQL read all people of the token by
// `recipients_in_order`, for each person.
const WRITE_GIVEN = sql`
  added as (
    select g.token_id, count(*) as people from given g
    where (
      select r.removed_at is null from recipients r
      where r.token_id = g.token_id and r.contributor_key = g.contributor_key limit 1
    ) is not true
    group by g.token_id
  ), counted as (
    insert into token_counts as c (token_id, claimed_count, contributor_count, recipient_count)
    select token_id, 0, 0, people from added order by token_id
    on conflict (token_id) do update set recipient_count = c.recipient_count + excluded.recipient_count
  ), written as (
    insert into recipients as r
      (token_id, contributor_key, way, address, identifier, claim_link_id, invitation_id, name, email, email_hash, note,
       added_at)
    select token_id, contributor_key, way, address, identifier, claim_link_id, invitation_id, name, email, email_hash,
      note, added_at
    from given order by position
    on conflict (token_id, contributor_key) do update set
      -- An entry of the list that gets a link was given the token by the link.
      way = case
        when r.removed_at is not null then excluded.way
        when r.way = 'list' and excluded.way = 'link' and excluded.claim_link_id is not null then 'link'
        else r.way end,
      added_at = case when r.removed_at is null then r.added_at else excluded.added_at end,
      address = coalesce(excluded.address, r.address),
      claim_link_id = coalesce(excluded.claim_link_id, r.claim_link_id),
      invitation_id = coalesce(excluded.invitation_id, r.invitation_id),
      name = coalesce(excluded.name, r.name),
      email = coalesce(excluded.email, r.email),
      email_hash = coalesce(excluded.email_hash, r.email_hash),
      note = coalesce(excluded.note, r.note),
      removed_at = null
    where r.removed_at is not null or num_nonnulls(excluded.name, excluded.email, excluded.note) > 0
      or excluded.address <> coalesce(r.address, '') or excluded.invitation_id is not null
      or excluded.claim_link_id is not null
    returning r.recipient_id, r.contributor_key
  )`;

/**
 * SQL: CTEs that remove the recipients whose ids are in the CTE `gone`. The name and the e-mail of somebody
 * with an invitation stay for its list.
 */
const REMOVE_GONE = sql`
  deleted as (
    delete from recipients r using gone g
    where r.recipient_id = g.recipient_id and r.removed_at is null and r.invitation_id is null
    returning r.token_id, r.is_former
  ), hidden as (
    update recipients r set removed_at = statement_timestamp(), note = null from gone g
    where r.recipient_id = g.recipient_id and r.removed_at is null and r.invitation_id is not null
    returning r.token_id, r.is_former
  ), uncounted as (
    update token_counts c set recipient_count = c.recipient_count - n.people
    from (
      select token_id, count(*) as people from (select * from deleted union all select * from hidden) as removed
      where not is_former group by token_id
    ) n
    where c.token_id = n.token_id
  )`;

/** Writes recipients of a token. Returns the id of each, in the same order. The token must be locked. */
export async function writeRecipients(
  tx: DatabaseTransaction,
  tokenId: number,
  recipients: NewRecipient[],
): Promise<string[]> {
  const { rows } = await sql<{ recipient_id: string }>`
    with given as materialized (
      select ${tokenId}::bigint as token_id, g.*, coalesce(g.given_at, now()) as added_at from unnest(
        ${recipients.map((one) => one.contributorKey)}::bytea[],
        ${recipients.map((one) => one.way)}::text[],
        ${recipients.map((one) => one.address)}::bytea[],
        ${recipients.map((one) => one.claimLinkId)}::uuid[],
        ${recipients.map((one) => one.invitationId)}::uuid[],
        ${recipients.map((one) => one.name)}::bytea[],
        ${recipients.map((one) => one.email)}::bytea[],
        ${recipients.map((one) => one.emailHash)}::bytea[],
        ${recipients.map((one) => one.note)}::bytea[],
        ${recipients.map((one) => one.identifier ?? null)}::text[],
        ${recipients.map((one) => one.addedAt ?? null)}::timestamptz[]
      ) with ordinality as g
        (contributor_key, way, address, claim_link_id, invitation_id, name, email, email_hash, note, identifier, given_at,
         position)
    ), ${WRITE_GIVEN}
    select coalesce(w.recipient_id, r.recipient_id) as recipient_id from given g
    left join written w using (contributor_key)
    left join recipients r on r.token_id = g.token_id and r.contributor_key = g.contributor_key
    order by g.position`.execute(tx);
  return rows.map((row) => row.recipient_id);
}

/**
 * Writes the contributors of operations, whose entries were just inserted: of addContributors for the token
 * with this id, or, if it is null, of createToken. The creator of a new token is no recipient, unless
 * something is said about it.
 */
export async function writeListedRecipients(
  tx: DatabaseTransaction,
  { operationIds, tokenId }: { operationIds: string[]; tokenId: number | null },
): Promise<void> {
  await sql`
    with addition as materialized (
      -- Each access to a request decompresses it.
      select coalesce(t.token_id, ${tokenId}::bigint) as token_id, encode(t.creator, 'hex') as creator,
        o.request->'contributors' as contributors, o.created_at, o.sequence
      from operations o left join tokens t using (operation_id)
      where o.operation_id = any(${operationIds}::uuid[])
        and (t.is_allowlist_required is null or t.is_allowlist_required)
    ), given as materialized (
      select a.token_id, decode(k.hex, 'hex') as contributor_key, 'list' as way,
        case when length(k.hex) = 40 then decode(k.hex, 'hex') end as address,
        c.value->>'identifier' as identifier, null::uuid as claim_link_id, null::uuid as invitation_id,
        decode(c.value->>'name', 'hex') as name, decode(c.value->>'email', 'hex') as email,
        decode(c.value->>'emailHash', 'hex') as email_hash,
        decode(c.value->>'note', 'hex') as note, a.created_at as added_at,
        row_number() over (order by a.sequence, c.position) as position
      from addition a
      cross join lateral jsonb_array_elements(a.contributors) with ordinality as c (value, position)
      cross join lateral (select c.value->>'key' as hex) k
      where a.creator is null or k.hex <> a.creator or c.value ?| array['name', 'email', 'note']
    ), ${WRITE_GIVEN}
    select from written limit 0`.execute(tx);
}

/** A granted claim. `contributorKey` is the allowlist entry that it uses, or null. */
export interface ClaimOfRecipient {
  tokenId: number;
  address: Address;
  contributorKey: Buffer | null;
  way: Recipient['way'];
  /** The room link whose code was sent; null for other claims. */
  roomLinkId: string | null;
  /** Who claims with an e-mail; null for other claims. */
  claimer: Claimer | null;
}

/** Somebody who claims with an e-mail that was proven. */
export interface Claimer {
  emailHash: Buffer;
  /** The e-mail, encrypted for each contributor key that the claim can use, by this key in hex. */
  emails: Record<string, Buffer>;
}

// The e-mail of somebody who claims with one, encrypted for the entry that the claim uses.
function emailOf({ claimer, contributorKey, address }: ClaimOfRecipient): Buffer | null {
  if (claimer === null) return null;
  const email = claimer.emails[(contributorKey ?? address).toString('hex')];
  if (email === undefined) throw new Error('the e-mail of the claim is encrypted for another entry');
  return email;
}

/** Writes who has claimed: the address of somebody known, or somebody new. The tokens must be locked. */
export async function writeClaimants(tx: DatabaseTransaction, claims: ClaimOfRecipient[]): Promise<void> {
  await prepared`
    with claimed as materialized (
      select g.*, coalesce(g.entry_key, g.address) as contributor_key from unnest(
        (select ${claims.map((claim) => claim.tokenId)}::bigint[]),
        (select ${claims.map((claim) => claim.contributorKey)}::bytea[]),
        (select ${claims.map((claim) => claim.way)}::text[]),
        (select ${claims.map((claim) => claim.address)}::bytea[]),
        (select ${claims.map((claim) => claim.roomLinkId)}::uuid[]),
        (select ${claims.map(emailOf)}::bytea[]),
        (select ${claims.map(({ claimer }) => claimer?.emailHash ?? null)}::bytea[])
      ) with ordinality as g (token_id, entry_key, way, address, room_link_id, email, email_hash, position)
    ), given as materialized (
      -- The e-mail of an invitation stays, because its mails go there.
      select c.token_id, c.contributor_key, c.way, c.address, null::text as identifier,
        c.room_link_id as claim_link_id, null::uuid as invitation_id, null::bytea as name,
        case when not is_invited then c.email end as email,
        case when not is_invited then c.email_hash end as email_hash,
        null::bytea as note, statement_timestamp() as added_at, c.position
      from claimed c cross join lateral (select c.email is not null and (
        select i.email_hash is not null and i.revoked_at is null
        from recipients r join invitations i using (invitation_id)
        where r.token_id = c.token_id and r.contributor_key = c.contributor_key limit 1
      ) is true as is_invited) i
    ), ${WRITE_GIVEN}
    select from written limit 0`.execute(tx);
  const twins = claims.flatMap(({ tokenId, address, contributorKey }) =>
    contributorKey?.length === 32 ? [{ tokenId, address, contributorKey }] : [],
  );
  if (twins.length > 0) await mergeTwins(tx, twins);
}

/**
 * Makes one person of two, if an address that is on the list itself has claimed with another entry, such as
 * that of a link: keeps the one about whom something is known.
 */
async function mergeTwins(
  tx: DatabaseTransaction,
  claims: { tokenId: number; address: Address; contributorKey: Buffer }[],
): Promise<void> {
  await prepared`
    with twin as materialized (
      select listed.recipient_id as listed_id, used.recipient_id as used_id, used.claim_link_id,
        num_nonnulls(used.name, used.email, used.note) = 0 as is_listed_kept
      from unnest(
        (select ${claims.map((claim) => claim.tokenId)}::bigint[]),
        (select ${claims.map((claim) => claim.address)}::bytea[]),
        (select ${claims.map((claim) => claim.contributorKey)}::bytea[])
      ) as c (token_id, address, contributor_key)
      cross join lateral (
        select * from recipients r where r.token_id = c.token_id and r.contributor_key = c.address limit 1
      ) listed
      cross join lateral (
        select * from recipients r where r.token_id = c.token_id and r.contributor_key = c.contributor_key limit 1
      ) used
      where listed.removed_at is null and used.removed_at is null
    ), kept as (
      update recipients r set claim_link_id = coalesce(t.claim_link_id, r.claim_link_id)
      from twin t where r.recipient_id = t.listed_id and t.is_listed_kept
    ), gone as (
      select case when is_listed_kept then used_id else listed_id end as recipient_id from twin
    ), ${REMOVE_GONE}
    select from twin limit 0`.execute(tx);
}

/**
 * Removes the recipients with these contributor keys, whose entries were deleted. The tokens must be locked.
 */
export async function removeRecipients(
  tx: DatabaseTransaction,
  { tokenIds, contributorKeys }: { tokenIds: number[]; contributorKeys: Buffer[] },
): Promise<void> {
  if (contributorKeys.length === 0) return;
  await sql`
    with gone as materialized (
      select r.recipient_id from unnest(${tokenIds}::bigint[]) as t (token_id)
      cross join unnest(${contributorKeys}::bytea[]) as k (contributor_key)
      cross join lateral (
        select recipient_id from recipients r
        where r.token_id = t.token_id and r.contributor_key = k.contributor_key limit 1
      ) r
    ), ${REMOVE_GONE}
    select from gone limit 0`.execute(tx);
}

/** Removes the contributors of a removeContributors operation from the recipients of the token. */
export async function removeListedRecipients(
  tx: DatabaseTransaction,
  { operationId, tokenId }: { operationId: string; tokenId: number },
): Promise<void> {
  await sql`
    with gone as materialized (
      select r.recipient_id
      from operations o
      cross join lateral jsonb_array_elements_text(o.request->'contributorKeys') as k (value)
      cross join lateral (
        select recipient_id from recipients r
        where r.token_id = ${tokenId} and r.contributor_key = decode(k.value, 'hex') limit 1
      ) r
      where o.operation_id = ${operationId}
    ), ${REMOVE_GONE}
    select from gone limit 0`.execute(tx);
}

/**
 * Removes the persons of invitations that have neither an entry nor a claim: those who were unsubscribed when
 * they were invited. Of `emailHashes`: also those whose link has ended, because they are invited again.
 */
export async function removeInvited(
  tx: DatabaseTransaction,
  invited: { tokenId: number; invitationId: string } | { tokenId: number; emailHashes: Buffer[] },
): Promise<void> {
  const condition =
    'invitationId' in invited
      ? sql`i.invitation_id = ${invited.invitationId}::uuid and i.claim_link_id is null and i.contributor_key is null`
      : sql`i.email_hash = any(${invited.emailHashes}::bytea[])`;
  await sql`
    with gone as materialized (
      select r.recipient_id from invitations i join recipients r on r.recipient_id = i.recipient_id
      where i.token_id = ${invited.tokenId} and ${condition} and r.identifier is null and r.way <> 'list'
        and not exists (select from claims c where c.token_id = r.token_id and c.address = r.address)
    ), ${REMOVE_GONE}
    select from gone limit 0`.execute(tx);
}

/** Names the new link of a person whose link was replaced. */
export async function replaceLinkOfRecipient(
  tx: DatabaseTransaction,
  { claimLinkId, newClaimLinkId }: { claimLinkId: string; newClaimLinkId: string },
): Promise<void> {
  await sql`
    update recipients r set claim_link_id = ${newClaimLinkId}::uuid from claim_links l
    where l.claim_link_id = ${claimLinkId}::uuid and r.token_id = l.token_id
      and r.contributor_key = l.contributor_key`.execute(tx);
}

/**
 * Makes a person follow its token to another address. The address that lost the token stays in the list, as
 * the former one. If somebody else is known at the other address, both stay who they are. The token must be
 * locked.
 */
export async function moveRecipient(
  tx: DatabaseTransaction,
  { tokenId, address, toAddress }: { tokenId: number; address: Address; toAddress: Address },
): Promise<void> {
  const at = (where: Address) => sql`token_id = ${tokenId} and address = ${where} and removed_at is null`;
  const { rows } = await sql`
    select from recipients where ${at(toAddress)} and not is_former limit 1`.execute(tx);
  if (rows.length > 0) return;
  await sql`delete from recipients where ${at(toAddress)} and is_former`.execute(tx);
  await sql`
    with moved as (
      update recipients set address = ${toAddress} where ${at(address)} and not is_former
      returning token_id, way, added_at
    )
    insert into recipients (token_id, contributor_key, way, address, added_at, is_former)
    select token_id, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), way, ${address}::bytea, added_at, true
    from moved`.execute(tx);
}

const MAX_DELETED = 1_000;

/** Deletes the rows of people who were removed long ago. Returns whether there may be more. */
export async function deleteRemovedRecipients(db: Database): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from recipients where recipient_id = any(array(
      select recipient_id from recipients where removed_at <= now() - interval ${KEPT_FOR}
      order by removed_at limit ${MAX_DELETED} for update skip locked
    ))`.execute(db);
  return numAffectedRows >= BigInt(MAX_DELETED);
}

/** SQL: the name and the e-mail of the person of the invitation `i`, encrypted, and the key they are for. */
export const PERSON_OF_INVITATION: RawBuilder<unknown> = sql`
  left join lateral (
    select contributor_key as person_key, name, email from recipients p where p.recipient_id = i.recipient_id limit 1
  ) p on true`;
