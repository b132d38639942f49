import { query } from '@badge/test-support/sql';

/** A large token has at least this size as JSON. Only earlier releases accepted such tokens. */
export const LARGE_TOKEN_BYTES = 1_230_000;

/**
 * Inserts tokens of the community `demo` by SQL. A large token has 50 links and 50 custom attributes, each of
 * 2,048 control characters, which have six bytes each in JSON.
 */
export async function insertDemoTokens(
  databaseUrl: string,
  count: number,
  size: 'small' | 'large',
): Promise<void> {
  // The number of links, and of custom attributes.
  const texts = size === 'small' ? 1 : 50;
  const characters = size === 'small' ? 1 : 2_048;
  await query(
    databaseUrl,
    `with operation as (
       insert into operations (operation_id, operation_type, community_id, request_bytes)
       select gen_random_uuid(), 'createToken', 'demo', 0 from generate_series(1, ${count})
       returning operation_id
     ), counter as (
       update token_counter set last_token_id = last_token_id + ${count}
       returning last_token_id - ${count} as base
     ), content as (
       select jsonb_agg(text) as links,
              jsonb_agg(jsonb_build_object('fieldName', 'a' || i, 'type', 'string', 'value', text)) as attributes
       from generate_series(1, ${texts}) i, repeat(chr(1), ${characters}) text
     )
     insert into tokens (
       token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
       is_signature_required, is_allowlist_required, custom_attributes, signature, created_at
     )
     select base + row_number() over (), operation_id, 'demo', decode(repeat('00', 20), 'hex'), 'Badge', '',
            links, 'defaultOrangeRed', false, true, attributes, '', now()
     from operation, counter, content`,
  );
}
