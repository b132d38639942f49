import type { ClaimLinkStatus, Eligibility } from '@badge/protocol';
import { type SqlBool, sql } from 'kysely';
import { type Address, toAddress } from '../signatures/address.ts';
import { linkStatusAt } from './claim-links.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { ADDRESS_KEPT_FOR } from './invitations.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import { OWNER_STATUS } from './ownership.ts';
import { prepared } from './prepared-statements.ts';
import { readRequests } from './queue.ts';
import {
  type Claimer,
  type ClaimOfRecipient,
  removeListedRecipients,
  writeClaimants,
  writeListedRecipients,
} from './recipients.ts';
import { isValid, VALID_UNTIL } from './validity.ts';

/** The request of a claim or an airdrop. */
export interface ClaimRequest {
  tokenId: number;
  address: Address;
  /** The contributor key of the claim's identifier or claim link, or null. */
  identifierKey: Buffer | null;
  /** True for airdrops: the address need not be on the allowlist. */
  isAllowlistBypassed: boolean;
  /** The claim link whose code was sent, or null. */
  claimLinkId: string | null;
  /** The hash of the client's address, if the code of a room was sent without a signature. Otherwise null. */
  clientHash: Buffer | null;
  /** Who claims with an e-mail; null for other claims. */
  claimer: Claimer | null;
  /** Whether the recipient has not proven to be the one who claims. */
  isForOther: boolean;
}

/** A claim request as stored: bytes in hex. */
type StoredClaimRequest = Pick<ClaimRequest, 'tokenId' | 'isAllowlistBypassed' | 'isForOther'> & {
  address: string;
  identifierKey: string | null;
  claimLinkId: string | null;
  clientHash: string | null;
  claimer: { emailHash: string; emails: Record<string, string> } | null;
};

/** The stored state that decides whether a claim is granted. */
export interface ClaimState {
  tokenId: number;
  isAllowlistRequired: boolean;
  remainingClaimCount: number | null;
  isExpired: boolean;
  /** Always false for a claim that was accepted: it was in time, and stays so if the start is moved. */
  isNotYetClaimable: boolean;
  /** Whether the address has the token. Unless it is `none`, the address cannot claim the token again. */
  ownership: Eligibility['ownership'];
  /**
   * The other addresses of the person: of a kept address, the wallet to which its later tokens go, and the
   * other way round.
   */
  otherAddresses: Address[];
  /**
   * Whether one of them has, or had, the token; or an address for which somebody has claimed it with the same
   * e-mail. So nobody gets it again with another wallet of later tokens.
   */
  hasAtOtherAddress: boolean;
  /** Whether others give the token, and the address refuses that in the community. */
  isRefused: boolean;
  /** When the token of the address ends; null: never, or the address does not have it. */
  validUntil: Date | null;
  isAddressListed: boolean;
  /** Whether the identifier or the claim link of the request has an entry on the allowlist. */
  isEntryListed: boolean;
  /** Whether a claim has used this entry. */
  isEntryUsed: boolean;
  /** Null without a code. */
  linkStatus: ClaimLinkStatus | null;
  /** How many claims are left with the code of a room; null without such a code. */
  linkClaimsLeft: number | null;
  /** How many of them the client can make without a signature; null if its claims are not counted. */
  clientClaimsLeft: number | null;
}

/** Reads the requests of claims and airdrops, in the order of acceptance. */
export async function readClaimRequests(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<(ClaimRequest & { operationId: string; acceptedAt: Date })[]> {
  const requests = await readRequests<StoredClaimRequest>(tx, operationIds);
  return requests.map((request) => ({
    ...request,
    address: toAddress(Buffer.from(request.address, 'hex')),
    identifierKey: toBytes(request.identifierKey),
    clientHash: toBytes(request.clientHash),
    claimer: toClaimer(request.claimer),
  }));
}

function toClaimer(stored: StoredClaimRequest['claimer']): Claimer | null {
  if (stored === null) return null;
  const emails = Object.entries(stored.emails).map(([key, hex]) => [key, Buffer.from(hex, 'hex')] as const);
  return { emailHash: Buffer.from(stored.emailHash, 'hex'), emails: Object.fromEntries(emails) };
}

function toBytes(hex: string | null): Buffer | null {
  return hex === null ? null : Buffer.from(hex, 'hex');
}

interface ClaimStateRow {
  position: number;
  token_id: number;
  is_allowlist_required: boolean;
  remaining_claim_count: number | null;
  is_expired: boolean;
  is_not_yet_claimable: boolean;
  ownership: ClaimState['ownership'] | null;
  other_addresses: Address[];
  has_at_other_address: boolean;
  is_refused: boolean;
  valid_until: Date | null;
  is_address_listed: boolean;
  is_entry_listed: boolean;
  is_entry_used: boolean;
  link_status: ClaimLinkStatus | null;
  link_claims_left: number | null;
  client_claims_left: number | null;
}

// A claim with the code of a room has no identifier key, so it uses no entry of the link.
const LINK_STATUS_OF_CLAIM = linkStatusAt(sql.ref('claim.accepted_at'), sql`m.address is not null`);

// SQL: the other addresses of who claims the token `t`.
const OTHER_ADDRESSES = sql`
  select h.default_address as address
  from (select email_hash from kept_addresses k where k.address = claim.address limit 1) k
  cross join lateral (
    select default_address from holders h
    where h.email_hash = k.email_hash and h.default_address is not null limit 1
  ) h
  union all
  select k.address
  from (select email_hash from holders h where h.default_address = claim.address limit 1000) h
  cross join lateral (
    select address from kept_addresses k
    where k.email_hash = h.email_hash and k.community_id = t.community_id limit 1
  ) k`;

/** A claim whose state is read. `address` is null if it is not known yet. */
export type ClaimSubject = Pick<ClaimRequest, 'tokenId' | 'identifierKey' | 'claimLinkId' | 'clientHash'> & {
  address: Address | null;
  acceptedAt?: Date;
  isForOther?: boolean;
  claimer?: Pick<Claimer, 'emailHash'> | null;
};

/**
 * Reads the state for each claim, in the same order; undefined if the token does not exist. `isExpired` and
 * `linkStatus` describe the time `acceptedAt` or, without it, the present.
 *
 * prepared-statements.ts says why look-ups have a `limit`, and why arrays are in a `(select …)`.
 */
export async function readClaimStates(
  db: Database,
  claims: ClaimSubject[],
): Promise<(ClaimState | undefined)[]> {
  const { rows } = await prepared<ClaimStateRow>`
    with claim as materialized (
      select * from unnest(
        (select ${claims.map((c) => c.tokenId)}::bigint[]),
        (select ${claims.map((c) => c.address)}::bytea[]),
        (select ${claims.map((c) => c.identifierKey)}::bytea[]),
        (select ${claims.map((c) => c.acceptedAt ?? null)}::timestamptz[]),
        (select ${claims.map((c) => c.claimLinkId)}::uuid[]),
        (select ${claims.map((c) => c.clientHash)}::bytea[]),
        (select ${claims.map((c) => c.isForOther === true)}::boolean[]),
        (select ${claims.map((c) => c.claimer?.emailHash ?? null)}::bytea[])
      ) with ordinality as c
        (token_id, address, identifier_key, accepted_at, claim_link_id, client_hash, is_for_other, email_hash, position)
    ), token as materialized (
      select t.* from (select distinct token_id from claim) as claimed
      cross join lateral (
        select token_id, community_id, is_allowlist_required, remaining_claim_count, expiration_timestamp, claimable_from_timestamp
        from tokens t where t.token_id = claimed.token_id limit 1
      ) t
    )
    select claim.position, t.token_id, t.is_allowlist_required, t.remaining_claim_count,
      coalesce(
        t.expiration_timestamp <= extract(epoch from coalesce(claim.accepted_at, now())) * 1000, false
      ) as is_expired,
      claim.accepted_at is null and coalesce(
        t.claimable_from_timestamp > extract(epoch from now()) * 1000, false
      ) as is_not_yet_claimable,
      owner.status as ownership, owner.valid_until,
      other.addresses as other_addresses, other.have_token or (
        select true from (
          select address from recipients r
          where r.token_id = t.token_id and r.email_hash = claim.email_hash limit 1000
        ) r
        where (
          select true from claims c where c.token_id = t.token_id and c.address = r.address limit 1
        ) limit 1
      ) is not null as has_at_other_address,
      claim.is_for_other and (
        select true from refused_communities r
        where r.address = claim.address and r.community_id = t.community_id limit 1
      ) is not null as is_refused,
      t.is_allowlist_required and (
        select true from allowlist_entries a
        where a.token_id = t.token_id and a.contributor_key = claim.address limit 1
      ) is not null as is_address_listed,
      claim.identifier_key is not null and (
        select true from allowlist_entries a
        where a.token_id = t.token_id and a.contributor_key = claim.identifier_key limit 1
      ) is not null as is_entry_listed,
      m.address is not null as is_entry_used,
      case when claim.claim_link_id is not null then ${LINK_STATUS_OF_CLAIM} end as link_status,
      l.max_claims - l.claim_count as link_claims_left,
      case when claim.client_hash is not null then greatest(0, l.max_claims_per_client - coalesce((
        select claim_count from claim_link_clients k
        where k.claim_link_id = claim.claim_link_id and k.client_hash = claim.client_hash limit 1
      ), 0)) end as client_claims_left
    from claim join token t using (token_id)
    left join lateral (
      select ${OWNER_STATUS} as status, ${VALID_UNTIL} as valid_until
      from claims c where c.token_id = t.token_id and c.address = claim.address limit 1
    ) owner on true
    cross join lateral (
      select coalesce(array_agg(o.address), '{}') as addresses, coalesce(bool_or((
        select true from claims c where c.token_id = t.token_id and c.address = o.address limit 1
      )), false) as have_token
      from (${OTHER_ADDRESSES}) o
    ) other
    left join lateral (
      select address from claims m where m.token_id = t.token_id and m.contributor_key = claim.identifier_key limit 1
    ) m on true
    left join lateral (select * from claim_links l where l.claim_link_id = claim.claim_link_id limit 1) l on true`.execute(
    db,
  );
  const byPosition = new Map(rows.map((row) => [row.position, toClaimState(row)]));
  return claims.map((_, index) => byPosition.get(index + 1));
}

function toClaimState(row: ClaimStateRow): ClaimState {
  return {
    tokenId: row.token_id,
    isAllowlistRequired: row.is_allowlist_required,
    remainingClaimCount: row.remaining_claim_count,
    isExpired: row.is_expired,
    isNotYetClaimable: row.is_not_yet_claimable,
    ownership: row.ownership ?? 'none',
    otherAddresses: row.other_addresses,
    hasAtOtherAddress: row.has_at_other_address,
    isRefused: row.is_refused,
    validUntil: row.valid_until,
    isAddressListed: row.is_address_listed,
    isEntryListed: row.is_entry_listed,
    isEntryUsed: row.is_entry_used,
    linkStatus: row.link_status,
    linkClaimsLeft: row.link_claims_left,
    clientClaimsLeft: row.client_claims_left,
  };
}

/** A granted claim. `contributorKey` is the allowlist entry that it uses, or null. */
export interface NewClaim {
  operationId: string;
  tokenId: number;
  address: Address;
  contributorKey: Buffer | null;
  /**
   * The room link whose code was sent; null for other claims, also for those with the code of a link for one
   * claim.
   */
  roomLinkId: string | null;
  clientHash: Buffer | null;
  claimer: Claimer | null;
  /** How the token is given to somebody who is not known yet. */
  way: ClaimOfRecipient['way'];
}

/**
 * Writes claims and who has made them, counts them for the codes of rooms, and subtracts them from the
 * remaining counts. The tokens must be locked, so that the claim times of a token never decrease.
 */
export async function insertClaims(tx: DatabaseTransaction, claims: NewClaim[]): Promise<void> {
  if (claims.length === 0) return;
  const roomClaims = claims.flatMap(({ roomLinkId, ...claim }) =>
    roomLinkId === null ? [] : [{ ...claim, roomLinkId }],
  );
  // A claim refers to its entry, so the entries come first.
  if (roomClaims.length > 0) await insertRoomEntries(tx, roomClaims);
  await prepared`
    with granted as (
      insert into claims (token_id, address, contributor_key, operation_id, claimed_at)
      select c.token_id, c.address, c.contributor_key, c.operation_id, statement_timestamp()
      from unnest(
        (select ${claims.map((c) => c.tokenId)}::bigint[]),
        (select ${claims.map((c) => c.address)}::bytea[]),
        (select ${claims.map((c) => c.contributorKey)}::bytea[]),
        (select ${claims.map((c) => c.operationId)}::uuid[])
      ) as c (token_id, address, contributor_key, operation_id)
      returning token_id
    ), woken as (
      -- Whoever claims after the end of a token has an expired badge from the start.
      update expiry_turns set next_at = now()
      where token_id = any(array(select token_id from granted)) and next_at = 'infinity'
    )
    update tokens t set remaining_claim_count = remaining_claim_count - m.claim_count
    from (select token_id, count(*) as claim_count from granted group by token_id) m
    where t.token_id = m.token_id and t.remaining_claim_count is not null`.execute(tx);
  // Only the entries of identifiers and of links for one claim have keys of 32 bytes.
  const entryClaims = claims.flatMap(({ tokenId, contributorKey }) =>
    contributorKey?.length === 32 ? [{ tokenId, contributorKey }] : [],
  );
  if (entryClaims.length > 0) await markLinksUsed(tx, entryClaims);
  if (roomClaims.length > 0) await countRoomClaims(tx, roomClaims);
  await writeClaimants(tx, claims);
}

type RoomClaim = NewClaim & { roomLinkId: string };

/**
 * Adds the addresses of claims to the allowlists, in the order of the claims, except those already listed.
 */
async function insertRoomEntries(tx: DatabaseTransaction, claims: RoomClaim[]): Promise<void> {
  await prepared`
    insert into allowlist_entries (token_id, contributor_key, position, added_at)
    select c.token_id, c.address, last.position + c.position, statement_timestamp()
    from unnest(
      (select ${claims.map((c) => c.tokenId)}::bigint[]), (select ${claims.map((c) => c.address)}::bytea[])
    ) with ordinality as c (token_id, address, position)
    cross join lateral (
      select coalesce((
        select position from allowlist_entries a where a.token_id = c.token_id order by a.position desc limit 1
      ), 0) as position
    ) last
    order by c.token_id, c.position
    on conflict (token_id, contributor_key) do nothing`.execute(tx);
}

/** Marks the links for one claim whose allowlist entry was used. */
async function markLinksUsed(
  tx: DatabaseTransaction,
  entries: { tokenId: number; contributorKey: Buffer }[],
): Promise<void> {
  // An identifier can have several links. The limit makes PostgreSQL look up each entry in the index.
  await prepared`
    update claim_links set is_used = true where claim_link_id = any(array(
      select l.claim_link_id
      from unnest(
        (select ${entries.map((e) => e.tokenId)}::bigint[]), (select ${entries.map((e) => e.contributorKey)}::bytea[])
      ) as e (token_id, contributor_key)
      cross join lateral (
        select claim_link_id from claim_links l
        where l.token_id = e.token_id and l.contributor_key = e.contributor_key limit 100000
      ) l
    ))`.execute(tx);
}

async function countRoomClaims(tx: DatabaseTransaction, claims: RoomClaim[]): Promise<void> {
  // The links come before the clients, as when the clients of an ended link are deleted. So the two cannot
  // deadlock.
  await prepared`
    update claim_links l set
      claim_count = l.claim_count + c.claims,
      is_used = l.claim_count + c.claims = l.max_claims,
      has_clients = l.has_clients or c.has_clients
    from (
      select claim_link_id, count(*) as claims, bool_or(client_hash is not null) as has_clients
      from unnest(
        (select ${claims.map((c) => c.roomLinkId)}::uuid[]), (select ${claims.map((c) => c.clientHash)}::bytea[])
      ) as c (claim_link_id, client_hash)
      group by claim_link_id
    ) c
    where l.claim_link_id = c.claim_link_id`.execute(tx);
  await prepared`
    insert into claim_link_clients as k (claim_link_id, client_hash, claim_count)
    select claim_link_id, client_hash, count(*)
    from unnest(
      (select ${claims.map((c) => c.roomLinkId)}::uuid[]), (select ${claims.map((c) => c.clientHash)}::bytea[])
    ) as c (claim_link_id, client_hash)
    where client_hash is not null
    group by claim_link_id, client_hash
    on conflict (claim_link_id, client_hash) do update set claim_count = k.claim_count + excluded.claim_count`.execute(
    tx,
  );
}

/** SQL: whether a claim has used the allowlist entry `a`, or its address has ever had the token. */
const HAS_CLAIMED = sql<boolean>`(
  (select true from claims c where c.token_id = a.token_id and c.address = a.contributor_key) is not null
  or (select true from claims c where c.token_id = a.token_id and c.contributor_key = a.contributor_key) is not null
)`;
/** Which of the tokens an address holds. */
export interface HeldTokensRow {
  address: Address;
  /** In ascending order. */
  token_ids: number[];
}

const IS_VALID = isValid(VALID_UNTIL);

/**
 * Finds which of the tokens each of the addresses holds. Those that have ended are left out. Addresses that
 * hold none of them are left out. Neither list may contain a value twice.
 */
export async function findHeldTokens(
  db: Database,
  addresses: Address[],
  tokenIds: number[],
): Promise<HeldTokensRow[]> {
  // Each address costs about one look-up in `claims_held_by_address`, however many claims it or the tokens
  // have. The order and the limit make PostgreSQL use this index. Without them, it can choose one that begins
  // with the token.
  const { rows } = await prepared<HeldTokensRow>`
    select a.address, held.token_ids
    from unnest((select ${addresses}::bytea[])) as a (address)
    cross join lateral (
      select json_agg(c.token_id order by c.token_id) as token_ids from (
        select c.token_id from claims c
        where c.burnt_at is null and c.address = a.address and ${IS_VALID}
          and c.token_id = any((select ${tokenIds}::bigint[])::bigint[])
        order by c.address, c.token_id limit (select cardinality(${tokenIds}::bigint[]))
      ) c
    ) held
    where held.token_ids is not null`.execute(db);
  return rows;
}

/**
 * Adds an operation's contributors to the token's allowlist, except those already on it. The token must be
 * locked.
 */
export async function insertContributors(
  tx: DatabaseTransaction,
  { operationId, tokenId }: { operationId: string; tokenId: number },
): Promise<void> {
  // `addition` is materialized, so that PostgreSQL reads the last position only once. The entries are
  // inserted in the order of their index, because this is faster.
  await sql`
    with addition as materialized (
      select ${tokenId}::bigint as token_id, o.request->'contributors' as contributors, o.created_at,
        coalesce((
          select max(position) from allowlist_entries a where a.token_id = ${tokenId}
        ), 0) as last_position
      from operations o where o.operation_id = ${operationId}
    )
    insert into allowlist_entries (token_id, contributor_key, identifier, ens_name, position, added_at)
    select a.token_id, decode(c.value->>'key', 'hex') as key, c.value->>'identifier', c.value->>'ensName',
           a.last_position + c.position, a.created_at
    from addition a
    cross join lateral jsonb_array_elements(a.contributors) with ordinality as c (value, position)
    order by key
    on conflict (token_id, contributor_key) do nothing`.execute(tx);
  await writeListedRecipients(tx, { operationIds: [operationId], tokenId });
}

/**
 * Removes an operation's contributors from the token's allowlist, and revokes the claim links and the
 * invitations of their entries. If one of them has claimed, returns false and removes nothing. The token must
 * be locked.
 */
export async function deleteContributors(
  tx: DatabaseTransaction,
  { operationId, tokenId }: { operationId: string; tokenId: number },
): Promise<boolean> {
  // A claim of an address that is listed also counts if it used another entry.
  const { rows } = await sql<{ has_claimed: boolean }>`
    with removed as materialized (
      select ${tokenId}::bigint as token_id, decode(k.value, 'hex') as key
      from operations o cross join lateral jsonb_array_elements_text(o.request->'contributorKeys') as k (value)
      where o.operation_id = ${operationId}
    ), checked as materialized (
      select coalesce(bool_or(${HAS_CLAIMED}), false) as has_claimed
      from removed r cross join lateral (select r.token_id, r.key as contributor_key) a
    ), deleted as (
      delete from allowlist_entries a using removed r
      where a.token_id = r.token_id and a.contributor_key = r.key and not (select has_claimed from checked)
    ), revoked as (
      update claim_links l set revoked_at = now() from removed r
      where l.token_id = r.token_id and l.contributor_key = r.key and l.identifier is not null
        and l.revoked_at is null and not (select has_claimed from checked)
    ), uninvited as (
      update invitations i set
        revoked_at = now(), next_attempt_at = null, erase_at = now() + interval ${ADDRESS_KEPT_FOR}
      from removed r
      where i.token_id = r.token_id and i.contributor_key = r.key and i.revoked_at is null
        and not (select has_claimed from checked)
    )
    select has_claimed from checked`.execute(tx);
  if (rows[0]?.has_claimed !== false) return false;
  await removeListedRecipients(tx, { operationId, tokenId });
  return true;
}

/** An allowlist entry, and whether a claim has used it, or its address has claimed. */
export interface ListedContributor {
  contributor_key: Buffer;
  added_at: Date;
  has_claimed: boolean;
}

/** Finds the entries of the token's allowlist that have one of the contributor keys. */
export async function findListedContributors(
  db: Database,
  tokenId: number,
  contributorKeys: Buffer[],
): Promise<ListedContributor[]> {
  const { rows } = await sql<ListedContributor>`
    select a.contributor_key, a.added_at, ${HAS_CLAIMED} as has_claimed
    from unnest(${contributorKeys}::bytea[]) as k (contributor_key)
    cross join lateral (
      select * from allowlist_entries a
      where a.contributor_key = k.contributor_key and a.token_id = ${tokenId} limit 1
    ) a`.execute(db);
  return rows;
}

/** Finds the entries of addresses that were added with one of the ENS names. */
export async function findContributorsByEnsName(
  db: Database,
  tokenId: number,
  names: string[],
): Promise<(ListedContributor & { ens_name: string })[]> {
  const { rows } = await sql<ListedContributor & { ens_name: string }>`
    select a.contributor_key, a.added_at, a.ens_name, ${HAS_CLAIMED} as has_claimed
    from allowlist_entries a where a.token_id = ${tokenId} and a.ens_name = any(${names}::text[])
    order by a.position`.execute(db);
  return rows;
}

export interface ContributorRow {
  contributor_key: Buffer;
  identifier: string | null;
  ens_name: string | null;
  has_claimed: SqlBool;
  /** The address that has claimed with the entry; null if there is none. */
  claiming_address: Address | null;
  /** Increases in the order of addition. */
  position: number;
}

/** SQL: the columns of a contributor, from the allowlist entry `a`. */
const CONTRIBUTOR = sql`a.contributor_key, a.identifier, a.ens_name, a.position, ${HAS_CLAIMED} as has_claimed, (
  select c.address from claims c where c.token_id = a.token_id and c.contributor_key = a.contributor_key
) as claiming_address`;

/**
 * A page of a token's allowlist, in the order of addition. Also says whether and with which address each
 * contributor has claimed. A page at a large offset fails with a statement timeout if it takes longer than 1
 * second.
 */
export async function listContributors(
  db: Database,
  tokenId: number,
  page: { limit: number; offset: number },
): Promise<ContributorRow[]> {
  // No two entries of a token have the same position. To skip the entries before the page, only an index is
  // read.
  const query = sql<ContributorRow>`
    select ${CONTRIBUTOR} from allowlist_entries a
    where a.token_id = ${tokenId} and a.position >= (
      select position from allowlist_entries where token_id = ${tokenId}
      order by position limit 1 offset ${hiddenFromPlanner(page.offset)}
    )
    order by a.position limit ${hiddenFromPlanner(page.limit)}`;
  const { rows } = await readWithTimeout(db, isFarFromStart(page), (tx) => query.execute(tx));
  return rows;
}

/** The contributors after a position, in the order of addition. Every part of the list costs the same. */
export async function listContributorsAfter(
  db: Database,
  tokenId: number,
  position: number,
  limit: number,
): Promise<ContributorRow[]> {
  const { rows } = await sql<ContributorRow>`
    select ${CONTRIBUTOR} from allowlist_entries a
    where a.token_id = ${tokenId} and a.position > ${position}
    order by a.position limit ${hiddenFromPlanner(limit)}`.execute(db);
  return rows;
}
