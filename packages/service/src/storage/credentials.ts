import { randomInt } from 'node:crypto';
import type { OwnerState } from '@badge/protocol';
import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { createBatcher } from './batcher.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';
import { OWNER_STATUS } from './ownership.ts';
import { prepared } from './prepared-statements.ts';
import { VALID_UNTIL, validUntilOf } from './validity.ts';

const ENTRIES_OF_LIST = 131_072;
/** Half of a list stays free, so that a random index is free after a few tries. */
const MAX_CREDENTIALS_OF_LIST = ENTRIES_OF_LIST / 2;
const TRIES = 8;

/** A token of an address. */
export interface OwnedToken {
  tokenId: number;
  address: Address;
}

/** What the credential of an owner depends on, besides what never changes. */
export interface CredentialState {
  community_id: string;
  community_name: string;
  logo_url: string | null;
  criteria: string | null;
  /** Null: the address has never had the token. */
  owner_status: OwnerState['status'] | null;
  claimed_at: Date | null;
  /** The one that says the present end. Null: none has been made, or it is revoked. */
  credential: {
    credential_id: string;
    created_at: Date;
    status_index: number;
    list_url: string;
    generation: number;
    public_key: Buffer;
    /** Null: the badge does not end. */
    valid_until: Date | null;
  } | null;
}

interface CredentialStateRow extends Omit<CredentialState, 'credential'> {
  position: number;
  credential_id: string | null;
  created_at: Date;
  status_index: number;
  list_url: string;
  generation: number;
  public_key: Buffer;
  valid_until: Date | null;
}

/** Finds the state of each, in the same order. Undefined if there is no such token. */
export async function findCredentialStates(
  db: Database,
  owners: OwnedToken[],
): Promise<(CredentialState | undefined)[]> {
  // prepared-statements.ts says why look-ups have a `limit`, and why arrays are in a `(select …)`.
  const { rows } = await prepared<CredentialStateRow>`
    select wanted.position, t.community_id, m.name as community_name, m.logo_url, t.criteria,
      c.status as owner_status, c.claimed_at, c.valid_until, k.credential_id, k.created_at, k.status_index,
      l.base_url || '/' || l.list_id as list_url, l.generation, i.public_key
    from unnest(
      (select ${owners.map(({ tokenId }) => tokenId)}::bigint[]),
      (select ${owners.map(({ address }) => address)}::bytea[])
    ) with ordinality as wanted (token_id, address, position)
    cross join lateral (select community_id, criteria from tokens t where t.token_id = wanted.token_id limit 1) t
    cross join lateral (select name, logo_url from communities m where m.community_id = t.community_id limit 1) m
    left join lateral (
      select ${OWNER_STATUS} as status, claimed_at, ${VALID_UNTIL} as valid_until from claims c
      where c.token_id = wanted.token_id and c.address = wanted.address limit 1
    ) c on true
    left join lateral (
      select * from credentials k
      where k.token_id = wanted.token_id and k.address = wanted.address and k.revoked_at is null
        and coalesce(k.valid_until, 'infinity') = coalesce(c.valid_until, 'infinity')
      limit 1
    ) k on true
    left join lateral (select * from status_lists l where l.list_id = k.list_id limit 1) l on true
    left join lateral (
      select public_key from issuer_keys i
      where i.community_id = l.community_id and i.generation = l.generation limit 1
    ) i on true`.execute(db);
  const byPosition = new Map(rows.map((row) => [row.position, toState(row)]));
  return owners.map((_, index) => byPosition.get(index + 1));
}

function toState(row: CredentialStateRow): CredentialState {
  const {
    position: _,
    credential_id,
    created_at,
    status_index,
    list_url,
    generation,
    public_key,
    valid_until,
    ...state
  } = row;
  return {
    ...state,
    credential:
      credential_id === null
        ? null
        : { credential_id, created_at, status_index, list_url, generation, public_key, valid_until },
  };
}

/** Where the new credentials of a community have their entries. */
export interface StatusListChoice {
  communityId: string;
  generation: number;
  /** The base of the URL of the list, without a trailing slash. */
  baseUrl: string;
}

// SQL: when the token of the claim `c` ends. Its row is locked, in the CTE `token`.
const LOCKED_VALID_UNTIL = validUntilOf(sql`token v where v.token_id = c.token_id limit 1`);

const BATCH = { maxItems: 64, isErrorOfAllItems: isDatabaseUnavailable };

/**
 * Returns a function that records one credential, as `insertCredentials` does. Concurrent calls share a
 * commit, unless one may wait.
 */
export function createCredentialInserter(
  db: Database,
): (credential: OwnedToken & { choice: StatusListChoice; mayWait: boolean }) => Promise<void> {
  // Each community has lists of its own, so a statement has the owners of one.
  const insertInBatch = createBatcher(
    BATCH,
    async (credentials: (OwnedToken & { choice: StatusListChoice })[]) => {
      for (const owners of Map.groupBy(credentials, ({ choice }) => JSON.stringify(choice)).values()) {
        const [first] = owners;
        if (first !== undefined) await insertCredentials(db, first.choice, owners, { mayWait: false });
      }
      return credentials.map(() => undefined);
    },
  );
  return async ({ mayWait, ...credential }) => {
    if (mayWait) await insertCredentials(db, credential.choice, [credential], { mayWait });
    else await insertInBatch(credential);
  };
}

/**
 * Records credentials for owners who have their token and no credential that says its end, each at a random
 * index; none if the seed
 * of the key was replaced. Some owners can be left out: one for whom no free index was found, and, unless
 * `mayWait`, one whose claim is being changed. Only a call with one owner may wait, so that no two
 * transactions can wait for each other.
 */
export async function insertCredentials(
  db: Database,
  choice: StatusListChoice,
  owners: OwnedToken[],
  { mayWait }: { mayWait: boolean },
): Promise<void> {
  const listId = (await findOpenList(db, choice)) ?? (await insertStatusList(db, choice));
  const candidates = chooseIndexes(owners.length * TRIES);
  const { rows } = await prepared<{ status_index: number }>`
    select k.status_index from unnest((select ${candidates}::integer[])) as c (status_index)
    cross join lateral (
      select status_index from credentials k where k.list_id = ${listId}::uuid and k.status_index = c.status_index limit 1
    ) k`.execute(db);
  const taken = new Set(rows.map((row) => row.status_index));
  const free = candidates.filter((index) => !taken.has(index));
  const chosen = owners.flatMap((owner, position) => {
    const index = free[position];
    return index === undefined ? [] : [{ ...owner, index }];
  });
  // The lock on a claim makes whoever ends it wait, and then see the credential. If it has ended meanwhile,
  // it is read again after the lock, and has no row. The lock on the key does the same for whoever replaces
  // its seed, and the lock on the token for whoever changes its end. The order is that of the keys, so that
  // two processes cannot deadlock. If another process has taken the index meanwhile, nothing is inserted.
  await sql`
    with key as materialized (
      select from issuer_keys
      where community_id = ${choice.communityId} and generation = ${choice.generation} and replaced_at is null
      for share
    ), token as materialized (
      select token_id, valid_until, validity_days from tokens
      where token_id = any(${chosen.map(({ tokenId }) => tokenId)}::bigint[]) and exists (select from key)
      order by token_id
      for key share ${mayWait ? sql`` : sql`skip locked`}
    ), held as materialized (
      select c.token_id, c.address, w.status_index, ${LOCKED_VALID_UNTIL} as valid_until
      from key cross join unnest(
        ${chosen.map(({ tokenId }) => tokenId)}::bigint[], ${chosen.map(({ address }) => address)}::bytea[],
        ${chosen.map(({ index }) => index)}::integer[]
      ) as w (token_id, address, status_index)
      join claims c on c.token_id = w.token_id and c.address = w.address
      where c.burnt_at is null and c.token_id in (select token_id from token)
      order by c.token_id, c.address
      for share of c ${mayWait ? sql`` : sql`skip locked`}
    ), inserted as (
      insert into credentials (token_id, address, list_id, status_index, valid_until)
      select token_id, address, ${listId}::uuid, status_index, valid_until from held
      on conflict do nothing
      returning list_id
    )
    update status_lists set entry_count = entry_count + (select count(*) from inserted)
    where list_id = ${listId}::uuid`.execute(db);
}

// The indexes are all different. Nobody can tell from an index when its credential was made.
function chooseIndexes(count: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(randomInt(ENTRIES_OF_LIST));
  return [...chosen];
}

async function findOpenList(
  db: Database,
  { communityId, generation, baseUrl }: StatusListChoice,
): Promise<string | undefined> {
  const { rows } = await prepared<{ list_id: string }>`
    select list_id from status_lists
    where community_id = ${communityId} and generation = ${generation} and base_url = ${baseUrl}
      and entry_count < ${MAX_CREDENTIALS_OF_LIST}
    order by created_at, list_id limit 1`.execute(db);
  return rows[0]?.list_id;
}

// If two processes add a list at the same time, both are used, one after the other: first the older one,
// until it is full.
async function insertStatusList(
  db: Database,
  { communityId, generation, baseUrl }: StatusListChoice,
): Promise<string> {
  const { rows } = await sql<{ list_id: string }>`
    insert into status_lists (community_id, generation, base_url)
    values (${communityId}, ${generation}, ${baseUrl}) returning list_id`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the status list was not inserted');
  return row.list_id;
}

/**
 * Revokes all credentials of a community whose key is of an older generation. Used if the seed of these keys
 * is lost or known to others.
 */
export async function revokeOlderCredentials(
  tx: DatabaseTransaction,
  { communityId, generation }: { communityId: string; generation: number },
): Promise<void> {
  await sql`
    update credentials k set revoked_at = statement_timestamp()
    from status_lists l
    where l.list_id = k.list_id and l.community_id = ${communityId} and l.generation < ${generation}
      and k.revoked_at is null`.execute(tx);
  // Processes keep copies of credentials.
  await sql`
    insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
    values (0, ${Number.MAX_SAFE_INTEGER}, false, true)`.execute(tx);
}

/**
 * Revokes the credentials of a token that say a later end than their owners have now: of some addresses, or
 * of all. The token or the claims must be locked, so that none is made meanwhile.
 */
export async function revokeLongerCredentials(
  tx: DatabaseTransaction,
  tokenId: number,
  addresses: Address[] | null = null,
): Promise<void> {
  const validUntil = validUntilOf(sql`tokens where token_id = ${tokenId}`);
  await sql`
    update credentials k set revoked_at = statement_timestamp()
    from claims c
    where k.token_id = ${tokenId} and k.revoked_at is null and c.token_id = k.token_id and c.address = k.address
      and coalesce(k.valid_until, 'infinity') > coalesce(${validUntil}, 'infinity')
      ${addresses === null ? sql`` : sql`and k.address = any(${addresses}::bytea[])`}`.execute(tx);
}

export interface StatusListRow {
  list_id: string;
  community_id: string;
  generation: number;
  base_url: string;
  created_at: Date;
  public_key: Buffer;
}

/** A list, and what says whether its bits have changed: how many are set, and when the last one was. */
export type StatusListState = StatusListRow & { revoked_count: number; last_revoked_at: Date | null };

/** Finds a list by its id, a UUID. */
export async function findStatusList(db: Database, listId: string): Promise<StatusListState | undefined> {
  const { rows } = await prepared<StatusListState>`
    select l.list_id, l.community_id, l.generation, l.base_url, l.created_at, i.public_key,
      (select count(*) from credentials k where k.list_id = l.list_id and k.revoked_at is not null) as revoked_count,
      (select max(revoked_at) from credentials k where k.list_id = l.list_id and k.revoked_at is not null)
        as last_revoked_at
    from status_lists l join issuer_keys i using (community_id, generation)
    where l.list_id = ${listId}::uuid`.execute(db);
  return rows[0];
}

/** The indexes of the revoked credentials of a list. */
export async function findRevokedIndexes(db: Database, listId: string): Promise<number[]> {
  const { rows } = await prepared<{ status_index: number }>`
    select status_index from credentials where list_id = ${listId}::uuid and revoked_at is not null`.execute(
    db,
  );
  return rows.map((row) => row.status_index);
}

/** The ids of all lists, oldest first. */
export async function listStatusListIds(db: Database): Promise<string[]> {
  const { rows } = await sql<{ list_id: string }>`
    select list_id from status_lists order by created_at, list_id`.execute(db);
  return rows.map((row) => row.list_id);
}
