import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';

/** One use of an idempotency key. */
export interface KeyUse {
  /** Identifies the key, the caller and the path; 32 bytes. */
  scope: Buffer;
  /** 32 bytes. */
  bodyHash: Buffer;
  requestId: string;
}

/** A response as it is sent to the first request and to its repetitions. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The key of a request that starts an operation, and the response to record with the operation. */
export interface OperationKey extends KeyUse {
  toResponse(operationId: string): StoredResponse;
}

/**
 * Records the 201 response of a request that starts no operation, in the transaction of its write. `created`
 * is the body.
 */
export type RecordResponse = (tx: DatabaseTransaction, created: object) => Promise<void>;

/**
 * What a request with a key does if its response contains secrets or personal data, and is therefore not
 * stored.
 */
export interface Repetition {
  /** The ids of what the last request with this key has created; null if this is the first one. */
  earlierIds: string[] | null;
  /** Records the new ids for the key, in the transaction of the write. */
  record(tx: DatabaseTransaction, ids: string[]): Promise<void>;
}

/**
 * The state of a used key. `running`: its first request has no response yet. `otherBody`: its first request
 * had another body. Otherwise: the response to send again.
 */
export type KeyState = 'running' | 'otherBody' | StoredResponse;

// No request runs this long. An older lock was not released, because its process ended or lost the database.
// So another request can take it over.
const LOCKED_FOR = sql.lit('180 seconds');
const KEPT_FOR = sql.lit('24 hours');

/**
 * SQL: whether the key of row `k` can be used again, by the database's clock. `status` is null while the key
 * is locked. A key is free if the row is too old, or if it is a lock that has expired.
 */
export const IS_KEY_FREE = sql<boolean>`(
  k.created_at <= now() - interval ${KEPT_FOR}
  or (k.status is null and k.locked_until <= now())
)`;

/** `status`, `headers` and `body` are the response. They are null while the key is locked. */
interface KeyRow {
  body_hash: Buffer;
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}

/** Returns the state of the key of each use; null if the key is free. */
export async function findKeyStates(db: Database, uses: KeyUse[]): Promise<(KeyState | null)[]> {
  const { rows } = await prepared<KeyRow & { scope: Buffer }>`
    select k.scope, k.body_hash, k.status, k.headers, k.body
    from unnest((select ${uses.map(({ scope }) => scope)}::bytea[])) as used (scope)
    cross join lateral (select * from idempotency_keys k where k.scope = used.scope limit 1) k
    where not ${IS_KEY_FREE}`.execute(db);
  const byScope = new Map(rows.map((row) => [row.scope.toString('hex'), row]));
  return uses.map((use) => toKeyState(use, byScope.get(use.scope.toString('hex'))));
}

function toKeyState({ bodyHash }: KeyUse, row: KeyRow | undefined): KeyState | null {
  if (row === undefined) return null;
  if (!row.body_hash.equals(bodyHash)) return 'otherBody';
  if (row.status === null || row.headers === null || row.body === null) return 'running';
  return { status: row.status, headers: row.headers, body: row.body };
}

/** Locks a key. Of concurrent requests with the same key, in any process, one gets `locked`. */
export async function lockKey(db: Database, use: KeyUse): Promise<'locked' | KeyState> {
  // The loop repeats only if the key became free between the two statements.
  for (;;) {
    if (await insertLock(db, use)) return 'locked';
    const [state = null] = await findKeyStates(db, [use]);
    if (state !== null) return state;
  }
}

async function insertLock(db: Database, { scope, bodyHash, requestId }: KeyUse): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys as k (scope, body_hash, request_id, locked_until)
    values (${scope}, ${bodyHash}, ${requestId}, now() + interval ${LOCKED_FOR})
    on conflict (scope) do update
    set body_hash = excluded.body_hash, request_id = excluded.request_id, created_at = now(),
        locked_until = excluded.locked_until, status = null, headers = null, body = null
    where ${IS_KEY_FREE}
    returning 1`.execute(db);
  return rows.length > 0;
}

/**
 * Records the response to the request that locked the key, in the transaction of its write. Returns false if
 * another request has taken over the key. The caller must then roll back the write.
 */
export async function recordResponse(
  tx: DatabaseTransaction,
  { scope, requestId }: KeyUse,
  response: StoredResponse,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ status: response.status, headers: JSON.stringify(response.headers), body: response.body })
    .where('scope', '=', scope)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Replaces the body of a stored response, in the transaction of a write. Returns false if another request has
 * replaced it, or if the key has expired and was used or deleted. The caller must then roll back the write.
 */
export async function replaceResponseBody(
  tx: DatabaseTransaction,
  { scope, earlierBody, body }: { scope: Buffer; earlierBody: string; body: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ body })
    .where('scope', '=', scope)
    .where('body', '=', earlierBody)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases the lock of a failed request, so that the key can be used again. A recorded response stays. */
export async function releaseKey(db: Database, { scope, requestId }: KeyUse): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('request_id', '=', requestId)
    .where('status', 'is', null)
    .execute();
}

/** Deletes up to `maxKeys` expired keys. */
export async function deleteExpiredKeys(db: Database, maxKeys: number): Promise<void> {
  await sql`
    delete from idempotency_keys where scope in (
      select scope from idempotency_keys where created_at <= now() - interval ${KEPT_FOR}
      order by created_at limit ${maxKeys} for update skip locked
    )`.execute(db);
}
