import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { insertAsset, PIECE_BYTES } from './assets.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import { insertClaimLinks, type NewRoom } from './claim-links.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { restartExpiry } from './expiry.ts';
import type { OwnerRow } from './ownership.ts';
import type { PersonalFields } from './recipients.ts';
import { storedBytesOf } from './stored-bytes.ts';
import type { AllowlistContributor, CreateTokenRequest } from './tokens.ts';
import { validUntilOf } from './validity.ts';

// The writes of an import: the rows that operations would write, without the operations.

/** A token of another service, and which one it was there. */
export interface ImportedToken
  extends Omit<CreateTokenRequest, 'signature' | 'evidence' | 'typedDataVersion' | 'contributors'> {
  communityId: string;
  isHidden: boolean;
  /** Null: now. */
  createdAt: Date | null;
  service: string;
  id: string;
  url: string | null;
}

export interface FoundToken {
  tokenId: number;
  isAllowlistRequired: boolean;
}

/** Records who imports into a community. */
export async function recordImport(
  tx: DatabaseTransaction,
  actor: Actor,
  communityId: string,
): Promise<void> {
  await sql`
    with written as (select ${communityId}::text as community_id),
      recorded as ${insertAuditEntries(actor, 'import')}
    select from written`.execute(tx);
}

/** Finds the token that a badge of a service has become, or the one that has replaced it. */
export async function findImportedToken(
  db: Database,
  { communityId, service, id }: Pick<ImportedToken, 'communityId' | 'service' | 'id'>,
): Promise<FoundToken | undefined> {
  const { rows } = await sql<FoundToken>`
    select coalesce(replaced_by_token_id, token_id) as "tokenId", is_allowlist_required as "isAllowlistRequired"
    from tokens
    where community_id = ${communityId} and imported_service = ${service} and imported_id = ${id}
      and imported_at is not null`.execute(db);
  return rows[0];
}

/** Finds a token of a community that a source of this installation names. Null: there is none. */
export async function findOwnToken(
  db: Database,
  communityId: string,
  { source, createdAtTimestamp }: { source: { id: string }; createdAtTimestamp: number | null },
): Promise<number | null> {
  // Two installations can have the same address, such as localhost. So the token must be as old.
  const createdAt = createdAtTimestamp === null ? null : new Date(createdAtTimestamp);
  const { rows } = await sql<{ token_id: number }>`
    select token_id from tokens
    where community_id = ${communityId} and token_id::text = ${source.id}
      and date_trunc('milliseconds', created_at) = coalesce(${createdAt}::timestamptz, date_trunc('milliseconds', created_at))`.execute(
    db,
  );
  return rows[0]?.token_id ?? null;
}

/**
 * Inserts a token with the next id, which it returns. Until the commit, no other token gets an id. The
 * community must be locked, so that no other import inserts the same badge.
 */
export async function insertImportedToken(tx: DatabaseTransaction, token: ImportedToken): Promise<number> {
  const { rows } = await sql<{ last_token_id: number }>`
    update token_counter set last_token_id = last_token_id + 1 returning last_token_id`.execute(tx);
  const tokenId = rows[0]?.last_token_id;
  if (tokenId === undefined) throw new Error('the counter of tokens is missing');
  const now = sql<Date>`now()`;
  await tx
    .insertInto('tokens')
    .values({
      token_id: tokenId,
      community_id: token.communityId,
      creator: token.creator,
      headline: token.headline,
      description: token.description,
      start_timestamp: token.startTimestamp,
      end_timestamp: token.endTimestamp,
      links: JSON.stringify(token.links),
      nft_type_id: token.nftTypeId,
      asset_content_type: token.assetContentType,
      is_signature_required: token.isSignatureRequired,
      is_allowlist_required: token.isAllowlistRequired,
      total_claim_count: token.totalClaimCount,
      remaining_claim_count: token.totalClaimCount,
      expiration_timestamp: token.expirationTimestamp,
      custom_attributes: JSON.stringify(token.customAttributes),
      criteria: token.criteria,
      claimable_from_timestamp: token.claimableFromTimestamp,
      valid_until: token.validUntilTimestamp === null ? null : new Date(token.validUntilTimestamp),
      validity_days: token.validityDays,
      is_hidden: token.isHidden,
      created_at: token.createdAt ?? now,
      imported_service: token.service,
      imported_id: token.id,
      imported_url: token.url,
      imported_at: now,
    })
    .execute();
  if (token.validUntilTimestamp !== null || token.validityDays !== null) await restartExpiry(tx, tokenId);
  return tokenId;
}

/** Says that another imported token has replaced one that was just inserted. */
export async function recordImportedReplacement(
  tx: DatabaseTransaction,
  { tokenId, replacedById }: { tokenId: number; replacedById: number },
): Promise<void> {
  await sql`
    update tokens set replaced_by_token_id = ${replacedById}, replaced_at = now(), is_hidden = true
    where token_id = ${tokenId}`.execute(tx);
}

/**
 * Inserts the picture of an imported token. Its design is deleted from the start, so nobody can choose it for
 * another token, and it does not count as one of the community's designs.
 */
export async function insertImportedPicture(
  tx: DatabaseTransaction,
  {
    communityId,
    nftTypeId,
    name,
    ...picture
  }: {
    communityId: string;
    nftTypeId: string;
    name: string;
    contentType: string;
    bytes: Buffer;
    hash: Buffer;
  },
): Promise<void> {
  const assetId = randomUUID();
  const { contentType, bytes, hash } = picture;
  await insertAsset(tx, { assetId, contentType, sizeBytes: bytes.length, hash, pieces: piecesOf(bytes) });
  await tx
    .insertInto('nft_types')
    .values({
      community_id: communityId,
      nft_type_id: nftTypeId,
      name,
      asset_id: assetId,
      deleted_at: sql<Date>`now()`,
      is_asset_kept: true,
    })
    .execute();
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}

/** The bytes that count in the storage quota of a community. */
export async function readStoredBytes(db: Database, communityId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select ${storedBytesOf(communityId)} as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** What a token has already, in hex. */
export interface PresentPeople {
  /** The addresses that have, or had, the token. */
  owners: Set<string>;
  /** The keys of entries of its allowlist. */
  entries: Set<string>;
  /** The keys of recipients about whom nothing is recorded. */
  unnamed: Set<string>;
  /** The hashes of codes of links, and the tokens of these. */
  links: Map<string, number>;
}

/** Finds those of the owners, the entries and the links of any token that are there already. */
export async function findPresentPeople(
  db: Database,
  tokenId: number,
  { keys, codeHashes }: { keys: Buffer[]; codeHashes: Buffer[] },
): Promise<PresentPeople> {
  const { rows } = await sql<{ kind: 'owner' | 'entry' | 'unnamed' | 'link'; hex: string; token_id: number }>`
    select 'owner' as kind, encode(c.address, 'hex') as hex, ${tokenId}::bigint as token_id
    from unnest(${keys}::bytea[]) as k (key)
    cross join lateral (
      select address from claims c where c.token_id = ${tokenId} and c.address = k.key limit 1
    ) c
    union all
    select 'entry', encode(a.contributor_key, 'hex'), ${tokenId}
    from unnest(${keys}::bytea[]) as k (key)
    cross join lateral (
      select contributor_key from allowlist_entries a
      where a.contributor_key = k.key and a.token_id = ${tokenId} limit 1
    ) a
    union all
    select 'unnamed', encode(r.contributor_key, 'hex'), ${tokenId}
    from unnest(${keys}::bytea[]) as k (key)
    cross join lateral (
      select contributor_key, removed_at is null and num_nonnulls(name, email, note) = 0 as is_unnamed
      from recipients r where r.token_id = ${tokenId} and r.contributor_key = k.key limit 1
    ) r
    where r.is_unnamed
    union all
    select 'link', encode(l.code_hash, 'hex'), l.token_id
    from unnest(${codeHashes}::bytea[]) as k (hash)
    cross join lateral (select code_hash, token_id from claim_links l where l.code_hash = k.hash limit 1) l`.execute(
    db,
  );
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    owners: new Set(of('owner').map(({ hex }) => hex)),
    entries: new Set(of('entry').map(({ hex }) => hex)),
    unnamed: new Set(of('unnamed').map(({ hex }) => hex)),
    links: new Map(of('link').map(({ hex, token_id }) => [hex, token_id])),
  };
}

/** Adds entries to the allowlist of a token, except those on it. The token must be locked. */
export async function insertImportedEntries(
  tx: DatabaseTransaction,
  tokenId: number,
  entries: Pick<AllowlistContributor, 'key' | 'identifier'>[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
    select ${tokenId}::bigint, e.contributor_key, e.identifier, last.position + e.position, now()
    from unnest(
      ${entries.map(({ key }) => key)}::bytea[], ${entries.map(({ identifier }) => identifier ?? null)}::text[]
    ) with ordinality as e (contributor_key, identifier, position)
    cross join (
      select coalesce(max(position), 0) as position from allowlist_entries where token_id = ${tokenId}
    ) last
    order by e.contributor_key
    on conflict (token_id, contributor_key) do nothing`.execute(tx);
}

/** Somebody who has, or had, the token at the other service. */
export interface ImportedOwner extends Pick<OwnerRow, 'address'> {
  /** Null: not known, so now or when the token was lost. */
  claimedAt: Date | null;
  lostAt: Date | null;
  /** Null: not lost, or burnt. */
  ending: 'revoked' | 'moved' | null;
  movedFrom: Address | null;
  renewedUntil: Date | null;
}

/**
 * Inserts owners of a token, who use their entries of its allowlist, and counts them. If an open token has
 * not enough claims left, it gets them. Ends that are over are not announced. The token must be locked.
 */
export async function insertImportedOwners(
  tx: DatabaseTransaction,
  { tokenId, isAllowlistRequired }: FoundToken,
  owners: ImportedOwner[],
): Promise<void> {
  if (owners.length === 0) return;
  const validUntil = validUntilOf(sql`token`);
  const { rows } = await sql<{ has_ends: boolean }>`
    with token as materialized (
      select valid_until, validity_days from tokens where token_id = ${tokenId}
    ), owner as materialized (
      select o.address, coalesce(o.claimed_at, o.burnt_at, now()) as claimed_at, o.burnt_at, o.ending,
        o.moved_from, o.renewed_until
      from unnest(
        ${owners.map(({ address }) => address)}::bytea[],
        ${owners.map(({ claimedAt }) => claimedAt)}::timestamptz[],
        ${owners.map(({ lostAt }) => lostAt)}::timestamptz[],
        ${owners.map(({ ending }) => ending)}::text[],
        ${owners.map(({ movedFrom }) => movedFrom)}::bytea[],
        ${owners.map(({ renewedUntil }) => renewedUntil)}::timestamptz[]
      ) as o (address, claimed_at, burnt_at, ending, moved_from, renewed_until)
    ), inserted as (
      insert into claims
        (token_id, address, contributor_key, claimed_at, burnt_at, ending, moved_from, renewed_until, announced_end)
      select ${tokenId}::bigint, c.address, case when ${isAllowlistRequired} then c.address end, c.claimed_at,
        c.burnt_at, c.ending, c.moved_from, c.renewed_until,
        case when ${validUntil} <= now() then ${validUntil} end
      from owner c order by c.address
      returning moved_from
    ), counted as (
      update tokens t set
        total_claim_count = t.total_claim_count + greatest(0, n.owners - t.remaining_claim_count),
        remaining_claim_count = greatest(0, t.remaining_claim_count - n.owners)
      from (select count(*) as owners from inserted where moved_from is null) n
      where t.token_id = ${tokenId} and t.remaining_claim_count is not null
    )
    select valid_until is not null or validity_days is not null
      or exists (select from owner where renewed_until is not null) as has_ends
    from token`.execute(tx);
  if (rows[0]?.has_ends) await restartExpiry(tx, tokenId);
}

/** A link of the other service. Its code is known to whoever has the link. */
export interface ImportedLink {
  codeHash: Buffer;
  createdAt: Date;
  expiresAt: Date | null;
  startsAt: Date | null;
  /** Of the code of a room. */
  pausedAt: Date | null;
  isSignatureRequired: boolean;
  /** Null: the link is for one claim. */
  room: (NewRoom & { claimCount: number }) | null;
}

/**
 * Inserts a link. It has the entry of an identifier, which is on the list, or an entry of its own. The token
 * must be locked, and the link must fit into its limits.
 */
export async function insertImportedLink(
  tx: DatabaseTransaction,
  {
    tokenId,
    link,
    entry,
    person,
  }: {
    tokenId: number;
    link: ImportedLink;
    entry: Pick<AllowlistContributor, 'key' | 'identifier'>;
    person: PersonalFields;
  },
): Promise<void> {
  const claimLinkId = randomUUID();
  await insertClaimLinks(
    tx,
    { kind: 'service', apiKeyId: null },
    {
      tokenId,
      links: [
        {
          claimLinkId,
          codeHash: link.codeHash,
          contributorKey: entry.key,
          identifier: entry.identifier ?? null,
          person,
        },
      ],
      expiresAt: link.expiresAt,
      signature: null,
      room: link.room,
      isRecordedByCaller: true,
    },
  );
  const claimCount = link.room?.claimCount ?? 0;
  await sql`
    update claim_links set created_at = ${link.createdAt}, claim_count = ${claimCount},
      starts_at = ${link.startsAt}, paused_at = ${link.pausedAt}, is_signature_required = ${link.isSignatureRequired},
      is_used = max_claims is not null and max_claims = ${claimCount}::integer
    where claim_link_id = ${claimLinkId}::uuid`.execute(tx);
}

/** Finds the managed creator of a community, otherwise its first owner; null if it has neither. */
export async function findImporter(db: Database, communityId: string): Promise<Address | null> {
  const { rows } = await sql<{ address: Address | null }>`
    select coalesce(c.managed_creator, (
      select m.address from members m where m.community_id = c.community_id and m.role = 'owner'
      order by m.sequence limit 1
    )) as address
    from communities c where c.community_id = ${communityId}`.execute(db);
  return rows[0]?.address ?? null;
}
