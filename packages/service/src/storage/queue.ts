import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import type { OperationError, Tables } from './schema.ts';

// The operations table contains the queues. Pending operations are settled in batches. If a batch fails with
// an error that is not transient, its operations are isolated: their status is `processing`, batches skip
// them, and each is settled alone. A replacement is isolated from the start, because it can take seconds.

// The name of an operation's queue: there is one for each settle function. An index contains this expression.
const QUEUE = sql.raw(`(
  case when operation_type in ('airdrop', 'communityAdminAirdrop', 'communityAdminAirdropWithoutConsentSig')
  then 'claim' else operation_type end
)`);

// The operations whose request is kept when they succeed: only it says for ever whose token they have
// changed, or what a wallet has signed.
const WITH_KEPT_REQUEST = sql.raw(`('revoke', 'reinstate', 'move', 'replace', 'renew', 'moveBadges')`);

// The cost of an operation is the size of its request, plus this: even an operation with a small request
// takes time.
const OVERHEAD_BYTES = 4_096;

/** The cost in bytes of settling an operation: how much of a batch, and of a community's share, it uses. */
export function computeCost(requestBytes: number): number {
  return requestBytes + OVERHEAD_BYTES;
}

/** An operation locked by a worker's transaction. */
export interface TakenOperation {
  operationId: string;
  operationType: Tables['operations']['operation_type'];
}

/** A locked operation that a batch may include. */
export interface Candidate extends TakenOperation {
  communityId: string;
  costBytes: number;
}

// SQL: the next queue that has pending operations, in alphabetical order; null if there is none.
const queueAfter = (queue: RawBuilder<unknown>) => sql`(
  select ${QUEUE} from operations where status = 'pending' and ${QUEUE} > ${queue} order by ${QUEUE} limit 1
)`;
const FIRST_QUEUE = queueAfter(sql`''`);
const NEXT_QUEUE = queueAfter(sql`queue`);

/** The queues that have pending operations, in alphabetical order. */
export async function listPendingQueues(db: Database): Promise<string[]> {
  // Jumps from queue to queue in the index, so that the number of operations does not matter.
  const { rows } = await prepared<{ queue: string }>`
    with recursive queues (queue) as (
      select ${FIRST_QUEUE}
      union all
      select ${NEXT_QUEUE} from queues where queue is not null
    )
    select queue from queues where queue is not null`.execute(db);
  return rows.map(({ queue }) => queue);
}

/** The result of `lockCandidates`. */
export interface Candidates {
  candidates: Candidate[];
  /**
   * The last community that was found, even if it has no candidate. Null if fewer than `maxCommunities` were
   * found.
   */
  continueAfter: string | null;
  /**
   * Whether a found community may have further pending operations: true if as many were locked as one
   * community may have.
   */
  mayHaveMore: boolean;
}

type CandidateRow = { community_id: string; communities: number; is_limit_reached: boolean } & (
  | { operation_id: string; operation_type: TakenOperation['operationType']; request_bytes: number }
  // A community without candidates.
  | { operation_id: null }
);

/**
 * Locks pending operations of a queue that no other worker has locked: the oldest ones of each of the first
 * `maxCommunities` communities after the given id. Returns them in the order of the communities' ids, and
 * then of acceptance.
 */
export async function lockCandidates(
  tx: DatabaseTransaction,
  queue: string,
  limits: { afterCommunityId: string; maxCommunities: number; maxOperations: number },
): Promise<Candidates> {
  const { afterCommunityId, maxCommunities, maxOperations } = limits;
  // Jumps from community to community in the index, so that the number of operations does not matter. From
  // each community it takes up to four times its equal part of the batch. So the batch can be full even if
  // some communities have few operations.
  const { rows } = await prepared<CandidateRow>`
    with recursive communities (community_id, position) as (
      select ${afterCommunityId}::text, 0
      union all
      select n.community_id, c.position + 1 from communities c cross join lateral (
        select community_id from operations
        where status = 'pending' and ${QUEUE} = ${queue} and community_id > c.community_id
        order by community_id limit 1
      ) n
      where c.position < ${maxCommunities}::bigint
    ), counted as (
      select community_id, (count(*) over ())::integer as communities,
        least(${maxOperations}::bigint, ${4 * maxOperations}::bigint / count(*) over ()) as max_of_each
      from communities where position > 0
    )
    select c.community_id, c.communities, o.operation_id, o.operation_type, o.request_bytes,
      count(o.operation_id) over (partition by c.community_id) = c.max_of_each as is_limit_reached
    from counted c left join lateral (
      select operation_id, operation_type, sequence, request_bytes from operations
      where status = 'pending' and ${QUEUE} = ${queue} and community_id = c.community_id
      order by sequence limit c.max_of_each
      for update skip locked
    ) o on true
    order by c.community_id, o.sequence`.execute(tx);
  const last = rows.at(-1);
  return {
    candidates: rows
      .filter((row) => row.operation_id !== null)
      .map((row) => ({
        operationId: row.operation_id,
        operationType: row.operation_type,
        communityId: row.community_id,
        costBytes: computeCost(row.request_bytes),
      })),
    continueAfter: last?.communities === maxCommunities ? last.community_id : null,
    mayHaveMore: rows.some((row) => row.is_limit_reached),
  };
}

/** Isolates pending operations, except those that another worker has locked. */
export async function isolateOperations(db: Database, operationIds: string[]): Promise<void> {
  await sql`
    with free as materialized (
      select operation_id from operations
      where operation_id = any(${operationIds}::uuid[]) and status = 'pending'
      order by sequence for update skip locked
    )
    update operations o set status = 'processing' from free where o.operation_id = free.operation_id`.execute(
    db,
  );
}

// SQL: the next community that has isolated operations; null if there is none.
const isolatedCommunityAfter = (communityId: RawBuilder<unknown>) => sql`(
  select community_id from operations where status = 'processing' and community_id > ${communityId}
  order by community_id limit 1
)`;
const FIRST_ISOLATED_COMMUNITY = isolatedCommunityAfter(sql`''`);
const NEXT_ISOLATED_COMMUNITY = isolatedCommunityAfter(sql`c.community_id`);

/**
 * The ids of isolated operations: the oldest of each community, then the second oldest of each, and so on.
 * Either those that are replacements of tokens, or all others.
 */
export async function listIsolatedOperations(
  db: Database,
  limit: number,
  { areReplacements = false } = {},
): Promise<string[]> {
  const { rows } = await prepared<{ operation_id: string }>`
    with recursive communities (community_id) as (
      select ${FIRST_ISOLATED_COMMUNITY}
      union all
      select ${NEXT_ISOLATED_COMMUNITY} from communities c where c.community_id is not null
    )
    select o.operation_id from communities c cross join lateral (
      select operation_id, sequence, row_number() over (order by sequence) as place
      from operations
      where status = 'processing' and community_id = c.community_id
        and (operation_type = 'replace') = ${areReplacements}::boolean
      order by sequence limit ${limit}::bigint
    ) o
    order by o.place, o.sequence limit ${limit}::bigint`.execute(db);
  return rows.map((row) => row.operation_id);
}

/**
 * Locks one isolated operation. Returns undefined if another worker has locked it, or if it is not isolated.
 */
export async function takeIsolatedOperation(
  tx: DatabaseTransaction,
  operationId: string,
): Promise<TakenOperation | undefined> {
  const { rows } = await sql<{ operation_type: TakenOperation['operationType'] }>`
    select operation_type from operations
    where operation_id = ${operationId}::uuid and status = 'processing'
    for update skip locked`.execute(tx);
  return rows[0] && { operationId, operationType: rows[0].operation_type };
}

/** The requests of operations, in the order of acceptance. */
export async function readRequests<Request extends object>(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<(Request & { operationId: string; acceptedAt: Date })[]> {
  const { rows } = await prepared<{ operation_id: string; created_at: Date; request: Request }>`
    select operation_id, o.created_at, o.request from unnest((select ${operationIds}::uuid[])) as taken (operation_id)
    cross join lateral (
      select sequence, created_at, request from operations p where p.operation_id = taken.operation_id limit 1
    ) o
    order by o.sequence`.execute(tx);
  return rows.map((row) => ({ ...row.request, operationId: row.operation_id, acceptedAt: row.created_at }));
}

/**
 * How an operation ends: in success with the id of its token, or of its transfer, or in error. Null: it is
 * about several tokens. A replacement has the number of owners that were moved.
 */
export type Outcome =
  | { operationId: string; resourceId: number | null; ownerCount?: number }
  | { operationId: string; error: OperationError };

// SQL: the event of an operation `f` that is final, and its data. Addresses are in hex without 0x.
const EVENT_TYPE = sql.raw(`case
  when f.status = 'error' then 'operation.failed'
  when f.operation_type = 'createToken' then 'token.created'
  when f.operation_type = 'addContributors' then 'contributors.added'
  when f.operation_type = 'removeContributors' then 'contributors.removed'
  when f.operation_type = 'burn' then 'badge.burnt'
  when f.operation_type = 'revoke' then 'badge.revoked'
  when f.operation_type = 'reinstate' then 'badge.reinstated'
  when f.operation_type = 'move' then 'badge.moved'
  when f.operation_type = 'replace' then 'token.replaced'
  else 'badge.claimed'
end`);
const EVENT_DATA = sql.raw(`jsonb_build_object('operationId', f.operation_id) || case
  when f.status = 'error' then jsonb_build_object(
    'operationType', f.operation_type, 'error', f.error->>'name',
    'tokenId', case when f.operation_type <> 'createToken' then (f.request->>'tokenId')::bigint end
  )
  when f.operation_type in ('createToken', 'addContributors', 'removeContributors') then
    jsonb_build_object('tokenId', f.resource_id)
  when f.operation_type in ('burn', 'revoke', 'reinstate') then
    jsonb_build_object('tokenId', f.resource_id, 'address', f.request->>'address')
  when f.operation_type = 'move' then jsonb_build_object(
    'tokenId', f.resource_id, 'address', f.request->>'address', 'toAddress', f.request->>'toAddress'
  )
  when f.operation_type = 'replace' then jsonb_build_object(
    'tokenId', f.resource_id, 'replacementTokenId', (f.request->>'replacementTokenId')::bigint,
    'ownerCount', f.owner_count
  )
  else jsonb_build_object(
    'tokenId', f.resource_id, 'address', f.request->>'address', 'claimLinkId', f.request->>'claimLinkId'
  )
end`);

/**
 * Makes operations final, and records their events. A renewal that succeeds has an event for each address,
 * which is recorded before, moveBadges has only the events of its moves, and exports and imports that are
 * queued have none. Operations that are already final do not change. The request of an operation that
 * succeeds is deleted, unless it undoes something or is a consent. An operation that ends in error loses its
 * `request_identity`, so that the same request can be sent again. Its request loses the hash of the client's
 * address, and who claims, which no later step needs. Returns the number of operations.
 */
export async function finishOperations(db: Database, outcomes: Outcome[]): Promise<number> {
  if (outcomes.length === 0) return 0;
  await prepared`
    with finished as (
      update operations o set
        status = case when r.error is null then 'success' else 'error' end,
        resource_id = r.resource_id,
        error = r.error::jsonb,
        request = case
          when r.error is not null or o.operation_type in ${WITH_KEPT_REQUEST} then o.request - array['clientHash', 'claimer']
        end,
        request_identity = case when r.error is null then o.request_identity end,
        completed_at = clock_timestamp()
      from unnest(
        (select ${outcomes.map((o) => o.operationId)}::uuid[]),
        (select ${outcomes.map((o) => ('resourceId' in o ? o.resourceId : null))}::bigint[]),
        (select ${outcomes.map((o) => ('error' in o ? JSON.stringify(o.error) : null))}::text[]),
        (select ${outcomes.map((o) => ('resourceId' in o ? (o.ownerCount ?? null) : null))}::bigint[])
      ) as r (operation_id, resource_id, error, owner_count)
      cross join lateral (
        select request from operations p where p.operation_id = r.operation_id limit 1
      ) former
      where o.operation_id = r.operation_id and o.status in ('pending', 'processing')
      returning o.sequence, o.operation_id, o.operation_type, o.community_id, o.status, o.resource_id, o.error, former.request,
        r.owner_count
    )
    insert into event_outbox (community_id, type, data)
    select f.community_id, ${EVENT_TYPE}, ${EVENT_DATA} from finished f
    where f.operation_type <> 'moveBadges'
      and (f.operation_type not in ('renew', 'export', 'import') or f.status = 'error')
    order by f.sequence`.execute(db);
  return outcomes.length;
}

// At least 1, because an age of 0 means that no operation is pending.
const AGE_OF_OLDEST_MS = sql`
  greatest(1, extract(epoch from clock_timestamp() - min(created_at)) * 1000)::double precision`;

/**
 * Counts pending and isolated operations. The age of the oldest pending one is by the database's clock; 0 if
 * none.
 */
export async function readBacklog(
  db: Database,
): Promise<{ pending: number; isolated: number; oldestAgeMs: number }> {
  const { rows } = await sql<{ pending: number; isolated: number; oldest_age_ms: number }>`
    select count(*) as pending, ${AGE_OF_OLDEST_MS} as oldest_age_ms,
           (select count(*) from operations where status = 'processing') as isolated
    from operations where status = 'pending'`.execute(db);
  const { pending = 0, isolated = 0, oldest_age_ms = 0 } = rows[0] ?? {};
  return { pending, isolated, oldestAgeMs: pending === 0 ? 0 : oldest_age_ms };
}

/** The pending operations of a community in all queues. */
export interface CommunityBacklog {
  communityId: string;
  /** The age of the oldest pending operation, by the database's clock. At least 1. */
  oldestAgeMs: number;
  /** The cost of all pending operations. */
  costBytes: number;
}

/** Returns the backlog of each community that has pending operations. */
export async function listBacklogs(db: Database): Promise<CommunityBacklog[]> {
  const { rows } = await sql<{ community_id: string; oldest_age_ms: number; cost_bytes: number }>`
    select community_id, ${AGE_OF_OLDEST_MS} as oldest_age_ms,
           sum(request_bytes + ${OVERHEAD_BYTES}) as cost_bytes
    from operations where status = 'pending' group by community_id`.execute(db);
  return rows.map((row) => ({
    communityId: row.community_id,
    oldestAgeMs: row.oldest_age_ms,
    costBytes: row.cost_bytes,
  }));
}
