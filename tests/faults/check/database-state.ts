import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { countWrongTokenLists } from '@badge/test-support/token-lists';
import pg from 'pg';
import { UNJOURNALED_COMMUNITIES } from '../attacks/callers.ts';

const POLL_MS = 50;

export interface StoredOperation {
  id: string;
  /** Increases in the order of acceptance. */
  sequence: number;
  type: string;
  status: string;
  resourceId: number | null;
  errorName: string | null;
  createdAtMs: number;
  /** The requested headline of a createToken operation; null for other operations. */
  headline: string | null;
}

export interface StoredToken {
  id: number;
  operationId: string;
  headline: string;
  creator: string;
  communityId: string;
  nftTypeId: string;
  /** Null for an allowlisted token. */
  total: number | null;
  remaining: number | null;
  expirationTimestamp: number | null;
  isHidden: boolean;
}

export interface StoredClaim {
  claimedAtMs: number;
  tokenId: number;
  address: string;
  contributorKey: string | null;
  operationId: string;
  burnOperationId: string | null;
  ending: 'revoked' | 'moved' | null;
  /** The address that this one got the token from, if it was moved. */
  movedFrom: string | null;
}

export interface StoredLink {
  id: string;
  tokenId: number;
  /** The allowlist entry that a claim with the code uses. */
  contributorKey: string;
  /** Whether this entry was added together with the link. */
  hasOwnEntry: boolean;
  isRevoked: boolean;
  /** Null if it is not revoked. */
  revokedAtMs: number | null;
  /** For how many claims the code of a room is good; null for a link for one claim. */
  maxClaims: number | null;
  /** The stored number of claims with the code of a room. */
  claimCount: number;
}

/** An event of the feed. */
export interface StoredEvent {
  id: string;
  communityId: string;
  type: string;
  /** Null for `token.updated`. */
  operationId: string | null;
}

export interface StoredAuditEntry {
  action: string;
  operationId: string;
}

/**
 * The contents of the database after the faults. Bytes are in hex. The operations, tokens, claims,
 * allowlists, links and audit entries of unjournaled communities are left out.
 */
export interface DatabaseState {
  operations: Map<string, StoredOperation>;
  tokens: Map<number, StoredToken>;
  claims: StoredClaim[];
  /** By id. */
  links: Map<string, StoredLink>;
  /** `tokenId/contributorKey` of every allowlist entry. */
  allowlist: Set<string>;
  /** `communityId/nftTypeId` of every NFT type that was ever added, including deleted ones. */
  nftTypes: Set<string>;
  /** How many NFT types have no asset although they are not deleted, or although a token uses them. */
  nftTypesWithoutAsset: number;
  /** The tokens of all communities, also the unjournaled ones. In ascending order. */
  tokenIds: number[];
  lastTokenId: number;
  /** How many rows of the token lists differ from the tokens. */
  wrongListRows: number;
  /** How many counts of claims and contributors are wrong. */
  wrongCountRows: number;
  /** Entries about operations only. */
  auditEntries: StoredAuditEntry[];
  /** In the order of the feed. */
  events: StoredEvent[];
  /** How many positions of the feed are missing. */
  missingPositions: number;
}

/** Reads the database with SQL, without the service. Nothing may write meanwhile. */
export async function readDatabaseState(databaseUrl: string): Promise<DatabaseState> {
  const client = new pg.Client(databaseUrl);
  // The next query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const rows = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows;
    const journaled = `community_id not in (${UNJOURNALED_COMMUNITIES.map((id) => `'${id}'`).join(', ')})`;
    const operations = await rows<StoredOperation>(`
      select operation_id as id, sequence::integer, operation_type as type, status, resource_id::integer as "resourceId",
             error->>'name' as "errorName",
             (extract(epoch from o.created_at) * 1000)::double precision as "createdAtMs",
             coalesce(t.headline, request->>'headline') as headline
      from operations o left join tokens t using (operation_id) where o.${journaled}`);
    const tokens = await rows<StoredToken>(`
      select token_id::integer as id, operation_id as "operationId", headline, encode(creator, 'hex') as creator,
             community_id as "communityId", nft_type_id as "nftTypeId", total_claim_count::integer as total,
             remaining_claim_count::integer as remaining,
             expiration_timestamp::double precision as "expirationTimestamp", is_hidden as "isHidden"
      from tokens where ${journaled} order by token_id`);
    const ids = await rows<{ id: number }>('select token_id::integer as id from tokens order by token_id');
    const claims = await rows<StoredClaim>(`
      select (extract(epoch from claimed_at) * 1000)::double precision as "claimedAtMs",
             token_id::integer as "tokenId", encode(address, 'hex') as address,
             encode(contributor_key, 'hex') as "contributorKey", operation_id as "operationId",
             burn_operation_id as "burnOperationId", ending, encode(moved_from, 'hex') as "movedFrom"
      from claims where token_id in (select token_id from tokens where ${journaled})`);
    const links = await rows<StoredLink>(`
      select claim_link_id as id, token_id::integer as "tokenId", encode(contributor_key, 'hex') as "contributorKey",
             identifier is null and max_claims is null as "hasOwnEntry", revoked_at is not null as "isRevoked",
             (extract(epoch from revoked_at) * 1000)::double precision as "revokedAtMs",
             max_claims as "maxClaims", claim_count as "claimCount"
      from claim_links where token_id in (select token_id from tokens where ${journaled})`);
    const allowlist = await rows<{ key: string }>(
      `select token_id || '/' || encode(contributor_key, 'hex') as key
       from allowlist_entries join tokens using (token_id) where ${journaled}`,
    );
    // The asset of a deleted type is removed if no token uses it.
    const types = await rows<{ key: string; isAssetMissing: boolean }>(`
      select community_id || '/' || nft_type_id as key,
             a.asset_id is null and (deleted_at is null or exists (
               select from tokens t where t.community_id = n.community_id and t.nft_type_id = n.nft_type_id
             )) as "isAssetMissing"
      from nft_types n left join assets a using (asset_id)`);
    const auditEntries = await rows<StoredAuditEntry>(`
      select action, resource_id as "operationId" from audit_log where resource_type = 'operation' and ${journaled}`);
    const events = await rows<StoredEvent>(`
      select event_id as id, community_id as "communityId", type, data->>'operationId' as "operationId"
      from events where ${journaled} order by position`);
    const [positions] = await rows<{ missing: number }>(`
      select (select last_position from event_counter)::integer - count(*)::integer as missing from events`);
    const [counter] = await rows<{ last: number }>(
      'select last_token_id::integer as last from token_counter',
    );
    return {
      operations: new Map(operations.map((row) => [row.id, row])),
      tokens: new Map(tokens.map((row) => [row.id, row])),
      claims,
      links: new Map(links.map((row) => [row.id, row])),
      allowlist: new Set(allowlist.map(({ key }) => key)),
      nftTypes: new Set(types.map(({ key }) => key)),
      nftTypesWithoutAsset: types.filter(({ isAssetMissing }) => isAssetMissing).length,
      tokenIds: ids.map(({ id }) => id),
      lastTokenId: counter?.last ?? 0,
      wrongListRows: await countWrongTokenLists(databaseUrl),
      wrongCountRows: await countWrongTokenCounts(databaseUrl),
      auditEntries,
      events,
      missingPositions: positions?.missing ?? 0,
    };
  } finally {
    await client.end();
  }
}

/**
 * Waits until every operation is final and its event is in the feed. Returns how many are not after
 * `timeoutMs`.
 */
export async function waitUntilFinal(databaseUrl: string, timeoutMs: number): Promise<number> {
  const deadlineMs = performance.now() + timeoutMs;
  const client = new pg.Client(databaseUrl);
  // The next query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ unfinished: number }>(
        `select (select count(*) from operations where status not in ('success', 'error'))::integer
           + (select count(*) from event_outbox)::integer as unfinished`,
      );
      const unfinished = rows[0]?.unfinished ?? 0;
      if (unfinished === 0 || performance.now() > deadlineMs) return unfinished;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    await client.end();
  }
}
