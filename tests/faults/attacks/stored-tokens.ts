import { TYPED_DATA_VERSION } from '@badge/protocol';
import pg from 'pg';
import { ATTACKER } from './callers.ts';

// Batches are small, because each locks the counter of token ids, which the service needs to create tokens.
const BATCH_TOKENS = 1_000;

export interface StoredTokens {
  /** The headlines are this name and a number. */
  name: string;
  count: number;
  /** An SQL expression that can use `token_id`. */
  customAttributes?: string;
  /** An SQL expression that can use `token_id`. */
  isHidden?: string;
}

/**
 * Inserts tokens of the attacker with SQL, as if the service had created them. Their headlines differ.
 * Between two batches, the service may create tokens of others.
 */
export async function insertTokens(
  databaseUrl: string,
  { count, ...tokens }: StoredTokens,
): Promise<{ firstTokenId: number }> {
  const firstIds: number[] = [];
  for (let left = count; left > 0; left -= BATCH_TOKENS) {
    firstIds.push(await insertBatch(databaseUrl, { ...tokens, count: Math.min(left, BATCH_TOKENS) }));
  }
  return { firstTokenId: firstIds[0] ?? 0 };
}

async function insertBatch(
  databaseUrl: string,
  { name, count, customAttributes = `'[]'`, isHidden = 'false' }: StoredTokens,
): Promise<number> {
  const [first] = await query<{ firstTokenId: number }>(
    databaseUrl,
    `with counter as (
       update token_counter set last_token_id = last_token_id + $2
       returning last_token_id - $2 as base
     ), settled as (
       insert into operations (
         operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at
       )
       select gen_random_uuid(), 'createToken', 'success', $1, 0, base + n, now()
       from counter, generate_series(1, $2::bigint) as n
       returning operation_id, resource_id
     ), inserted as (
       insert into tokens (
         token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
         is_signature_required, is_allowlist_required, total_claim_count, remaining_claim_count, custom_attributes,
         signature, created_at, is_hidden
       )
       select token_id, operation_id, $1, decode(repeat('11', 20), 'hex'), $3 || ' ' || token_id, '', '[]',
              'defaultOrangeRed', false, false, 10, 10, ${customAttributes}, '', now(), ${isHidden}
       from (select operation_id, resource_id as token_id from settled) as created
     )
     select (base + 1)::integer as "firstTokenId" from counter`,
    [ATTACKER.communityId, count, name],
  );
  return first?.firstTokenId ?? 0;
}

/** Inserts the tokens if there are none of this name. Returns true if it inserted them. */
export async function ensureTokens(databaseUrl: string, tokens: StoredTokens): Promise<boolean> {
  const found = await query(
    databaseUrl,
    `select from tokens where community_id = $1 and headline like $2 || ' %' limit 1`,
    [ATTACKER.communityId, tokens.name],
  );
  if (found.length > 0) return false;
  await insertTokens(databaseUrl, tokens);
  return true;
}

/**
 * Inserts pending operations that create allowlisted tokens of the attacker, as if the service had accepted
 * them.
 */
export async function insertPendingCreations(
  databaseUrl: string,
  { name, count, contributors }: { name: string; count: number; contributors: number },
): Promise<void> {
  await query(
    databaseUrl,
    `with template as materialized (
       select jsonb_build_object(
         'creator', repeat('11', 20), 'headline', $3::text, 'description', '', 'links', jsonb_build_array(),
         'nftTypeId', 'defaultOrangeRed', 'isSignatureRequired', false, 'isAllowlistRequired', true,
         'customAttributes', jsonb_build_array(), 'signature', '', 'typedDataVersion', $5::text,
         'contributors', (
           select jsonb_agg(jsonb_build_object('key', lpad(to_hex(n), 40, '0'))) from generate_series(1, $4::integer) as n
         )
       ) as request
     )
     insert into operations (operation_id, operation_type, community_id, request, request_bytes)
     select gen_random_uuid(), 'createToken', $1, request, octet_length(request::text)
     from template, generate_series(1, $2::integer)`,
    [ATTACKER.communityId, count, name, contributors, TYPED_DATA_VERSION],
  );
}

/**
 * Deletes the attacker's pending operations. Waits for those that a worker is settling, and keeps them if
 * they become final.
 */
export async function deletePendingOperations(databaseUrl: string): Promise<void> {
  await query(databaseUrl, `delete from operations where community_id = $1 and status = 'pending'`, [
    ATTACKER.communityId,
  ]);
}

/** Changes all tokens of this name. `change` is SQL. */
export async function updateTokens(databaseUrl: string, name: string, change: string): Promise<void> {
  await query(
    databaseUrl,
    `update tokens set ${change} where community_id = $1 and headline like $2 || ' %'`,
    [ATTACKER.communityId, name],
  );
}

/** Runs a statement on a new connection. */
export async function query<Row extends object>(
  databaseUrl: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(databaseUrl);
  // The next query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
