import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Journal } from '../journal.ts';

const PAUSE_MS = 150;
// A server that is cut off from the network neither responds nor closes the connection.
const QUERY_TIMEOUT_MS = 10_000;
const NEWEST_TOKENS = 150;

/** A token in a snapshot. */
interface Sample {
  id: number;
  total: number | null;
  remaining: number | null;
  claims: number;
  /** The status of the operation that created the token. */
  status: string;
  /** The claims whose operation has not succeeded. */
  unsuccessful: number;
}

// A single statement, so that all counts come from one snapshot.
const SAMPLE = `
  select t.token_id::integer as id, t.total_claim_count::integer as total,
         t.remaining_claim_count::integer as remaining, o.status,
         count(c.address) filter (where c.moved_from is null)::integer as claims,
         count(c.address) filter (where claim_operation.status <> 'success')::integer as unsuccessful
  from tokens t
  join operations o using (operation_id)
  left join claims c using (token_id)
  left join operations claim_operation on claim_operation.operation_id = c.operation_id
  where t.token_id > (select max(token_id) from tokens) - ${NEWEST_TOKENS}
  group by t.token_id, o.status`;

const OLDEST_PENDING = `
  select extract(epoch from now() - created_at)::double precision * 1000 as oldest_ms
  from operations where status = 'pending' order by sequence limit 1`;

/**
 * Reads snapshots of the newest tokens during the faults. Journals each violation of I3 (the counts are
 * right) and of I7 (the operation and the token agree).
 */
export function startSampler(databaseUrl: string, journal: Journal): { stop(): Promise<void> } {
  const stopping = new AbortController();

  async function sampleUntilDisconnected(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 2_000,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    // The next query reports a lost connection.
    client.on('error', () => undefined);
    try {
      await client.connect();
      while (!stopping.signal.aborted) {
        const { rows } = await client.query<Sample>(SAMPLE);
        const claims = rows.reduce((sum, row) => sum + row.claims, 0);
        const { rows: pending } = await client.query<{ oldest_ms: number | null }>(OLDEST_PENDING);
        const oldestPendingMs = pending[0]?.oldest_ms ?? 0;
        await journal.append({ type: 'snapshot', tokens: rows.length, claims, oldestPendingMs });
        for (const row of rows) await checkSample(row);
        await wait(PAUSE_MS);
      }
    } catch (error) {
      // PostgreSQL was killed, is still starting, or is cut off. Errors of class 42 come from a wrong
      // statement.
      if (error instanceof pg.DatabaseError && error.code?.startsWith('42')) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function checkSample({ id, total, remaining, claims, status, unsuccessful }: Sample): Promise<void> {
    if (total !== null && claims + (remaining ?? 0) !== total)
      await journal.violation('I3', `token ${id}: ${claims} claims + ${remaining} remaining of ${total}`);
    if (status !== 'success')
      await journal.violation('I7', `token ${id} exists while its operation is ${status}`);
    if (unsuccessful > 0)
      await journal.violation(
        'I7',
        `token ${id} has ${unsuccessful} claims whose operation has not succeeded`,
      );
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sampleUntilDisconnected();
      await wait(PAUSE_MS);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
