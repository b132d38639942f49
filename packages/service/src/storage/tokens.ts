import {
  type AliasedRawBuilder,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { ContractEvidence } from '../signatures/contract-evidence.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { insertEvents } from './events.ts';
import { restartExpiry } from './expiry.ts';
import { prepared } from './prepared-statements.ts';
import { writeListedRecipients } from './recipients.ts';
import { mayStillWrite } from './rights.ts';
import type { Tables } from './schema.ts';

export type TokenRow = Omit<
  Selectable<Tables['tokens']>,
  'operation_id' | 'signature' | 'typed_data_version' | 'evidence' | 'replaced_at'
> & {
  /** How often an allowlisted token was claimed. Null for an open token, whose row has other counts. */
  claimed_count: number | null;
  /** How many contributors an allowlisted token has. Null for an open token. */
  contributor_count: number | null;
  /** How many people have the token, had it or can claim it. */
  recipient_count: number;
};

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
  /** 65 bytes; of a contract wallet, any bytes. */
  signature: Buffer;
  /** What the creator's contract has confirmed; null if its key has signed. */
  evidence: ContractEvidence | null;
  /** The version of the signed types. */
  typedDataVersion: string;
  contributors: AllowlistContributor[];
  /** What somebody has done for the badge; null if the community does not say. */
  criteria: string | null;
  /** Before it, nobody can claim; null if everybody can at once. */
  claimableFromTimestamp: number | null;
  validUntilTimestamp: number | null;
  validityDays: number | null;
}

/**
 * A contributor in its normal form. The key is an address, or the SHA-256 of an identifier that is stored as
 * well.
 */
export interface AllowlistContributor extends Partial<EncryptedPerson> {
  key: Buffer;
  identifier?: string;
  /** The ENS name, in its normal form, from which an address was resolved. */
  ensName?: string;
}

/** What a request says about a contributor: each is encrypted for its key. Absent: nothing. */
export interface EncryptedPerson {
  name: Buffer;
  email: Buffer;
  /** The keyed hash of the e-mail. */
  emailHash: Buffer;
  note: Buffer;
}

/**
 * Inserts the tokens of operations with the next ids, in the order of acceptance. The lock on the counter's
 * row serializes these transactions, so that ids have no gaps and become visible in order.
 */
export async function insertTokens(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<{ operationId: string; tokenId: number; isAllowlistRequired: boolean }[]> {
  const { rows } = await prepared<{ operation_id: string; token_id: number; is_allowlist_required: boolean }>`
    with counter as (
      update token_counter set last_token_id = last_token_id + ${operationIds.length}::bigint
      returning last_token_id - ${operationIds.length}::bigint as base
    ), numbered as (
      select o.*, row_number() over (order by o.sequence) as n
      from unnest((select ${operationIds}::uuid[])) as taken (operation_id)
      cross join lateral (select * from operations p where p.operation_id = taken.operation_id limit 1) o
    ), inserted as (
      insert into tokens (
        token_id, operation_id, community_id, creator, headline, description, start_timestamp, end_timestamp,
        links, nft_type_id, is_signature_required, is_allowlist_required, total_claim_count,
        remaining_claim_count, expiration_timestamp, custom_attributes, signature, created_at,
        asset_content_type, typed_data_version, criteria, claimable_from_timestamp, evidence,
        valid_until, validity_days
      )
      select c.base + n.n, n.operation_id, n.community_id, decode(r.creator, 'hex'), r.headline, r.description,
             r."startTimestamp", r."endTimestamp", r.links, r."nftTypeId", r."isSignatureRequired",
             r."isAllowlistRequired", r."totalClaimCount", r."totalClaimCount", r."expirationTimestamp",
             r."customAttributes", decode(r.signature, 'hex'), n.created_at,
             r."assetContentType", r."typedDataVersion", r.criteria, r."claimableFromTimestamp", r.evidence,
             to_timestamp(r."validUntilTimestamp" / 1000.0), r."validityDays"
      from counter c cross join numbered n
      cross join lateral jsonb_to_record(n.request) as r (
        creator text, headline text, description text, "startTimestamp" bigint, "endTimestamp" bigint,
        links jsonb, "nftTypeId" text, "isSignatureRequired" boolean, "isAllowlistRequired" boolean,
        "totalClaimCount" bigint, "expirationTimestamp" bigint, "customAttributes" jsonb, signature text,
        "assetContentType" text, "typedDataVersion" text, criteria text, "claimableFromTimestamp" bigint, evidence jsonb,
        "validUntilTimestamp" bigint, "validityDays" integer
      )
      returning *
    ), turn as (
      insert into expiry_turns (token_id, next_at)
      select token_id, coalesce(valid_until, created_at + validity_days * interval '24 hours')
      from inserted where valid_until is not null or validity_days is not null
    )
    select operation_id, token_id, is_allowlist_required from inserted`.execute(tx);
  return rows.map((row) => ({
    operationId: row.operation_id,
    tokenId: row.token_id,
    isAllowlistRequired: row.is_allowlist_required,
  }));
}

/**
 * Inserts the allowlists of tokens that were just inserted, in the order of the index, because that is
 * faster.
 */
export async function insertAllowlists(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  await sql`
    insert into allowlist_entries (token_id, contributor_key, identifier, ens_name, position, added_at)
    select t.token_id, decode(c.value->>'key', 'hex') as key, c.value->>'identifier', c.value->>'ensName', c.position,
           o.created_at
    from operations o
    join tokens t using (operation_id)
    cross join lateral jsonb_array_elements(o.request->'contributors') with ordinality as c (value, position)
    where o.operation_id = any(${operationIds}::uuid[])
    order by key`.execute(tx);
  await writeListedRecipients(tx, { operationIds, tokenId: null });
}

/** The columns of a token that most actions need. */
export type TokenSummaryRow = Pick<TokenRow, (typeof SUMMARY_COLUMNS)[number]> & {
  /** The tokens that this one has replaced. */
  former_token_ids: number[];
  /** Whether owners of the token can have an end. */
  has_ends: boolean;
};

const SUMMARY_COLUMNS = [
  'token_id',
  'community_id',
  'creator',
  'headline',
  'nft_type_id',
  'is_signature_required',
  'is_allowlist_required',
  'expiration_timestamp',
  'claimable_from_timestamp',
  'asset_content_type',
  'replaced_by_token_id',
  'imported_id',
] as const;

// The columns whose size has a low limit.
const SMALL_COLUMNS = [
  'token_id',
  'community_id',
  'creator',
  'headline',
  'description',
  'start_timestamp',
  'end_timestamp',
  'nft_type_id',
  'is_signature_required',
  'is_allowlist_required',
  'total_claim_count',
  'remaining_claim_count',
  'expiration_timestamp',
  'created_at',
  'asset_content_type',
  'claimed_count',
  'contributor_count',
  'recipient_count',
  'criteria',
  'claimable_from_timestamp',
  'valid_until',
  'validity_days',
  'is_hidden',
  'replaced_by_token_id',
  'imported_service',
  'imported_id',
  'imported_url',
  'imported_at',
] as const;

// These are in the table `token_counts`.
const COUNT_COLUMNS: readonly string[] = ['claimed_count', 'contributor_count', 'recipient_count'];

// A token can have 64 KiB of these columns, but most have far less.
const LARGE_COLUMNS = ['links', 'custom_attributes'] as const;

/** All columns that a response can contain. */
export const TOKEN_COLUMNS = [...SMALL_COLUMNS, ...LARGE_COLUMNS] as const;

export type TokenColumn = (typeof TOKEN_COLUMNS)[number];

/**
 * Some columns of a token. `links` and `custom_attributes` are null if they are too large to be read with
 * other tokens.
 */
export type LimitedTokenRow<Column extends TokenColumn> = {
  [Name in Column]: TokenRow[Name] | (Name extends (typeof LARGE_COLUMNS)[number] ? null : never);
};

/** The maximum size, as JSON, of a token that `selectLimited` selects. */
export const LIMITED_TOKEN_BYTES = 32 * 1024;

// Space for the other columns of a token, and for the names of all columns, as JSON.
const OTHER_COLUMNS_BYTES = 1024;

const largeOf = (columns: readonly TokenColumn[]) => LARGE_COLUMNS.filter((name) => columns.includes(name));
const TEXT_COLUMNS = ['headline', 'description', 'criteria', 'imported_id', 'imported_url'] as const;
const textsOf = (columns: readonly TokenColumn[]) => TEXT_COLUMNS.filter((name) => columns.includes(name));
const sumOf = (terms: RawBuilder<unknown>[]) => sql<number>`(${sql.join([sql`0`, ...terms], sql` + `)})`;

// Neither `pg_column_size` nor `pg_column_compression` reads what is stored outside the row.
const sizeOf = (column: string) => sql`pg_column_size(${sql.ref(column)})`;

// SQL: whether the large ones of the columns have at most 2,048 bytes together. A compressed value counts as
// larger, because it can have any size after decompression.
function isSmall(columns: readonly TokenColumn[]): RawBuilder<boolean> {
  const large = largeOf(columns);
  const uncompressed = large.map((column) => sql`and pg_column_compression(${sql.ref(column)}) is null`);
  return sql<boolean>`(${sumOf(large.map(sizeOf))} <= 2048 ${sql.join(uncompressed, sql` `)})`;
}

/** A token's id, and the maximum size, as JSON, of its columns that `selectLimited` selects. */
export interface TokenSize {
  token_id: number;
  max_bytes: number;
}

/**
 * Selects the sizes of tokens without reading what is stored outside their rows. Only the given columns
 * count. In JSON, a byte can become six. For a token whose `links` and `custom_attributes` are too large, the
 * size is at least `LIMITED_TOKEN_BYTES`.
 */
export function selectSize<Output>(
  tokens: SelectQueryBuilder<Tables, 'tokens', Output>,
  columns: readonly TokenColumn[],
): SelectQueryBuilder<Tables, 'tokens', Output & TokenSize> {
  const textBytes = sumOf(
    textsOf(columns).map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
  );
  const largeBytes = sumOf(largeOf(columns).map(sizeOf));
  return tokens
    .select('token_id')
    .select(
      sql<number>`${OTHER_COLUMNS_BYTES} + 6 * ${textBytes} + case when ${isSmall(columns)} then 6 * ${largeBytes} else ${LIMITED_TOKEN_BYTES} end`.as(
        'max_bytes',
      ),
    ) as SelectQueryBuilder<Tables, 'tokens', Output & TokenSize>;
}

/**
 * Selects columns of tokens. `links` and `custom_attributes` are null if the selected ones are too large, so
 * a token has at most `LIMITED_TOKEN_BYTES`. PostgreSQL does not read a large value that is not selected.
 */
export function selectLimited<Output, Column extends TokenColumn>(
  tokens: SelectQueryBuilder<Tables, 'tokens', Output>,
  columns: readonly Column[],
): SelectQueryBuilder<Tables, 'tokens', Output & LimitedTokenRow<Column>> {
  return tokens.select(limitedColumns(columns)) as SelectQueryBuilder<
    Tables,
    'tokens',
    Output & LimitedTokenRow<Column>
  >;
}

function limitedColumns(columns: readonly TokenColumn[]): AliasedRawBuilder<unknown, TokenColumn>[] {
  const large: readonly TokenColumn[] = largeOf(columns);
  return columns.map((column) => {
    const value = columnValue(column);
    return (large.includes(column) ? sql`case when ${isSmall(columns)} then ${value} end` : value).as(column);
  });
}

// SQL: a column of a row of `tokens`, or one of its counts.
function columnValue(column: TokenColumn): RawBuilder<unknown> {
  if (!COUNT_COLUMNS.includes(column)) return sql.ref(column);
  const count = sql`coalesce(
    (select ${sql.ref(column)} from token_counts c where c.token_id = tokens.token_id), 0
  )`;
  return column === 'recipient_count' ? count : sql`case when is_allowlist_required then ${count} end`;
}

const SUMMARY = sql.join(SUMMARY_COLUMNS.map((name) => sql.ref(`t.${name}`)));

// SQL: the tokens that the token `t` has replaced. All tokens that one has replaced name the last one, so the
// times say which was replaced by which.
const FORMER_TOKEN_IDS = sql`(
  select coalesce(json_agg(p.token_id), '[]') from (
    select token_id from tokens p
    where p.replaced_by_token_id = coalesce(t.replaced_by_token_id, t.token_id) and p.token_id <> t.token_id
      and (t.replaced_at is null or p.replaced_at <= t.replaced_at)
    limit 1000
  ) p
)`;

/**
 * Finds the columns of tokens that most actions need, in the order of `tokenIds`. Undefined if there is no
 * such token.
 */
export async function findTokenSummaries(
  db: Database,
  tokenIds: number[],
): Promise<(TokenSummaryRow | undefined)[]> {
  const { rows } = await prepared<TokenSummaryRow>`
    select ${SUMMARY}, ${FORMER_TOKEN_IDS} as former_token_ids,
      (select true from expiry_turns e where e.token_id = t.token_id limit 1) is not null as has_ends
    from unnest((select ${tokenIds}::bigint[])) as wanted (token_id)
    cross join lateral (select * from tokens t where t.token_id = wanted.token_id limit 1) t`.execute(db);
  const byId = new Map(rows.map((row) => [row.token_id, row]));
  return tokenIds.map((id) => byId.get(id));
}

/** Finds columns of tokens as `selectLimited` selects them, in the order of `tokenIds`. */
export async function findLimitedTokens<Column extends TokenColumn>(
  db: Database,
  tokenIds: number[],
  columns: readonly Column[],
): Promise<LimitedTokenRow<Column>[]> {
  const { rows } = await sql<LimitedTokenRow<Column> & { token_id: number }>`
    select ${sql.join(limitedColumns(columns))} from tokens where ${isOneOf(tokenIds)}`.execute(db);
  return inOrder(tokenIds, rows);
}

const LIMITED_TOKEN = sql.join(limitedColumns(TOKEN_COLUMNS));

/**
 * Finds a token as `selectLimited` selects it. Returns it as a list, which is empty if there is no such
 * token.
 */
export async function findLimitedToken(
  db: Database,
  tokenId: number,
): Promise<LimitedTokenRow<TokenColumn>[]> {
  const { rows } = await prepared<LimitedTokenRow<TokenColumn>>`
    select ${LIMITED_TOKEN} from tokens where token_id = ${tokenId}`.execute(db);
  return rows;
}

/**
 * Returns the approximate size as JSON, in bytes, of the given columns of each token, in the order of
 * `tokenIds`.
 */
export async function measureTokens(
  db: Database,
  tokenIds: number[],
  columns: readonly TokenColumn[],
): Promise<{ token_id: number; bytes: number }[]> {
  const bytes = sumOf([
    ...textsOf(columns).map((column) => sql`coalesce(octet_length(to_json(${sql.ref(column)})::text), 0)`),
    ...largeOf(columns).map((column) => sql`octet_length(${sql.ref(column)}::text)`),
    sql`${OTHER_COLUMNS_BYTES}`,
  ]);
  const rows = await db
    .selectFrom('tokens')
    .select(['token_id', bytes.as('bytes')])
    .where(isOneOf(tokenIds))
    .execute();
  return inOrder(tokenIds, rows);
}

/** Finds columns of tokens, however large they are, in the order of `tokenIds`. */
export async function findTokens<Column extends TokenColumn>(
  db: Database,
  tokenIds: number[],
  columns: readonly Column[],
): Promise<Pick<TokenRow, Column>[]> {
  const { rows } = await sql<Pick<TokenRow, Column> & { token_id: number }>`
    select ${sql.join(columns.map((column) => columnValue(column).as(column)))}
    from tokens where ${isOneOf(tokenIds)}`.execute(db);
  return inOrder(tokenIds, rows);
}

function isOneOf(tokenIds: number[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`token_id = any(${tokenIds}::bigint[])`;
}

function inOrder<Row extends { token_id: number }>(tokenIds: number[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.token_id, row]));
  return tokenIds.flatMap((id) => byId.get(id) ?? []);
}

const CHANGEABLE_COLUMNS = [
  'is_hidden',
  'criteria',
  'claimable_from_timestamp',
  'valid_until',
  'validity_days',
] as const;

const changeableOf = (table: string) =>
  sql.join(CHANGEABLE_COLUMNS.map((column) => sql.ref(`${table}.${column}`)));

/**
 * Changes the given columns of a token, of which there is at least one. Returns false if there is no such
 * token, or if the actor has lost its right. The caller must have locked the token.
 */
export async function updateToken(
  tx: DatabaseTransaction,
  actor: Actor,
  tokenId: number,
  changes: Partial<Pick<TokenRow, (typeof CHANGEABLE_COLUMNS)[number]>>,
): Promise<boolean> {
  const updated = await tx
    .with('written', (query) =>
      query
        .updateTable('tokens')
        .set(changes)
        .where('token_id', '=', tokenId)
        .where(mayStillWrite(actor, sql.ref('community_id')))
        .returning(['token_id', 'community_id', ...CHANGEABLE_COLUMNS]),
    )
    .with('recorded', () => insertAuditEntries(actor, 'updateToken'))
    // The snapshot of the statement has the former values.
    .with('changed', (query) =>
      query
        .selectFrom('written')
        .innerJoin('tokens as former', 'former.token_id', 'written.token_id')
        .where(sql<SqlBool>`(${changeableOf('written')}) is distinct from (${changeableOf('former')})`)
        .select(['written.token_id', 'written.community_id', 'written.is_hidden']),
    )
    .with('announced', () =>
      insertEvents(
        'token.updated',
        sql`jsonb_build_object('tokenId', token_id, 'isHidden', is_hidden)`,
        'changed',
      ),
    )
    .selectFrom('written')
    .select('token_id')
    .executeTakeFirst();
  if (updated !== undefined && ('valid_until' in changes || 'validity_days' in changes)) {
    await restartExpiry(tx, tokenId);
  }
  return updated !== undefined;
}
