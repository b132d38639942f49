import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';

/** One use of an idempotency key. */
export interface KeyUse {
  /** Identifies the key, the caller and the endpoint; 32 bytes. */
  scope: Buffer;
  /** 32 bytes. */
  bodyHash: Buffer;
  requestId: string;
}

/** A response as it was sent to the first request; if it is a problem object, it contains `requestId`. */
export interface StoredResponse {
  requestId: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * What a request with a key may do: `begun` executes, `running` and `otherBody` are rejected, a stored response is
 * sent again.
 */
export type KeyUseOutcome = 'begun' | 'running' | 'otherBody' | StoredResponse;

const KEPT_FOR = sql.lit('24 hours');
// Longer than any request can run, so only the key of a process that has ended is taken over.
const LOCKED_FOR = sql.lit('180 seconds');

/** Begins a use. Of concurrent requests with the same key, in any process, one gets `begun`. */
export async function beginKeyUse(db: Database, use: KeyUse): Promise<KeyUseOutcome> {
  // The loop repeats only if the key was released between the two statements.
  for (;;) {
    if (await insertKeyUse(db, use)) return 'begun';
    const outcome = await findKeyUse(db, use);
    if (outcome !== null) return outcome;
  }
}

async function insertKeyUse(db: Database, { scope, bodyHash, requestId }: KeyUse): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys as k (scope, body_hash, request_id, locked_until)
    values (${scope}, ${bodyHash}, ${requestId}, now() + interval ${LOCKED_FOR})
    on conflict (scope) do update
    set body_hash = excluded.body_hash, request_id = excluded.request_id, created_at = now(),
        locked_until = excluded.locked_until, status = null, headers = null, body = null
    where k.created_at <= now() - interval ${KEPT_FOR}
      or (k.status is null and k.locked_until <= now() and k.body_hash = excluded.body_hash)
    returning 1`.execute(db);
  return rows.length > 0;
}

async function findKeyUse(db: Database, { scope, bodyHash }: KeyUse): Promise<KeyUseOutcome | null> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'request_id', 'status', 'headers', 'body'])
    .where('scope', '=', scope)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (!row.body_hash.equals(bodyHash)) return 'otherBody';
  if (row.status === null || row.headers === null || row.body === null) return 'running';
  return { requestId: row.request_id, status: row.status, headers: row.headers, body: row.body };
}

/** Stores the response of a use. Returns false if another request has taken over the key. */
export async function storeResponse(
  db: Database,
  { scope, requestId }: KeyUse,
  response: Omit<StoredResponse, 'requestId'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({ status: response.status, headers: JSON.stringify(response.headers), body: response.body })
    .where('scope', '=', scope)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a use without storing a response, as if the key had not been used. */
export async function releaseKey(db: Database, { scope, requestId }: KeyUse): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('request_id', '=', requestId)
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
