import { randomUUID } from 'node:crypto';
import type { ClaimLinkStatus } from '@badge/protocol';
import { type SqlBool, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import type { NewSignature } from './operations.ts';
import { prepared } from './prepared-statements.ts';
import { mayStillWrite } from './rights.ts';

/** A claim link to insert. */
export interface NewClaimLink {
  claimLinkId: string;
  /** SHA-256 of the code. */
  codeHash: Buffer;
  /** The allowlist entry that a claim with the code uses: 32 bytes. */
  contributorKey: Buffer;
  /** The identifier of this entry, as it is on the allowlist. Null: the entry is inserted together with the link. */
  identifier: string | null;
}

/**
 * Inserts the links of one request, and an audit log entry. Returns the time of their creation. Returns undefined, and
 * inserts nothing, if the actor has lost its right. If links have no identifier, the caller must have locked the token,
 * so that no concurrent request inserts allowlist entries at the same positions.
 */
export async function insertClaimLinks(
  db: Database,
  actor: Actor,
  request: {
    tokenId: number;
    links: NewClaimLink[];
    expiresAt: Date | null;
    /** The signature of the token's creator. Null if the links have identifiers, or if the token is open. */
    signature: NewSignature | null;
  },
): Promise<Date | undefined> {
  const { tokenId, links, expiresAt, signature } = request;
  const signatureId = signature && randomUUID();
  // `written` is the token, because `insertAuditEntries` inserts an entry for each of its rows.
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
      from proposed p cross join last where p.identifier is null
    ), signed as (
      insert into claim_link_signatures (claim_link_signature_id, token_id, signer, signature, typed_data_version)
      select ${signatureId}::uuid, token_id, ${signature?.signer ?? null}::bytea,
             ${signature?.signature ?? null}::bytea, ${signature?.typedDataVersion ?? null}::text
      from written where ${signatureId}::uuid is not null
    ), inserted as (
      insert into claim_links
        (claim_link_id, token_id, contributor_key, identifier, code_hash, claim_link_signature_id, expires_at)
      select claim_link_id, token_id, contributor_key, identifier, code_hash, ${signatureId}::uuid, ${expiresAt}::timestamptz
      from proposed order by position
      returning created_at
    ), recorded as ${insertAuditEntries(actor, 'createClaimLinks')}
    select created_at from inserted limit 1`.execute(db);
  return rows[0]?.created_at;
}

/** Finds a link of the token by the hash of its code, unless the link is revoked. */
export async function findClaimLink(
  db: Database,
  tokenId: number,
  codeHash: Buffer,
): Promise<{ claim_link_id: string; contributor_key: Buffer } | undefined> {
  const { rows } = await prepared<{ claim_link_id: string; contributor_key: Buffer }>`
    select claim_link_id, contributor_key from claim_links
    where code_hash = ${codeHash} and token_id = ${tokenId} and revoked_at is null`.execute(db);
  return rows[0];
}

/** SQL: joins, as `m`, the claim that used the allowlist entry of the link `l`. Its columns are null if there is none. */
const CLAIM_OF_LINK = sql`
  left join lateral (
    select address, claimed_at from claims
    where token_id = l.token_id and contributor_key = l.contributor_key limit 1
  ) m on true`;

/** SQL: the status of the link `l` with its claim `m`. */
const STATUS = sql<ClaimLinkStatus>`(
  case when l.revoked_at is not null then 'revoked'
       when m.address is not null then 'used'
       when l.expires_at <= now() then 'expired'
       else 'unused' end
)`;

export interface ClaimLinkRow {
  claim_link_id: string;
  identifier: string | null;
  status: ClaimLinkStatus;
  address: Address | null;
  claimed_at: Date | null;
  created_at: Date;
  expires_at: Date | null;
  /** Increases in the order of creation. */
  sequence: number;
}

/** SQL: the columns of a link, from the link `l` with its claim `m`. */
const LINK = sql`
  l.claim_link_id, l.identifier, ${STATUS} as status, m.address, m.claimed_at, l.created_at, l.expires_at, l.sequence`;

/**
 * A page of a token's links, in the order of creation. A page that is filtered by status, or at a large offset, fails with
 * a statement timeout if it takes longer than 1 second.
 */
export async function listClaimLinks(
  db: Database,
  tokenId: number,
  page: { limit: number; offset: number; status: ClaimLinkStatus | undefined },
): Promise<ClaimLinkRow[]> {
  const { status } = page;
  // Without a status, the claims of the links before the page are not read. The comparison of whole rows makes PostgreSQL
  // read the links in the order of their index, whatever its statistics say.
  const claimOfLink = status === undefined ? sql`` : CLAIM_OF_LINK;
  const statusCondition = status === undefined ? sql`` : sql`and ${STATUS} = ${status}`;
  const listed = sql`
    select l.* from claim_links l ${claimOfLink}
    where (l.token_id, l.sequence) >= (${tokenId}, 0) and (l.token_id, l.sequence) < (${tokenId + 1}, 0) ${statusCondition}
    order by l.token_id, l.sequence
    limit ${hiddenFromPlanner(page.limit)} offset ${hiddenFromPlanner(page.offset)}`;
  const query = sql<ClaimLinkRow>`
    select ${LINK} from (${listed}) l ${CLAIM_OF_LINK}
    order by l.sequence`;
  const { rows } = await readWithTimeout(db, isFarFromStart(page) || status !== undefined, (tx) =>
    query.execute(tx),
  );
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

/** The status of a link of the token; undefined if there is no such link. */
export async function findClaimLinkStatus(
  db: Database,
  link: { tokenId: number; claimLinkId: string },
): Promise<ClaimLinkStatus | undefined> {
  const { rows } = await sql<{ status: ClaimLinkStatus }>`
    select ${STATUS} as status from claim_links l ${CLAIM_OF_LINK}
    where l.claim_link_id = ${link.claimLinkId} and l.token_id = ${link.tokenId}`.execute(db);
  return rows[0]?.status;
}

/**
 * Revokes a link. If an allowlist entry was added for this link, deletes the entry. Returns false, and changes nothing, if
 * the actor has lost its right. The caller must have locked the token and checked that the link is not used.
 */
export async function revokeClaimLink(
  tx: DatabaseTransaction,
  actor: Actor,
  link: { communityId: string; claimLinkId: string },
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      update claim_links set revoked_at = coalesce(revoked_at, now())
      where claim_link_id = ${link.claimLinkId} and ${mayStillWrite(actor, sql`${link.communityId}::text`)}
      returning claim_link_id, token_id, contributor_key, identifier, ${link.communityId}::text as community_id
    ), deleted as (
      delete from allowlist_entries a using written w
      where w.identifier is null and a.token_id = w.token_id and a.contributor_key = w.contributor_key
    ), recorded as ${insertAuditEntries(actor, 'revokeClaimLink')}
    select from written`.execute(tx);
  return rows.length > 0;
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
