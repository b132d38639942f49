import { type Selectable, sql } from 'kysely';
import pg from 'pg';
import { IS_KEY_VALID } from './api-keys.ts';
import type { Actor } from './audit-log.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

export type OperationRow = Omit<Selectable<Tables['operations']>, 'request' | 'request_bytes'>;

/** An operation to insert. `request` is what the worker needs to settle it, as JSON. */
export interface NewOperation {
  operationId: string;
  operationType: Tables['operations']['operation_type'];
  communityId: string;
  actor: Actor;
  /** 32 bytes. Two requests with the same identity are one operation. */
  requestIdentity: Buffer;
  /** The community's own NFT type that the request uses; it must not be deleted. */
  nftTypeId?: string | null;
  request: string;
}

/** Writes a request as JSON. Its bytes (addresses, keys, signatures) become lower-case hex. */
export function serializeRequest(request: object): string {
  return JSON.stringify(request, function (this: Record<string, unknown>, name, value: unknown) {
    const original = this[name];
    return Buffer.isBuffer(original) ? original.toString('hex') : value;
  });
}

/** The operation of the request, new or existing, or what is no longer valid. */
export type InsertResult = { operationId: string } | 'apiKeyInvalid' | 'nftTypeDeleted';

/**
 * Inserts a batch of operations in one commit and notifies the workers. The statement itself checks keys and NFT
 * types, so that no process accepts an operation after a key was revoked or a type deleted.
 */
export async function insertOperations(db: Database, operations: NewOperation[]): Promise<InsertResult[]> {
  const accepted = new Map<string, InsertResult>();
  let open = operations;
  // An operation that is neither inserted nor found has an invalid key or type, or conflicted with an operation that
  // ended in error in between. Only the latter needs another round.
  while (open.length > 0) {
    for (const [identity, operationId] of await insertNew(db, open).catch(noneIfTypeDeleted)) {
      accepted.set(identity, { operationId });
    }
    open = open.filter((operation) => !accepted.has(hex(operation)));
    if (open.length === 0) break;
    // A separate statement: in one with the insert, it would not see rows that other transactions just committed.
    for (const [identity, operationId] of await findByIdentity(db, open)) {
      accepted.set(identity, { operationId });
    }
    open = open.filter((operation) => !accepted.has(hex(operation)));
    if (open.length === 0) break;
    const validKeys = await findValidKeys(db, open);
    const deletedTypes = await findDeletedTypes(db, open);
    for (const operation of open) {
      const { apiKeyId } = operation.actor;
      if (apiKeyId !== null && !validKeys.has(apiKeyId)) {
        accepted.set(hex(operation), 'apiKeyInvalid');
      } else if (deletedTypes.has(`${operation.communityId}/${operation.nftTypeId}`)) {
        accepted.set(hex(operation), 'nftTypeDeleted');
      }
    }
    open = open.filter((operation) => !accepted.has(hex(operation)));
  }
  return operations.map((operation) => accepted.get(hex(operation)) ?? 'apiKeyInvalid');
}

// Raised by a trigger if an NFT type was deleted while the statement ran. Nothing is written; the next pass sees
// which type it was.
function noneIfTypeDeleted(error: unknown): [] {
  if (error instanceof pg.DatabaseError && error.constraint === 'operations_nft_type') return [];
  throw error;
}

function hex(operation: NewOperation): string {
  return operation.requestIdentity.toString('hex');
}

// Each with its entry in the audit log. In the order of identities, so that two batches cannot deadlock.
async function insertNew(db: Database, operations: NewOperation[]): Promise<[string, string][]> {
  const { rows } = await sql<{ operation_id: string; request_identity: Buffer }>`
    with inserted as (
      insert into operations
        (operation_id, operation_type, community_id, api_key_id, request_identity, request, request_bytes)
      select p.operation_id, p.operation_type, p.community_id, p.api_key_id, p.request_identity,
             p.request::jsonb, octet_length(p.request)
      from unnest(
        ${operations.map((o) => o.operationId)}::uuid[],
        ${operations.map((o) => o.operationType)}::text[],
        ${operations.map((o) => o.communityId)}::text[],
        ${operations.map((o) => o.actor.apiKeyId)}::uuid[],
        ${operations.map((o) => o.requestIdentity)}::bytea[],
        ${operations.map((o) => o.nftTypeId ?? null)}::text[],
        ${operations.map((o) => o.request)}::text[]
      ) as p (operation_id, operation_type, community_id, api_key_id, request_identity, nft_type_id, request)
      where (p.api_key_id is null or exists (
        select from api_keys k
        where k.api_key_id = p.api_key_id and ${IS_KEY_VALID}
      )) and (p.nft_type_id is null or exists (
        select from nft_types t
        where t.community_id = p.community_id and t.nft_type_id = p.nft_type_id and t.deleted_at is null
      ))
      order by p.request_identity
      on conflict (request_identity) do nothing
      returning operation_id, operation_type, community_id, api_key_id, request_identity
    ), recorded as (
      insert into audit_log (actor, api_key_id, action, community_id, resource_type, resource_id)
      select a.actor, i.api_key_id, i.operation_type, i.community_id, 'operation', i.operation_id::text
      from inserted i
      join unnest(
        ${operations.map((o) => o.operationId)}::uuid[],
        ${operations.map((o) => o.actor.kind)}::text[]
      ) as a (operation_id, actor) using (operation_id)
    )
    select operation_id, request_identity, pg_notify('badge_operations_accepted', '') from inserted`.execute(
    db,
  );
  return rows.map((row) => [row.request_identity.toString('hex'), row.operation_id]);
}

async function findByIdentity(db: Database, operations: NewOperation[]): Promise<[string, string][]> {
  const { rows } = await sql<{ operation_id: string; request_identity: Buffer }>`
    select operation_id, request_identity from operations
    where request_identity = any(${operations.map((o) => o.requestIdentity)}::bytea[])`.execute(db);
  return rows.map((row) => [row.request_identity.toString('hex'), row.operation_id]);
}

async function findValidKeys(db: Database, operations: NewOperation[]): Promise<Set<string>> {
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

const COLUMNS = [
  'operation_id',
  'sequence',
  'operation_type',
  'status',
  'community_id',
  'api_key_id',
  'request_identity',
  'resource_id',
  'tx_hash',
  'error',
  'created_at',
  'completed_at',
] as const;

/** Finds operations by id, in any order. */
export async function findOperations(db: Database, operationIds: string[]): Promise<OperationRow[]> {
  return await db
    .selectFrom('operations')
    .select(COLUMNS)
    .where('operation_id', 'in', operationIds)
    .execute();
}
