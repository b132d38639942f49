import { query } from '@badge/test-support/sql';

/**
 * Inserts owners of a token with new addresses, as if each had got it by an airdrop. `claimedAt` is SQL.
 * Returns the addresses in lower case.
 */
export async function insertOwners(
  databaseUrl: string,
  tokenId: number,
  count: number,
  claimedAt = 'now()',
): Promise<string[]> {
  const rows = await query<{ address: string }>(
    databaseUrl,
    `with operation as (
       insert into operations
         (operation_id, operation_type, status, community_id, request_bytes, resource_id, created_at, completed_at)
       select gen_random_uuid(), 'airdrop', 'success', 'demo', 100, $1, now(), now() from generate_series(1, $2::integer)
       returning operation_id
     )
     insert into claims (token_id, address, operation_id, claimed_at)
     select $1, substring(sha256(uuid_send(operation_id)) for 20), operation_id, ${claimedAt} from operation
     returning '0x' || encode(address, 'hex') as address`,
    [tokenId, count],
  );
  return rows.map(({ address }) => address);
}
