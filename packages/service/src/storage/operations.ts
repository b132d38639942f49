import type { RequestError, TokenIdMessageName } from '@badge/protocol';
import { type Selectable, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { ContractEvidence } from '../signatures/contract-evidence.ts';
import type { Actor } from './audit-log.ts';
import { createBatcher } from './batcher.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';
import { IS_KEY_FREE, type KeyUse, type StoredResponse } from './idempotency-keys.ts';
import { prepared } from './prepared-statements.ts';
import { type LostRight, rightOf } from './rights.ts';
import type { Tables } from './schema.ts';

/**
 * The community of operations that are those of a person, and of no community. No community has such an id.
 * So the moves of all people take turns with communities as one.
 */
export const PEOPLE = '@people';

export type OperationRow = Omit<Selectable<Tables['operations']>, 'request' | 'request_bytes'>;

/** An operation to insert. `request` is what the worker needs to settle it, as JSON. */
export interface NewOperation {
  operationId: string;
  operationType: Tables['operations']['operation_type'];
  communityId: string;
  actor: Actor;
  /**
   * 32 bytes. Identifies repetitions of a request, as `acceptOperation` says. Null if the request has an
   * idempotency key.
   */
  requestIdentity: Buffer | null;
  /** The idempotency key of the request, and the response to record for it. */
  keyUse?: (KeyUse & { response: StoredResponse }) | null;
  /** The community's own NFT type that the request uses; it must not be deleted. */
  nftTypeId?: string | null;
  /** The signatures of the request, kept as evidence, unless `request` contains them. */
  signatures?: NewSignature[];
  /** What the client should know about the request. */
  warnings?: RequestError[];
  /** Why the caller requests it, for the audit log. */
  reason?: string | null;
  request: string;
}

/** A signature of the message `{tokenId}`. */
export interface NewSignature {
  primaryType: TokenIdMessageName;
  tokenId: number;
  signer: Address;
  /** 65 bytes, with v 27 or 28; of a contract wallet, any bytes. */
  signature: Buffer;
  typedDataVersion: string;
  /** What the contract of the signer has confirmed; null if its key has signed. */
  evidence: ContractEvidence | null;
}

/** Returns a request as JSON. Buffers in it (addresses, keys, signatures) become lower-case hex. */
export function serializeRequest(request: object): string {
  return JSON.stringify(request, function (this: Record<string, unknown>, name, value: unknown) {
    const original = this[name];
    return Buffer.isBuffer(original) ? original.toString('hex') : value;
  });
}

/**
 * The operation of the request, or why there is none. `isReplay`: another, equal request created the
 * operation.
 */
export type InsertResult = { operationId: string; isReplay: boolean } | InsertRefusal;

/** `keyUsed`: another request has used the idempotency key. */
type InsertRefusal = LostRight | 'nftTypeDeleted' | 'keyUsed';

// An attempt leaves operations for the next one if it has released their identities, or if other transactions
// have changed something meanwhile.
const MAX_ATTEMPTS = 10;

// The weight of an operation is the length of its request.
const BATCH = { maxItems: 64, maxWeight: 1024 * 1024, isErrorOfAllItems: isDatabaseUnavailable };

/**
 * Returns a function that inserts one operation, as `insertOperations` does. Concurrent calls share a commit,
 * after which `onInserted` is called. Communities take turns.
 */
export function createOperationInserter(
  db: Database,
  onInserted: () => void,
): (operation: NewOperation) => Promise<InsertResult> {
  return createBatcher<NewOperation, InsertResult>(
    { ...BATCH, weigh: ({ request }) => request.length, findGroup: ({ communityId }) => communityId },
    async (operations) => {
      const results = await insertOperations(db, operations);
      onInserted();
      return results;
    },
  );
}

/**
 * Inserts a batch of operations, usually in one commit. One statement inserts them, and checks the rights of
 * the callers and the NFT types. So no operation is accepted after a right was lost or a type deleted. It
 * also records the idempotency keys and the signatures, so no crash separates them from their operation.
 *
 * Returns the result of each operation. If a query fails after some operations have a result, the others get
 * its error. If none has a result, the error is thrown. After a lost connection, the operations may
 * nevertheless have been inserted.
 */
export async function insertOperations(
  db: Database,
  operations: NewOperation[],
): Promise<(InsertResult | Error)[]> {
  const results = new Map<string, InsertResult>();
  let remaining = operations;
  let failure = new Error(`operations could not be inserted in ${MAX_ATTEMPTS} attempts`);

  function record(found: Map<string, InsertResult>): void {
    for (const [operationId, result] of found) results.set(operationId, result);
    remaining = remaining.filter(({ operationId }) => !results.has(operationId));
  }

  // Four statements, because a statement does not see rows that were committed after it began.
  async function insertRemaining(): Promise<void> {
    record(await insertNew(db, remaining));
    if (remaining.length > 0) record(await findReplays(db, remaining));
    if (remaining.length > 0) record(await findRefusals(db, remaining));
    if (remaining.length > 0) await releaseIdentities(db, remaining);
  }

  try {
    for (let attempts = 0; remaining.length > 0 && attempts < MAX_ATTEMPTS; attempts += 1) {
      await insertRemaining();
    }
  } catch (error) {
    failure = error as Error;
  }
  if (operations.length > 0 && results.size === 0) throw failure;
  return operations.map(({ operationId }) => results.get(operationId) ?? failure);
}

// SQL: conditions of an operation `p` that is to be inserted.
const RIGHT = rightOf({
  apiKeyId: sql`p.api_key_id`,
  sessionId: sql`p.session_id`,
  neededRole: sql`p.needed_role`,
  communityId: sql`p.community_id`,
});
const HAS_RIGHT = sql`(${RIGHT} = 'held')`;
const HAS_NFT_TYPE = sql`(p.nft_type_id is null or exists (
  select from nft_types t
  where t.community_id = p.community_id and t.nft_type_id = p.nft_type_id and t.deleted_at is null
))`;

// SQL: whether the NFT type of `p` was locked. The lock makes an accepted operation and the deletion of its
// type wait for each other. So the deletion sees every operation that uses the asset.
const HAS_LOCKED_NFT_TYPE = sql`(
  p.nft_type_id is null or (p.community_id, p.nft_type_id) in (select community_id, nft_type_id from locked)
)`;

// Idempotency keys are inserted in the order of scopes, then operations in the order of identities, so that
// two batches cannot deadlock. `recorded` is an aggregate, so that all keys are inserted before the first
// operation. A key gets its response at once, so it is not locked: `locked_until` is the time of the insert.
async function insertNew(db: Database, operations: NewOperation[]): Promise<Map<string, InsertResult>> {
  const keyUses = operations.map(({ keyUse }) => keyUse ?? null);
  const signatures = operations.flatMap(({ operationId, signatures = [] }) =>
    signatures.map((signature) => ({ operationId, ...signature })),
  );
  const typed = operations.filter((o) => typeof o.nftTypeId === 'string');
  const { rows } = await prepared<{ operation_id: string }>`
    with locked as materialized (
      select used.* from unnest(
        (select ${typed.map((o) => o.communityId)}::text[]), (select ${typed.map((o) => o.nftTypeId)}::text[])
      ) as used (community_id, nft_type_id)
      cross join lateral (
        select from nft_types t
        where t.community_id = used.community_id and t.nft_type_id = used.nft_type_id and t.deleted_at is null
        limit 1 for key share
      ) t
    ), proposed as materialized (
      select p.* from unnest(
        (select ${operations.map((o) => o.operationId)}::uuid[]),
        (select ${operations.map((o) => o.operationType)}::text[]),
        (select ${operations.map((o) => o.communityId)}::text[]),
        (select ${operations.map((o) => o.actor.kind)}::text[]),
        (select ${operations.map((o) => o.actor.apiKeyId)}::uuid[]),
        (select ${operations.map((o) => o.actor.session?.sessionId ?? null)}::uuid[]),
        (select ${operations.map((o) => o.actor.session?.address ?? null)}::bytea[]),
        (select ${operations.map((o) => o.actor.neededRole ?? null)}::text[]),
        (select ${operations.map((o) => o.requestIdentity)}::bytea[]),
        (select ${operations.map((o) => o.nftTypeId ?? null)}::text[]),
        (select ${operations.map((o) => o.request)}::text[]),
        (select ${keyUses.map((use) => use?.scope ?? null)}::bytea[]),
        (select ${keyUses.map((use) => use?.bodyHash ?? null)}::bytea[]),
        (select ${keyUses.map((use) => use?.requestId ?? null)}::uuid[]),
        (select ${keyUses.map((use) => use?.response.status ?? null)}::integer[]),
        (select ${keyUses.map((use) => use && JSON.stringify(use.response.headers))}::text[]),
        (select ${keyUses.map((use) => use?.response.body ?? null)}::text[]),
        (select ${operations.map((o) => o.reason ?? null)}::text[]),
        (select ${operations.map(({ warnings = [] }) => (warnings.length === 0 ? null : JSON.stringify(warnings)))}::text[])
      ) as p (
        operation_id, operation_type, community_id, actor, api_key_id, session_id, address, needed_role,
        request_identity, nft_type_id, request, scope, body_hash, request_id, status, headers, body, reason, warnings
      )
      where ${HAS_RIGHT} and ${HAS_LOCKED_NFT_TYPE}
    ), keys as (
      insert into idempotency_keys as k (scope, body_hash, request_id, status, headers, body, locked_until)
      select distinct on (scope) scope, body_hash, request_id, status, headers::jsonb, body, now()
      from proposed where scope is not null
      order by scope
      on conflict (scope) do update
      set body_hash = excluded.body_hash, request_id = excluded.request_id, status = excluded.status,
          headers = excluded.headers, body = excluded.body, created_at = now(), locked_until = now()
      where ${IS_KEY_FREE}
      returning request_id
    ), recorded as materialized (
      select coalesce(array_agg(request_id), '{}') as request_ids from keys
    ), inserted as (
      insert into operations
        (operation_id, operation_type, community_id, api_key_id, request_identity, request, request_bytes, warnings,
         status)
      select p.operation_id, p.operation_type, p.community_id, p.api_key_id, p.request_identity,
             p.request::jsonb, octet_length(p.request), p.warnings::jsonb,
             case when p.operation_type = 'replace' then 'processing' else 'pending' end
      from recorded r cross join proposed p
      where p.scope is null or p.request_id = any(r.request_ids)
      order by p.request_identity
      on conflict (request_identity) do nothing
      returning operation_id, operation_type, community_id, api_key_id
    ), audited as (
      insert into audit_log (actor, api_key_id, address, action, community_id, resource_type, resource_id, reason)
      select p.actor, i.api_key_id, p.address, i.operation_type, i.community_id, 'operation', i.operation_id::text,
        p.reason
      from inserted i join proposed p using (operation_id)
      -- Each of its moves has an entry in the community of its token.
      where i.operation_type <> 'moveBadges'
    ), signed as (
      insert into signatures (operation_id, primary_type, token_id, signer, signature, typed_data_version, evidence)
      select s.operation_id, s.primary_type, s.token_id, s.signer, s.signature, s.typed_data_version, s.evidence::jsonb from unnest(
        (select ${signatures.map((s) => s.operationId)}::uuid[]),
        (select ${signatures.map((s) => s.primaryType)}::text[]),
        (select ${signatures.map((s) => s.tokenId)}::bigint[]),
        (select ${signatures.map((s) => s.signer)}::bytea[]),
        (select ${signatures.map((s) => s.signature)}::bytea[]),
        (select ${signatures.map((s) => s.typedDataVersion)}::text[]),
        (select ${signatures.map((s) => s.evidence && JSON.stringify(s.evidence))}::text[])
      ) as s (operation_id, primary_type, token_id, signer, signature, typed_data_version, evidence)
      join inserted using (operation_id)
    )
    select operation_id from inserted`.execute(db);
  return new Map(rows.map((row) => [row.operation_id, { operationId: row.operation_id, isReplay: false }]));
}

// Without an idempotency key, an equal createToken request counts as a repetition for this long.
const REPETITION_PERIOD = sql.lit('60 seconds');

// SQL: whether an equal request is no repetition of the stored operation `o`. An addition to an allowlist is
// no longer repeated if contributors were removed after it, and a renewal if one of its addresses has another
// end now.
const isRepeatable = () => sql`(case o.operation_type
  when 'createToken' then o.created_at <= now() - interval ${REPETITION_PERIOD}
  when 'addContributors' then o.status = 'success' and exists (
    select from operations r
    where r.operation_type = 'removeContributors' and r.status = 'success' and r.resource_id = o.resource_id
      and r.completed_at >= o.completed_at
  )
  when 'renew' then o.status = 'success' and exists (
    select from jsonb_array_elements_text(o.request->'addresses') as r (address)
    join claims c on c.token_id = o.resource_id and c.address = decode(r.address, 'hex')
    where c.renewed_until is distinct from
      to_timestamp((o.request->>'validUntilTimestamp')::bigint / 1000.0)::timestamptz(3)
  )
  else false
end)`;

/**
 * Finds, for each operation, the stored operation with the same identity, unless the request may be executed
 * again.
 */
async function findReplays(db: Database, operations: NewOperation[]): Promise<Map<string, InsertResult>> {
  const { rows } = await sql<{ operation_id: string; request_identity: Buffer }>`
    select operation_id, request_identity from operations o
    where request_identity = any(${identitiesOf(operations)}::bytea[]) and not ${isRepeatable()}`.execute(db);
  const storedIds = new Map(rows.map((row) => [row.request_identity.toString('hex'), row.operation_id]));
  const replays = new Map<string, InsertResult>();
  for (const { operationId, requestIdentity } of operations) {
    const storedId = requestIdentity && storedIds.get(requestIdentity.toString('hex'));
    if (storedId) replays.set(operationId, { operationId: storedId, isReplay: true });
  }
  return replays;
}

/** Finds the operations that cannot be inserted, and why. */
async function findRefusals(db: Database, operations: NewOperation[]): Promise<Map<string, InsertResult>> {
  const { rows } = await sql<{ operation_id: string; refusal: InsertRefusal }>`
    with checked as (
      select p.operation_id, case
        when not ${HAS_RIGHT} then ${RIGHT}
        when not ${HAS_NFT_TYPE} then 'nftTypeDeleted'
        when exists (select from idempotency_keys k where k.scope = p.scope and not ${IS_KEY_FREE}) then 'keyUsed'
      end as refusal
      from unnest(
        ${operations.map((o) => o.operationId)}::uuid[],
        ${operations.map((o) => o.communityId)}::text[],
        ${operations.map((o) => o.actor.apiKeyId)}::uuid[],
        ${operations.map((o) => o.actor.session?.sessionId ?? null)}::uuid[],
        ${operations.map((o) => o.actor.neededRole ?? null)}::text[],
        ${operations.map((o) => o.nftTypeId ?? null)}::text[],
        ${operations.map((o) => o.keyUse?.scope ?? null)}::bytea[]
      ) as p (operation_id, community_id, api_key_id, session_id, needed_role, nft_type_id, scope)
    )
    select operation_id, refusal from checked where refusal is not null`.execute(db);
  return new Map(rows.map((row) => [row.operation_id, row.refusal]));
}

/**
 * Removes the identity of stored operations whose request may be executed again. The order of the locks
 * avoids deadlocks.
 */
async function releaseIdentities(db: Database, operations: NewOperation[]): Promise<void> {
  await sql`
    with old as materialized (
      select operation_id from operations o
      where request_identity = any(${identitiesOf(operations)}::bytea[]) and ${isRepeatable()}
      order by request_identity for update
    )
    update operations o set request_identity = null from old where o.operation_id = old.operation_id`.execute(
    db,
  );
}

function identitiesOf(operations: NewOperation[]): Buffer[] {
  return operations.flatMap(({ requestIdentity }) => requestIdentity ?? []);
}

const COLUMNS = columnsOf<OperationRow>(
  {
    operation_id: true,
    sequence: true,
    operation_type: true,
    status: true,
    community_id: true,
    api_key_id: true,
    request_identity: true,
    resource_id: true,
    tx_hash: true,
    error: true,
    created_at: true,
    completed_at: true,
    warnings: true,
  },
  'o',
);

/**
 * Finds operations by their ids in lower case, in the order of the ids. Undefined if there is no such
 * operation.
 */
export async function findOperations(
  db: Database,
  operationIds: string[],
): Promise<(OperationRow | undefined)[]> {
  const { rows } = await prepared<OperationRow>`
    select ${COLUMNS}
    from unnest((select ${[...new Set(operationIds)]}::uuid[])) as wanted (operation_id)
    cross join lateral (
      select * from operations o where o.operation_id = wanted.operation_id limit 1
    ) o`.execute(db);
  const byId = new Map(rows.map((row) => [row.operation_id, row]));
  return operationIds.map((id) => byId.get(id));
}
