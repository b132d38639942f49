import { type Selectable, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { type Actor, recordWritten } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { Tables } from './schema.ts';

export type TokenRow = Omit<
  Selectable<Tables['tokens']>,
  'operation_id' | 'signature' | 'typed_data_version' | 'is_hidden'
>;

/** The request of a createToken operation. The SQL below reads it as JSON, with bytes in hex. */
export interface CreateTokenRequest {
  creator: Address;
  headline: string;
  description: string;
  startTimestamp: number | null;
  endTimestamp: number | null;
  links: string[];
  nftTypeId: string;
  /** The content type of the NFT type's asset; null for a built-in design. */
  assetContentType: string | null;
  isSignatureRequired: boolean;
  isAllowlistRequired: boolean;
  totalClaimCount: number | null;
  expirationTimestamp: number | null;
  customAttributes: { fieldName: string; type: string; value: string | number | boolean }[];
  /** 65 bytes. */
  signature: Buffer;
  /** The version of the signed types. Requests of earlier releases have none; they were signed with `badge/1`. */
  typedDataVersion: string;
  contributors: AllowlistContributor[];
}

/** A contributor in its normal form. The key is an address, or the SHA-256 of an identifier that is stored as well. */
export interface AllowlistContributor {
  key: Buffer;
  identifier?: string;
}

/**
 * Inserts the tokens of operations with the next ids, in the order of acceptance. The lock on the counter's row
 * serializes these transactions, so that ids have no gaps and become visible in order.
 */
export async function insertTokens(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<{ operationId: string; tokenId: number }[]> {
  const { rows } = await sql<{ operation_id: string; token_id: number }>`
    with counter as (
      update token_counter set last_token_id = last_token_id + ${operationIds.length}
      returning last_token_id - ${operationIds.length} as base
    ), numbered as (
      select o.*, row_number() over (order by o.sequence) as n
      from operations o where o.operation_id = any(${operationIds}::uuid[])
    )
    insert into tokens (
      token_id, operation_id, community_id, creator, headline, description, start_timestamp, end_timestamp,
      links, nft_type_id, is_signature_required, is_allowlist_required, total_claim_count,
      remaining_claim_count, expiration_timestamp, custom_attributes, signature, created_at,
      asset_content_type, typed_data_version
    )
    select c.base + n.n, n.operation_id, n.community_id, decode(r.creator, 'hex'), r.headline, r.description,
           r."startTimestamp", r."endTimestamp", r.links, r."nftTypeId", r."isSignatureRequired",
           r."isAllowlistRequired", r."totalClaimCount", r."totalClaimCount", r."expirationTimestamp",
           r."customAttributes", decode(r.signature, 'hex'), n.created_at,
           r."assetContentType", coalesce(r."typedDataVersion", 'badge/1')
    from counter c cross join numbered n
    cross join lateral jsonb_to_record(n.request) as r (
      creator text, headline text, description text, "startTimestamp" bigint, "endTimestamp" bigint,
      links jsonb, "nftTypeId" text, "isSignatureRequired" boolean, "isAllowlistRequired" boolean,
      "totalClaimCount" bigint, "expirationTimestamp" bigint, "customAttributes" jsonb, signature text,
      "assetContentType" text, "typedDataVersion" text
    )
    returning operation_id, token_id`.execute(tx);
  return rows.map((row) => ({ operationId: row.operation_id, tokenId: row.token_id }));
}

/** Inserts the allowlists of tokens that were just inserted. */
export async function insertAllowlists(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  await sql`
    insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
    select t.token_id, decode(c.value->>'key', 'hex'), c.value->>'identifier', c.position, o.created_at
    from operations o
    join tokens t using (operation_id)
    cross join lateral jsonb_array_elements(o.request->'contributors') with ordinality as c (value, position)
    where o.operation_id = any(${operationIds}::uuid[])`.execute(tx);
}

export const COLUMNS = [
  'token_id',
  'community_id',
  'creator',
  'headline',
  'description',
  'start_timestamp',
  'end_timestamp',
  'links',
  'nft_type_id',
  'is_signature_required',
  'is_allowlist_required',
  'total_claim_count',
  'remaining_claim_count',
  'expiration_timestamp',
  'custom_attributes',
  'created_at',
  'asset_content_type',
] as const;

export async function findToken(db: Database, tokenId: number): Promise<TokenRow | undefined> {
  return await db.selectFrom('tokens').select(COLUMNS).where('token_id', '=', tokenId).executeTakeFirst();
}

/** Hides a token from listings, or shows it again. */
export async function setTokenHidden(
  db: Database,
  actor: Actor,
  { tokenId, isHidden }: { tokenId: number; isHidden: boolean },
): Promise<TokenRow | undefined> {
  return await db
    .with('written', (query) =>
      query
        .updateTable('tokens')
        .set({ is_hidden: isHidden })
        .where('token_id', '=', tokenId)
        .returning(COLUMNS),
    )
    .with('recorded', () => recordWritten(actor, 'updateToken'))
    .selectFrom('written')
    .selectAll()
    .executeTakeFirst();
}
