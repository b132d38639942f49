import { randomUUID } from 'node:crypto';
import type { ClaimLinkStatus } from '@badge/protocol';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import type { NewSignature } from './operations.ts';
import { prepared } from './prepared-statements.ts';
import {
  type PersonalFields,
  removeRecipients,
  replaceLinkOfRecipient,
  writeRecipients,
} from './recipients.ts';
import { mayStillWrite } from './rights.ts';
import { storedBytesOf } from './stored-bytes.ts';

/** A claim link to insert. */
export interface NewClaimLink {
  claimLinkId: string;
  /** SHA-256 of the code. */
  codeHash: Buffer;
  /** The allowlist entry that a claim with the code uses: 32 bytes. */
  contributorKey: Buffer;
  /**
   * The identifier of this entry, as it is on the allowlist. Null: the entry is inserted together with the
   * link.
   */
  identifier: string | null;
  /** Who gets the link. */
  person?: PersonalFields;
}

/** What is set for a room link. */
export interface NewRoom {
  maxClaims: number;
  startsAt: Date | null;
  isSignatureRequired: boolean;
  maxClaimsPerClient: number;
}

/**
 * Inserts the links of one request, counts them, and inserts an audit log entry. Returns the time of their
 * creation. Returns undefined, and inserts nothing, if the actor has lost its right. The caller must have
 * locked the token, so that no concurrent request inserts allowlist entries at the same positions.
 */
export async function insertClaimLinks(
  tx: DatabaseTransaction,
  actor: Actor,
  request: {
    tokenId: number;
    links: NewClaimLink[];
    expiresAt: Date | null;
    /** The signature of the token's creator. Null if the links have identifiers, or if the token is open. */
    signature: NewSignature | null;
    /** Null: each link is for one claim. */
    room: NewRoom | null;
    /** Whether another statement of the transaction inserts the audit log entry. */
    isRecordedByCaller?: boolean;
  },
): Promise<Date | undefined> {
  const { tokenId, links, expiresAt, signature, room, isRecordedByCaller = false } = request;
  const signatureId = signature && randomUUID();
  const recorded = isRecordedByCaller
    ? sql``
    : sql`, recorded as ${insertAuditEntries(actor, 'createClaimLinks')}`;
  // `written` is the token, because `insertAuditEntries` inserts an entry for each of its rows. A room link
  // has no entry of its own: each claim with its code adds the claimer's.
  const { rows } = await sql<{ created_at: Date }>`
    with written as materialized (
      select token_id, community_id from tokens
      where token_id = ${tokenId} and ${mayStillWrite(actor, sql.ref('community_id'))}
    ), proposed as materialized (
      select w.token_id, p.* from written w cross join unnest(
        ${links.map((link) => link.claimLinkId)}::uuid[],
        ${links.map((link) => link.contributorKey)}::bytea[],
        ${links.map((link) => link.identifier)}::text[],
        ${links.map((link) => link.codeHash)}::bytea[]
      ) with ordinality as p (claim_link_id, contributor_key, identifier, code_hash, position)
    ), last as materialized (
      select coalesce(max(position), 0) as position from allowlist_entries where token_id = ${tokenId}
    ), entries as (
      insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
      select p.token_id, p.contributor_key, 'claimLink:' || p.claim_link_id, last.position + p.position, now()
      from proposed p cross join last where p.identifier is null and ${room === null}::boolean
    ), signed as (
      insert into claim_link_signatures
        (claim_link_signature_id, token_id, signer, signature, typed_data_version, evidence)
      select ${signatureId}::uuid, token_id, ${signature?.signer ?? null}::bytea,
             ${signature?.signature ?? null}::bytea, ${signature?.typedDataVersion ?? null}::text,
             ${signature?.evidence ? JSON.stringify(signature.evidence) : null}::text::jsonb
      from written where ${signatureId}::uuid is not null
    ), inserted as (
      insert into claim_links
        (claim_link_id, token_id, contributor_key, identifier, code_hash, claim_link_signature_id, expires_at,
         max_claims, starts_at, is_signature_required, max_claims_per_client)
      select claim_link_id, token_id, contributor_key, identifier, code_hash, ${signatureId}::uuid, ${expiresAt}::timestamptz,
             ${room?.maxClaims ?? null}::integer, ${room?.startsAt ?? null}::timestamptz,
             ${room?.isSignatureRequired ?? false}::boolean, ${room?.maxClaimsPerClient ?? null}::integer
      from proposed order by position
      returning created_at
    ), counted as (
      update communities c set claim_link_count = claim_link_count + ${links.length}::bigint
      from written w where c.community_id = w.community_id
    )${recorded}
    select created_at from inserted limit 1`.execute(tx);
  const [inserted] = rows;
  if (inserted === undefined || room !== null) return inserted?.created_at;
  await writeRecipients(
    tx,
    tokenId,
    links.map(({ claimLinkId, contributorKey, person }) => ({
      contributorKey,
      way: 'link',
      address: null,
      claimLinkId,
      invitationId: null,
      ...(person ?? { name: null, email: null, emailHash: null, note: null }),
    })),
  );
  return inserted.created_at;
}

/**
 * How many unused links the token has, up to `max` of each kind (with and without an end), and what the
 * community stores.
 */
export async function readClaimLinkUsage(
  tx: DatabaseTransaction,
  { tokenId, communityId, max }: { tokenId: number; communityId: string; max: number },
): Promise<{ unused: number; storedBytes: number }> {
  const unusedWith = (condition: RawBuilder<unknown>) => sql`(
    select count(*) from (
      select from claim_links
      where token_id = ${tokenId} and revoked_at is null and not is_used and ${condition} limit ${max}
    ) unused
  )`;
  const { rows } = await sql<{ unused: number; stored_bytes: number }>`
    select ${unusedWith(sql`expires_at is null`)} + ${unusedWith(sql`expires_at > now()`)} as unused,
           ${storedBytesOf(communityId)} as stored_bytes`.execute(tx);
  const { unused = 0, stored_bytes: storedBytes = 0 } = rows[0] ?? {};
  return { unused, storedBytes };
}

/** Whether a link has one of these hashes of a code, even a revoked one. */
export async function isCodeTaken(db: Database, codeHashes: Buffer[]): Promise<boolean> {
  const { rows } = await sql`
    select from claim_links where code_hash = any(${codeHashes}::bytea[]) limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * A code that was sent to a token: the token whose links it can find, and its hash for each token that it can
 * have been made for. A replaced token has no links any more, but its codes find those of its replacement.
 */
export interface SentCode {
  tokenId: number;
  madeFor: { tokenId: number; codeHash: Buffer }[];
}

// SQL: the sent code, a hash for each token.
const MADE_FOR = sql`with ordinality as h (token_id, code_hash, position)`;

export interface FoundClaimLink {
  claim_link_id: string;
  contributor_key: Buffer;
  is_for_room: boolean;
  is_signature_required: boolean;
  /** The token that the code was made for. */
  made_for_token_id: number;
}

/** Finds the link of a code, unless the link is revoked. */
export async function findClaimLink(
  db: Database,
  { tokenId, madeFor }: SentCode,
): Promise<FoundClaimLink | undefined> {
  const { rows } = await prepared<FoundClaimLink>`
    select claim_link_id, contributor_key, max_claims is not null as is_for_room, is_signature_required,
      h.token_id as made_for_token_id
    from unnest(
      (select ${madeFor.map((one) => one.tokenId)}::bigint[]), (select ${madeFor.map((one) => one.codeHash)}::bytea[])
    ) ${MADE_FOR}
    cross join lateral (select * from claim_links l where l.code_hash = h.code_hash limit 1) l
    where l.token_id = ${tokenId} and coalesce(l.made_for_token_id, l.token_id) = h.token_id and l.revoked_at is null
    order by h.position limit 1`.execute(db);
  return rows[0];
}

/** Whether this client has claimed with the code of a room link without a signature. */
export async function isLinkUsedByClient(
  db: Database,
  { claimLinkId, clientHash }: { claimLinkId: string; clientHash: Buffer },
): Promise<boolean> {
  const { rows } = await sql`
    select from claim_link_clients
    where claim_link_id = ${claimLinkId}::uuid and client_hash = ${clientHash}`.execute(db);
  return rows.length > 0;
}

/**
 * SQL: joins, as `m`, the claim that used the allowlist entry of the link `l`. Its columns are null if there
 * is none, and for a room.
 */
export const CLAIM_OF_LINK = sql`
  left join lateral (
    select address, claimed_at from claims
    where token_id = l.token_id and contributor_key = l.contributor_key limit 1
  ) m on true`;

/**
 * SQL: the status of the link `l` for a claim accepted at a time; null: for one that is made now.
 * `isEntryUsed`: a claim has used the allowlist entry of the link.
 */
export function linkStatusAt(
  acceptedAt: RawBuilder<Date | null>,
  isEntryUsed: RawBuilder<boolean>,
): RawBuilder<ClaimLinkStatus> {
  return sql<ClaimLinkStatus>`(
    case when l.revoked_at is not null then 'revoked'
         when ${isEntryUsed} or l.claim_count = l.max_claims then 'used'
         when l.expires_at <= coalesce(${acceptedAt}, now()) then 'expired'
         when l.paused_at <= coalesce(${acceptedAt}, 'infinity') then 'paused'
         when l.starts_at > coalesce(${acceptedAt}, now()) then 'notStarted'
         else 'unused' end
  )`;
}

/** SQL: the status of the link `l` with its claim `m`. */
export const LINK_STATUS = linkStatusAt(sql`null::timestamptz`, sql`m.address is not null`);

export interface ClaimLinkRow {
  claim_link_id: string;
  contributor_key: Buffer;
  identifier: string | null;
  status: ClaimLinkStatus;
  address: Address | null;
  claimed_at: Date | null;
  created_at: Date;
  expires_at: Date | null;
  /** Null: the link is for one claim. */
  max_claims: number | null;
  claim_count: number;
  starts_at: Date | null;
  paused_at: Date | null;
  /** Increases in the order of creation. */
  sequence: number;
}

/** SQL: the columns of a link, from the link `l` with its claim `m`. */
const LINK = sql`l.claim_link_id, l.contributor_key, l.identifier, ${LINK_STATUS} as status, m.address, m.claimed_at, l.created_at, l.expires_at,
  l.max_claims, l.claim_count, l.starts_at, l.paused_at, l.sequence`;

/**
 * A page of a token's links, in the order of creation or the other way round. A page that is filtered, or at
 * a large offset, fails with a statement timeout if it takes longer than 1 second.
 */
export async function listClaimLinks(
  db: Database,
  tokenId: number,
  page: {
    limit: number;
    offset: number;
    status?: ClaimLinkStatus | undefined;
    isForRoom?: boolean | undefined;
    isNewestFirst?: boolean;
  },
): Promise<ClaimLinkRow[]> {
  const { status, isForRoom } = page;
  // Without a status, the claims of the links before the page are not read. The comparison of whole rows
  // makes PostgreSQL read the links in the order of their index, whatever its statistics say.
  const claimOfLink = status === undefined ? sql`` : CLAIM_OF_LINK;
  const statusCondition = status === undefined ? sql`` : sql`and ${LINK_STATUS} = ${status}`;
  const roomCondition =
    isForRoom === undefined ? sql`` : sql`and (l.max_claims is not null) = ${sql.lit(isForRoom)}`;
  const direction = page.isNewestFirst === true ? sql`desc` : sql`asc`;
  const listed = sql`
    select l.* from claim_links l ${claimOfLink}
    where (l.token_id, l.sequence) >= (${tokenId}, 0) and (l.token_id, l.sequence) < (${tokenId + 1}, 0)
      ${statusCondition} ${roomCondition}
    order by l.token_id ${direction}, l.sequence ${direction}
    limit ${hiddenFromPlanner(page.limit)} offset ${hiddenFromPlanner(page.offset)}`;
  const query = sql<ClaimLinkRow>`
    select ${LINK} from (${listed}) l ${CLAIM_OF_LINK}
    order by l.sequence ${direction}`;
  const isFiltered = status !== undefined || isForRoom !== undefined;
  const { rows } = await readWithTimeout(db, isFarFromStart(page) || isFiltered, (tx) => query.execute(tx));
  return rows;
}

/** The links after a sequence number, in the order of creation. Every part of the list costs the same. */
export async function listClaimLinksAfter(
  db: Database,
  tokenId: number,
  sequence: number,
  limit: number,
): Promise<ClaimLinkRow[]> {
  const { rows } = await sql<ClaimLinkRow>`
    select ${LINK} from (
      select * from claim_links
      where (token_id, sequence) > (${tokenId}, ${sequence}) and (token_id, sequence) < (${tokenId + 1}, 0)
      order by token_id, sequence limit ${hiddenFromPlanner(limit)}
    ) l ${CLAIM_OF_LINK}
    order by l.sequence`.execute(db);
  return rows;
}

/** A link of the token; undefined if there is no such link. */
export async function findClaimLinkRow(
  db: Database,
  link: { tokenId: number; claimLinkId: string },
): Promise<ClaimLinkRow | undefined> {
  const { rows } = await sql<ClaimLinkRow>`
    select ${LINK} from claim_links l ${CLAIM_OF_LINK}
    where l.claim_link_id = ${link.claimLinkId} and l.token_id = ${link.tokenId}`.execute(db);
  return rows[0];
}

export type UnusedLink = Pick<
  ClaimLinkRow,
  'claim_link_id' | 'contributor_key' | 'identifier' | 'max_claims' | 'claim_count'
>;

/** Those of the token's links that are neither used nor revoked, in the order of creation. */
export async function findUnusedLinks(
  tx: DatabaseTransaction,
  { tokenId, claimLinkIds }: { tokenId: number; claimLinkIds: string[] },
): Promise<UnusedLink[]> {
  const { rows } = await sql<UnusedLink>`
    select l.claim_link_id, l.identifier, l.max_claims, l.claim_count, l.contributor_key
    from claim_links l ${CLAIM_OF_LINK}
    where l.claim_link_id = any(${claimLinkIds}::uuid[]) and l.token_id = ${tokenId}
      and ${LINK_STATUS} not in ('used', 'revoked')
    order by l.sequence`.execute(tx);
  return rows;
}

/**
 * Changes a room link, and returns whether it did. Does nothing if the actor has lost its right. The caller
 * must have locked the token and checked that the link is for a room.
 */
export async function updateClaimLink(
  tx: DatabaseTransaction,
  actor: Actor,
  link: {
    communityId: string;
    claimLinkId: string;
    isPaused: boolean;
    maxClaims: number;
    startsAt: Date | null;
    expiresAt: Date;
  },
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      update claim_links set
        paused_at = case when ${link.isPaused}::boolean then coalesce(paused_at, now()) end,
        max_claims = ${link.maxClaims}::integer,
        is_used = claim_count = ${link.maxClaims}::integer,
        starts_at = ${link.startsAt}::timestamptz,
        expires_at = ${link.expiresAt}::timestamptz
      where claim_link_id = ${link.claimLinkId} and ${mayStillWrite(actor, sql`${link.communityId}::text`)}
      returning claim_link_id, ${link.communityId}::text as community_id
    ), recorded as ${insertAuditEntries(actor, 'updateClaimLink')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * Revokes links. If an allowlist entry was added for a link, deletes the entry. Returns whether it revoked
 * any: it changes nothing if the actor has lost its right. The caller must have locked the token and checked
 * that the links are not used. A room link may be used: the claims that it keeps have earlier times than its
 * revocation.
 */
export async function revokeClaimLinks(
  tx: DatabaseTransaction,
  actor: Actor,
  links: {
    communityId: string;
    claimLinkIds: string[];
    isRecordedByCaller?: boolean;
    /** Whether the people of the links stay in the list, because they wanted no mail. */
    arePeopleKept?: boolean;
  },
): Promise<boolean> {
  const recorded = links.isRecordedByCaller
    ? sql``
    : sql`, recorded as ${insertAuditEntries(actor, 'revokeClaimLink', 'asked')}`;
  const { rows } = await sql<{ token_id: number; contributor_key: Buffer; identifier: string | null }>`
    with written as (
      update claim_links set revoked_at = coalesce(revoked_at, statement_timestamp())
      where (claim_link_id = any(${links.claimLinkIds}::uuid[]) or further_of = any(${links.claimLinkIds}::uuid[]))
        and ${mayStillWrite(actor, sql`${links.communityId}::text`)}
      returning claim_link_id, token_id, contributor_key, identifier, further_of, ${links.communityId}::text as community_id
    ), asked as (
      select * from written where claim_link_id = any(${links.claimLinkIds}::uuid[])
    ), deleted as (
      -- A further link leaves the entry to the link of the invitation.
      delete from allowlist_entries a using asked w
      where w.identifier is null and w.further_of is null
        and a.token_id = w.token_id and a.contributor_key = w.contributor_key
    )${recorded}
    select token_id, contributor_key, coalesce(identifier, further_of::text) as identifier from asked`.execute(
    tx,
  );
  if (links.arePeopleKept !== true) {
    const ofLinks = rows.filter(({ identifier }) => identifier === null);
    await removeRecipients(tx, {
      tokenIds: [...new Set(ofLinks.map((row) => row.token_id))],
      contributorKeys: ofLinks.map((row) => row.contributor_key),
    });
  }
  return rows.length > 0;
}

/**
 * Replaces a link for one claim: revokes it, and inserts one with another code for the same allowlist entry.
 * Inserts no audit log entry. The caller must have locked the token and checked that the link is not used.
 */
export async function replaceClaimLink(
  tx: DatabaseTransaction,
  link: { communityId: string; claimLinkId: string; newClaimLinkId: string; codeHash: Buffer },
): Promise<void> {
  const { communityId, claimLinkId, newClaimLinkId, codeHash } = link;
  // The entry of a link without an identifier is named after the link.
  await sql`
    with revoked as (
      update claim_links set revoked_at = coalesce(revoked_at, statement_timestamp())
      where claim_link_id = ${claimLinkId}::uuid
      returning token_id, contributor_key, identifier, claim_link_signature_id, expires_at, is_signature_required
    ), further as (
      update claim_links set revoked_at = coalesce(revoked_at, statement_timestamp())
      where further_of = ${claimLinkId}::uuid
    ), renamed as (
      update allowlist_entries a set identifier = 'claimLink:' || ${newClaimLinkId}::text from revoked r
      where r.identifier is null and a.token_id = r.token_id and a.contributor_key = r.contributor_key
    ), counted as (
      update communities set claim_link_count = claim_link_count + 1 where community_id = ${communityId}
    )
    insert into claim_links
      (claim_link_id, token_id, contributor_key, identifier, code_hash, claim_link_signature_id, expires_at,
       is_signature_required)
    select ${newClaimLinkId}::uuid, token_id, contributor_key, identifier, ${codeHash}::bytea, claim_link_signature_id, expires_at,
           is_signature_required
    from revoked`.execute(tx);
  await replaceLinkOfRecipient(tx, { claimLinkId, newClaimLinkId });
}

// Claims that were accepted before the end of a link are settled long before this time has passed.
const CLIENTS_KEPT_FOR = sql.lit('1 hour');
const MAX_CLIENTS_PER_CLEANUP = 10_000;

/**
 * Deletes what is stored about the clients of a room link that has ended, up to 10,000 rows. Returns false if
 * there is no such link.
 */
export async function deleteClientsOfEndedLink(tx: DatabaseTransaction): Promise<boolean> {
  const { rows } = await sql<{ claim_link_id: string }>`
    select claim_link_id from claim_links
    where has_clients and least(expires_at, revoked_at) < now() - interval ${CLIENTS_KEPT_FOR}
    order by least(expires_at, revoked_at) limit 1
    for no key update skip locked`.execute(tx);
  const [link] = rows;
  if (link === undefined) return false;
  const deleted = await sql`
    delete from claim_link_clients where (claim_link_id, client_hash) in (
      select claim_link_id, client_hash from claim_link_clients
      where claim_link_id = ${link.claim_link_id} limit ${MAX_CLIENTS_PER_CLEANUP}
    )`.execute(tx);
  if (Number(deleted.numAffectedRows) < MAX_CLIENTS_PER_CLEANUP) {
    await sql`update claim_links set has_clients = false where claim_link_id = ${link.claim_link_id}`.execute(
      tx,
    );
  }
  return true;
}

/** An allowlist entry of an identifier, and whether a claim has used it. */
export interface ListedIdentifier {
  contributor_key: Buffer;
  identifier: string;
  has_claimed: SqlBool;
}

/** Finds the entries of the token's allowlist that have one of the contributor keys. */
export async function findListedIdentifiers(
  db: Database,
  tokenId: number,
  contributorKeys: Buffer[],
): Promise<ListedIdentifier[]> {
  const { rows } = await sql<ListedIdentifier>`
    select a.contributor_key, a.identifier, exists (
      select from claims c where c.token_id = a.token_id and c.contributor_key = a.contributor_key
    ) as has_claimed
    from unnest(${contributorKeys}::bytea[]) as k (contributor_key)
    cross join lateral (
      select * from allowlist_entries a
      where a.contributor_key = k.contributor_key and a.token_id = ${tokenId} limit 1
    ) a`.execute(db);
  return rows;
}
