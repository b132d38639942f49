import type { TokenIdMessageName } from '@badge/protocol';
import { type Selectable, sql } from 'kysely';
import pg from 'pg';
import type { Address } from '../signatures/address.ts';
import { IS_KEY_VALID } from './api-keys.ts';
import type { Actor } from './audit-log.ts';
import type { Database } from './database.ts';
import { IS_KEY_FREE, type KeyUse, type StoredResponse } from './idempotency-keys.ts';
import { prepared } from './prepared-statements.ts';
import type { Tables } from './schema.ts';

export type OperationRow = Omit<Selectable<Tables['operations']>, 'request' | 'request_bytes'>;

/** An operation to insert. `request` is what the worker needs to settle it, as JSON. */
export interface NewOperation {
  operationId: string;
  operationType: Tables['operations']['operation_type'];
  communityId: string;
  actor: Actor;
  /** 32 bytes. Requests with the same identity are one operation. Null if the request has an idempotency key. */
  requestIdentity: Buffer | null;
  /** The idempotency key of the request, and the response to record for it. */
  keyUse?: (KeyUse & { response: StoredResponse }) | null;
  /** The community's own NFT type that the request uses; it must not be deleted. */
  nftTypeId?: string | null;
  /** The signatures of the request, kept as evidence. */
  signatures?: NewSignature[];
  request: string;
}

/** A signature of the message `{tokenId}`. */
export interface NewSignature {
  primaryType: TokenIdMessageName;
  tokenId: number;
  signer: Address;
  /** 65 bytes, with v 27 or 28. */
  signature: Buffer;
  typedDataVersion: string;
}

/** Returns a request as JSON. Buffers in it (addresses, keys, signatures) become lower-case hex. */
export function serializeRequest(request: object): string {
  return JSON.stringify(request, function (this: Record<string, unknown>, name, value: unknown) {
    const original = this[name];
    return Buffer.isBuffer(original) ? original.toString('hex') : value;
  });
}

/**
 * The operation of the request, or why there is none. `isReplay`: an earlier request created the operation. `keyUsed`:
 * another request has used the idempotency key.
 */
export type InsertResult =
  | { operationId: string; isReplay: boolean }
  | 'apiKeyInvalid'
  | 'nftTypeDeleted'
  | 'keyUsed';

/**
 * Inserts a batch of operations in one commit. The statement itself checks API keys and
 * NFT types, so that no process accepts an operation after a key was revoked or a type deleted. It also records the
 * idempotency keys and the signatures, so that no crash separates them from their operation.
 */
export async function insertOperations(db: Database, operations: NewOperation[]): Promise<InsertResult[]> {
  const results = new Map<string, InsertResult>();
  const hasNoResult = ({ operationId }: NewOperation) => !results.has(operationId);
  let remaining = operations;
  while (remaining.length > 0) {
    const inserted = await insertNew(db, remaining).catch(nullIfTypeDeleted);
    for (const operationId of inserted ?? []) results.set(operationId, { operationId, isReplay: false });
    remaining = remaining.filter(hasNoResult);
    if (remaining.length === 0) break;
    // A separate statement, because the insert does not see rows that were committed after it began.
    const existing = await findExistingOperations(db, remaining);
    for (const { operationId, requestIdentity } of remaining) {
      const found = requestIdentity && existing.get(requestIdentity.toString('hex'));
      if (found) results.set(operationId, { operationId: found, isReplay: true });
    }
    remaining = remaining.filter(hasNoResult);
    if (remaining.length === 0) break;
    const validApiKeyIds = await findValidApiKeyIds(db, remaining);
    const deletedTypes = await findDeletedTypes(db, remaining);
    for (const { operationId, actor, communityId, nftTypeId, keyUse } of remaining) {
      if (actor.apiKeyId !== null && !validApiKeyIds.has(actor.apiKeyId)) {
        results.set(operationId, 'apiKeyInvalid');
      } else if (deletedTypes.has(`${communityId}/${nftTypeId}`)) results.set(operationId, 'nftTypeDeleted');
      else if (keyUse && inserted !== null) results.set(operationId, 'keyUsed');
    }
    remaining = remaining.filter(hasNoResult);
    // The remaining operations are tried again, for one of three reasons. The deleted type of another operation made the
    // whole insert fail. Or a stored operation had the same identity during the insert, and has ended in error since. Or
    // such a stored operation is too old to count, and loses its identity here.
    if (remaining.length > 0) await releaseIdentities(db, remaining);
  }
  // The loop ends when every operation has a result.
  return operations.map(({ operationId }) => results.get(operationId) as InsertResult);
}

// A trigger raises this error if an NFT type was deleted while the insert ran. Then nothing was inserted, and
// `insertOperations` looks up which type it was.
function nullIfTypeDeleted(error: unknown): null {
  if (error instanceof pg.DatabaseError && error.constraint === 'operations_nft_type') return null;
  throw error;
}

// Idempotency keys are inserted in the order of scopes, then operations in the order of identities, so that two batches
// cannot deadlock. `recorded` is an aggregate, so that all keys are inserted before the first operation.
async function insertNew(db: Database, operations: NewOperation[]): Promise<string[]> {
  const keyUses = operations.map(({ keyUse }) => keyUse ?? null);
  const signatures = operations.flatMap(({ operationId, signatures = [] }) =>
    signatures.map((signature) => ({ operationId, ...signature })),
  );
  const { rows } = await prepared<{ operation_id: string }>`
    with proposed as materialized (
      select p.* from unnest(
        (select ${operations.map((o) => o.operationId)}::uuid[]),
        (select ${operations.map((o) => o.operationType)}::text[]),
        (select ${operations.map((o) => o.communityId)}::text[]),
        (select ${operations.map((o) => o.actor.kind)}::text[]),
        (select ${operations.map((o) => o.actor.apiKeyId)}::uuid[]),
        (select ${operations.map((o) => o.requestIdentity)}::bytea[]),
        (select ${operations.map((o) => o.nftTypeId ?? null)}::text[]),
        (select ${operations.map((o) => o.request)}::text[]),
        (select ${keyUses.map((use) => use?.scope ?? null)}::bytea[]),
        (select ${keyUses.map((use) => use?.bodyHash ?? null)}::bytea[]),
        (select ${keyUses.map((use) => use?.requestId ?? null)}::uuid[]),
        (select ${keyUses.map((use) => use?.response.status ?? null)}::integer[]),
        (select ${keyUses.map((use) => use && JSON.stringify(use.response.headers))}::text[]),
        (select ${keyUses.map((use) => use?.response.body ?? null)}::text[])
      ) as p (
        operation_id, operation_type, community_id, actor, api_key_id, request_identity, nft_type_id, request,
        scope, body_hash, request_id, status, headers, body
      )
      where (p.api_key_id is null or exists (
        select from api_keys k
        where k.api_key_id = p.api_key_id and ${IS_KEY_VALID}
      )) and (p.nft_type_id is null or exists (
        select from nft_types t
        where t.community_id = p.community_id and t.nft_type_id = p.nft_type_id and t.deleted_at is null
      ))
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
        (operation_id, operation_type, community_id, api_key_id, request_identity, request, request_bytes)
      select p.operation_id, p.operation_type, p.community_id, p.api_key_id, p.request_identity,
             p.request::jsonb, octet_length(p.request)
      from recorded r cross join proposed p
      where p.scope is null or p.request_id = any(r.request_ids)
      order by p.request_identity
      on conflict (request_identity) do nothing
      returning operation_id, operation_type, community_id, api_key_id
    ), audited as (
      insert into audit_log (actor, api_key_id, action, community_id, resource_type, resource_id)
      select p.actor, i.api_key_id, i.operation_type, i.community_id, 'operation', i.operation_id::text
      from inserted i join proposed p using (operation_id)
    ), signed as (
      insert into signatures (operation_id, primary_type, token_id, signer, signature, typed_data_version)
      select s.* from unnest(
        (select ${signatures.map((s) => s.operationId)}::uuid[]),
        (select ${signatures.map((s) => s.primaryType)}::text[]),
        (select ${signatures.map((s) => s.tokenId)}::bigint[]),
        (select ${signatures.map((s) => s.signer)}::bytea[]),
        (select ${signatures.map((s) => s.signature)}::bytea[]),
        (select ${signatures.map((s) => s.typedDataVersion)}::text[])
      ) as s (operation_id, primary_type, token_id, signer, signature, typed_data_version)
      join inserted using (operation_id)
    )
    select operation_id from inserted`.execute(db);
  return rows.map((row) => row.operation_id);
}

// Without an idempotency key, an equal createToken request counts as a repetition for this long.
const REPETITION_PERIOD = sql.lit('60 seconds');

/** Finds stored operations with the same identities, except those that are too old to count. Returns their ids by identity in hex. */
async function findExistingOperations(
  db: Database,
  operations: NewOperation[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ operation_id: string; request_identity: Buffer }>`
    select operation_id, request_identity from operations
    where request_identity = any(${identitiesOf(operations)}::bytea[])
      and (operation_type <> 'createToken' or created_at > now() - interval ${REPETITION_PERIOD})`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.request_identity.toString('hex'), row.operation_id]));
}

/** Removes the identity of stored createToken operations that are too old to count. The order of the locks avoids deadlocks. */
async function releaseIdentities(db: Database, operations: NewOperation[]): Promise<void> {
  await sql`
    with old as materialized (
      select operation_id from operations
      where request_identity = any(${identitiesOf(operations)}::bytea[])
        and operation_type = 'createToken' and created_at <= now() - interval ${REPETITION_PERIOD}
      order by request_identity for update
    )
    update operations o set request_identity = null from old where o.operation_id = old.operation_id`.execute(
    db,
  );
}

function identitiesOf(operations: NewOperation[]): Buffer[] {
  return operations.flatMap(({ requestIdentity }) => requestIdentity ?? []);
}

async function findValidApiKeyIds(db: Database, operations: NewOperation[]): Promise<Set<string>> {
  const { rows } = await sql<{ api_key_id: string }>`
    select api_key_id from api_keys k
    where api_key_id = any(${operations.map((o) => o.actor.apiKeyId)}::uuid[])
      and ${IS_KEY_VALID}`.execute(db);
  return new Set(rows.map((row) => row.api_key_id));
}

async function findDeletedTypes(db: Database, operations: NewOperation[]): Promise<Set<string>> {
  const { rows } = await sql<{ community_id: string; nft_type_id: string }>`
    select t.community_id, t.nft_type_id
    from unnest(
      ${operations.map((o) => o.communityId)}::text[],
      ${operations.map((o) => o.nftTypeId ?? null)}::text[]
    ) as p (community_id, nft_type_id)
    join nft_types t using (community_id, nft_type_id)
    where t.deleted_at is not null`.execute(db);
  return new Set(rows.map((row) => `${row.community_id}/${row.nft_type_id}`));
}

const COLUMNS = sql.raw(`o.operation_id, o.sequence, o.operation_type, o.status, o.community_id, o.api_key_id,
  o.request_identity, o.resource_id, o.tx_hash, o.error, o.created_at, o.completed_at`);

export async function findOperation(db: Database, operationId: string): Promise<OperationRow | undefined> {
  const { rows } = await prepared<OperationRow>`
    select ${COLUMNS} from operations o where o.operation_id = ${operationId}`.execute(db);
  return rows[0];
}

/** Finds operations by id, in any order. */
export async function findOperations(db: Database, operationIds: string[]): Promise<OperationRow[]> {
  const { rows } = await prepared<OperationRow>`
    select ${COLUMNS}
    from unnest((select ${operationIds}::uuid[])) as wanted (operation_id)
    cross join lateral (
      select * from operations o where o.operation_id = wanted.operation_id limit 1
    ) o`.execute(db);
  return rows;
}
