import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { IS_SESSION_VALID } from './rights.ts';

export interface ValidSession {
  sessionId: string;
  address: Address;
  expiresAt: Date;
}

/** Returns the session of each SHA-256 hash, in the same order; null if the session is unknown, expired or ended. */
export async function findValidSessions(db: Database, hashes: Buffer[]): Promise<(ValidSession | null)[]> {
  const { rows } = await prepared<{
    session_id: string;
    token_hash: Buffer;
    address: Address;
    expires_at: Date;
  }>`
    select s.session_id, s.token_hash, s.address, s.expires_at
    from unnest((select ${hashes}::bytea[])) as presented (token_hash)
    cross join lateral (select * from sessions s where s.token_hash = presented.token_hash limit 1) s
    where ${IS_SESSION_VALID}`.execute(db);
  const byHash = new Map(
    rows.map((row) => [
      row.token_hash.toString('hex'),
      { sessionId: row.session_id, address: row.address, expiresAt: row.expires_at },
    ]),
  );
  return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
}
