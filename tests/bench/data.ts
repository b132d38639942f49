import { query } from '@badge/test-support/sql';

/** The size of the stored data. */
export interface DataSize {
  tokens: number;
  claims: number;
  hidden: number;
}

/** Every wallet holds each of the first ten tokens. */
export const TOKENS_OF_ALL_WALLETS = 10;
/** Each wallet holds this many tokens. */
const CLAIMS_PER_WALLET = 100;
/** How often each token can be claimed. */
const TOTAL_CLAIM_COUNT = 1_000_000_000;
const BATCH_ROWS = 20_000;

/** The number of wallets that hold tokens. */
export function countWallets({ claims }: DataSize): number {
  return claims / CLAIMS_PER_WALLET;
}

/** The address of a wallet that holds tokens; wallets are numbered from 0. */
export function walletAddress(wallet: number): string {
  return `0x${wallet.toString(16).padStart(40, '0')}`;
}

/**
 * Inserts tokens and claims of a community into a new database with SQL. Each wallet holds all of the first
 * ten tokens, and 90 of the others.
 */
export async function insertData(databaseUrl: string, communityId: string, size: DataSize): Promise<void> {
  const wallets = countWallets(size);
  for (let first = 1; first <= size.tokens; first += BATCH_ROWS) {
    await insertTokens(databaseUrl, communityId, {
      first,
      last: Math.min(first + BATCH_ROWS - 1, size.tokens),
      size,
      wallets,
    });
  }
  await query(databaseUrl, 'update token_counter set last_token_id = $1', [size.tokens]);
  for (let first = 0; first < size.claims; first += BATCH_ROWS) {
    await insertClaims(databaseUrl, communityId, {
      first,
      last: Math.min(first + BATCH_ROWS, size.claims) - 1,
      size,
      wallets,
    });
  }
}

/**
 * What one statement inserts: the tokens with the ids, or the claims with the numbers, from `first` to
 * `last`. The other fields describe all data.
 */
interface Part {
  first: number;
  last: number;
  size: DataSize;
  wallets: number;
}

async function insertTokens(
  databaseUrl: string,
  communityId: string,
  { first, last, size, wallets }: Part,
): Promise<void> {
  // The remaining counts match the claims that `insertClaims` inserts.
  const otherTokens = size.tokens - TOKENS_OF_ALL_WALLETS;
  const otherClaims = wallets * (CLAIMS_PER_WALLET - TOKENS_OF_ALL_WALLETS);
  await query(
    databaseUrl,
    `with operation as (
       insert into operations (
         operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at
       )
       select gen_random_uuid(), 'createToken', 'success', $1, 700, token_id, now()
       from generate_series(${first}, ${last}) as token_id
       returning operation_id, resource_id as token_id
     )
     insert into tokens (
       token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
       is_signature_required, is_allowlist_required, total_claim_count, remaining_claim_count,
       custom_attributes, signature, created_at, is_hidden
     )
     select token_id, operation_id, $1, substring(sha256(token_id::text::bytea) for 20),
            'Speaker ' || token_id % 1000,
            'For a talk at the annual meeting of the community, in the main hall.',
            '["https://example.org/meeting/2026"]', 'defaultOrangeRed', false, false,
            ${TOTAL_CLAIM_COUNT},
            ${TOTAL_CLAIM_COUNT} - case
              when token_id <= ${TOKENS_OF_ALL_WALLETS} then ${wallets}
              else ${Math.floor(otherClaims / otherTokens)}
                + (token_id - ${TOKENS_OF_ALL_WALLETS + 1} < ${otherClaims % otherTokens})::integer
            end,
            '[{"fieldName": "track", "type": "string", "value": "web"}]',
            sha256(token_id::text::bytea) || sha256(operation_id::text::bytea) || '\\x1b', now(),
            token_id % ${Math.round(size.tokens / size.hidden)} = 0
     from operation order by token_id`,
    [communityId],
  );
}

/**
 * Inserts the claims with these numbers. The first claims are of the first ten tokens: every wallet claims
 * each of them. Then each wallet has 90 claims, of the other tokens, one after another.
 */
async function insertClaims(
  databaseUrl: string,
  communityId: string,
  { first, last, size, wallets }: Part,
): Promise<void> {
  const claimsOfFirstTokens = wallets * TOKENS_OF_ALL_WALLETS;
  const othersPerWallet = CLAIMS_PER_WALLET - TOKENS_OF_ALL_WALLETS;
  await query(
    databaseUrl,
    `with claim as materialized (
       select gen_random_uuid() as operation_id,
              case when i < ${claimsOfFirstTokens} then 1 + i / ${wallets}
                   else ${TOKENS_OF_ALL_WALLETS + 1} + (i - ${claimsOfFirstTokens}) % ${size.tokens - TOKENS_OF_ALL_WALLETS}
              end as token_id,
              case when i < ${claimsOfFirstTokens} then i % ${wallets}
                   else (i - ${claimsOfFirstTokens}) / ${othersPerWallet}
              end as wallet
       from generate_series(${first}, ${last}) as i
     ), operation as (
       insert into operations (
         operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at
       )
       select operation_id, 'claim', 'success', $1, 200, token_id, now() from claim
     )
     insert into claims (token_id, address, operation_id, claimed_at)
     select token_id, decode(lpad(to_hex(wallet), 40, '0'), 'hex'), operation_id, now() from claim`,
    [communityId],
  );
}
