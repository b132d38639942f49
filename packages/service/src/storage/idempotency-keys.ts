import { sql } from 'kysely';
import type { Database } from './database.ts';

/** One use of an idempotency key: whose and where (32 bytes), of which body (32 bytes), by which request. */
export interface KeyUse {
  scope: Buffer;
  bodyHash: Buffer;
  requestId: string;
}

/** An answer as it was sent; its problem object, if it is one, names `requestId`. */
export interface KeptAnswer {
  requestId: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What a use finds: it may run, another is running, the key stands for another body, or there is an answer. */
export type Begin = 'begun' | 'running' | 'otherBody' | KeptAnswer;

const KEPT_FOR = sql.lit('24 hours');
// Longer than any request can run: only the key of a process that ended is taken over.
const LOCKED_FOR = sql.lit('180 seconds');

/** Begins a use: of all that come together, on any process, one may run. */
export async function beginKeyUse(db: Database, use: KeyUse): Promise<Begin> {
  // A second pass is needed only where the key was given back between the two statements.
  for (;;) {
    if (await insertKeyUse(db, use)) return 'begun';
    const found = await findKeyUse(db, use);
    if (found !== null) return found;
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

async function findKeyUse(db: Database, { scope, bodyHash }: KeyUse): Promise<Begin | null> {
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

/** Keeps the answer of a use; false if its key was taken over meanwhile. */
export async function finishKeyUse(
  db: Database,
  { scope, requestId }: KeyUse,
  answer: Omit<KeptAnswer, 'requestId'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({ status: answer.status, headers: JSON.stringify(answer.headers), body: answer.body })
    .where('scope', '=', scope)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a use without an answer: the key is as if it had never been used. */
export async function deleteKeyUse(db: Database, { scope, requestId }: KeyUse): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('request_id', '=', requestId)
    .execute();
}

/** Deletes some keys that are kept no longer. */
export async function deleteOldKeys(db: Database, maxKeys: number): Promise<void> {
  await sql`
    delete from idempotency_keys where scope in (
      select scope from idempotency_keys where created_at <= now() - interval ${KEPT_FOR}
      order by created_at limit ${maxKeys} for update skip locked
    )`.execute(db);
}
