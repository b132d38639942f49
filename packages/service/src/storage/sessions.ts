import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { ContractEvidence } from '../signatures/contract-evidence.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { countsOnChain, IS_SESSION_VALID, WALLET_CHAIN_ID } from './rights.ts';

/** A session of a wallet. */
export interface WalletSession {
  sessionId: string;
  address: Address;
  /** The chain of the contract wallet that has signed in; null if a key has. */
  walletChainId: number | null;
  expiresAt: Date;
  /** Whether the address is a member of any community in which the session counts. */
  isMember: boolean;
}

/** A session of somebody who has proven an e-mail address. */
export interface EmailSession {
  sessionId: string;
  /** The keyed hash of the address. */
  emailHash: Buffer;
  /** Encrypted for `sessionId`. */
  encryptedEmail: Buffer;
  expiresAt: Date;
}

/**
 * Who has signed in: a wallet, or somebody with an e-mail address. A contract on another chain can be that of
 * somebody else.
 */
export type SessionHolder =
  | Pick<WalletSession, 'address' | 'walletChainId'>
  | Pick<EmailSession, 'emailHash'>;

// SQL: ends a session. Challenges and codes are valid for up to 15 minutes, so a nonce need not be known for
// longer.
const END = sql`ended_at = now(), expires_at = least(expires_at, now() + interval '15 minutes')`;

// SQL: whether the address of the session `s` is a member of a community in which the session counts.
const IS_MEMBER = sql<boolean>`exists (
  select from members m
  where m.address = s.address and ${countsOnChain(WALLET_CHAIN_ID, sql`m.community_id`)}
)`;

/** SQL: whether the session `s` is valid, and of this wallet or this e-mail address. */
const isOf = (holder: SessionHolder) =>
  'emailHash' in holder
    ? sql`s.email_hash = ${holder.emailHash} and ${IS_SESSION_VALID}`
    : sql`s.address = ${holder.address} and ${IS_SESSION_VALID}
        and ${WALLET_CHAIN_ID} is not distinct from ${holder.walletChainId}::bigint`;

/**
 * Returns the session of each SHA-256 hash, in the same order; null if the session is unknown, expired or
 * ended.
 */
export async function findValidSessions(
  db: Database,
  hashes: Buffer[],
): Promise<(WalletSession | EmailSession | null)[]> {
  const { rows } = await prepared<SessionRow & { token_hash: Buffer }>`
    select s.session_id, s.token_hash, s.address, ${WALLET_CHAIN_ID} as wallet_chain_id, s.email_hash,
           s.encrypted_email, s.expires_at, ${IS_MEMBER} as is_member
    from unnest((select ${hashes}::bytea[])) as presented (token_hash)
    cross join lateral (select * from sessions s where s.token_hash = presented.token_hash limit 1) s
    where ${IS_SESSION_VALID}`.execute(db);
  const byHash = new Map(rows.map((row) => [row.token_hash.toString('hex'), toSession(row)]));
  return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
}

interface SessionRow {
  session_id: string;
  address: Address | null;
  wallet_chain_id: number | null;
  email_hash: Buffer | null;
  encrypted_email: Buffer | null;
  expires_at: Date;
  is_member: boolean;
}

function toSession(row: SessionRow): WalletSession | EmailSession {
  const { session_id: sessionId, expires_at: expiresAt, address } = row;
  const { email_hash: emailHash, encrypted_email: encryptedEmail } = row;
  if (address !== null) {
    return { sessionId, address, walletChainId: row.wallet_chain_id, expiresAt, isMember: row.is_member };
  }
  if (emailHash === null || encryptedEmail === null) throw new Error(`session ${sessionId} is of nobody`);
  return { sessionId, emailHash, encryptedEmail, expiresAt };
}

/** The key that authenticates challenges, which all processes share, and the database's time. */
export async function readChallengeKey(db: Database): Promise<{ key: Buffer; nowTimestamp: number }> {
  const { rows } = await prepared<{ key: Buffer; now: Date }>`
    select key, now() as now from challenge_key`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the table challenge_key is empty');
  return { key: row.key, nowTimestamp: row.now.getTime() };
}

/** Whether a session was made with the nonce. */
export async function isNonceUsed(db: Database, nonce: string): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .select('session_id')
    .where('nonce', '=', nonce)
    .executeTakeFirst();
  return found !== undefined;
}

/** Sign-ins of one wallet or e-mail address wait for each other, until the end of the transaction. */
export async function lockSessionsOf(tx: DatabaseTransaction, holder: SessionHolder): Promise<void> {
  const bytes = 'emailHash' in holder ? holder.emailHash : holder.address;
  await sql`select pg_advisory_xact_lock(hashtextextended('session ' || encode(${bytes}, 'hex'), 0))`.execute(
    tx,
  );
}

/** Ends the oldest sessions above `maxSessions`. */
async function endOldestSessions(
  tx: DatabaseTransaction,
  holder: SessionHolder,
  maxSessions: number,
): Promise<void> {
  await sql`
    update sessions set ${END} where session_id = any(array(
      select s.session_id from sessions s where ${isOf(holder)}
      order by s.created_at desc, s.session_id offset ${maxSessions}
    ))`.execute(tx);
}

/**
 * Adds a session, and ends the oldest ones of the address above `maxSessions`. Returns undefined, and changes
 * nothing, if a session was made with the same nonce before. The session of an address that is a member of no
 * community in which it counts is valid for `nonMemberValidMs`.
 */
export async function insertSession(
  tx: DatabaseTransaction,
  session: {
    hash: Buffer;
    address: Address;
    nonce: string;
    validMs: number;
    nonMemberValidMs: number;
    maxSessions: number;
    /** What the contract of the address has confirmed; null if its key has signed. */
    evidence: ContractEvidence | null;
  },
): Promise<Pick<WalletSession, 'address' | 'walletChainId' | 'expiresAt'> | undefined> {
  const walletChainId = session.evidence?.chainId ?? null;
  const chain = sql`${walletChainId}::bigint`;
  const holder = { address: session.address, walletChainId };
  // So that none misses the session of another.
  await lockSessionsOf(tx, holder);
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sessions (session_id, token_hash, address, nonce, evidence, expires_at)
    values (${randomUUID()}, ${session.hash}, ${session.address}, ${session.nonce},
            ${session.evidence && JSON.stringify(session.evidence)}::text::jsonb,
            now() + interval '1 ms' * case when exists (
              select from members m where m.address = ${session.address} and ${countsOnChain(chain, sql`m.community_id`)}
            ) then ${session.validMs}::bigint else ${session.nonMemberValidMs}::bigint end)
    on conflict (nonce) do nothing
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) return undefined;
  await endOldestSessions(tx, holder, session.maxSessions);
  return { ...holder, expiresAt: row.expires_at };
}

/**
 * Adds a session of an e-mail address, and ends its oldest ones above `maxSessions`. Returns when it expires;
 * undefined, and changes nothing, if a session was made with the same nonce before. The sessions of the
 * address must be locked.
 */
export async function insertEmailSession(
  tx: DatabaseTransaction,
  session: {
    sessionId: string;
    hash: Buffer;
    emailHash: Buffer;
    encryptedEmail: Buffer;
    nonce: string;
    validMs: number;
    maxSessions: number;
  },
): Promise<Date | undefined> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sessions (session_id, token_hash, email_hash, encrypted_email, nonce, expires_at)
    values (${session.sessionId}, ${session.hash}, ${session.emailHash}, ${session.encryptedEmail},
            ${session.nonce}, now() + interval '1 ms' * ${session.validMs}::bigint)
    on conflict (nonce) do nothing
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row !== undefined) await endOldestSessions(tx, session, session.maxSessions);
  return row?.expires_at;
}

/** Ends a session. Its row stays until its challenge has expired, so that its nonce cannot be used again. */
export async function endSession(db: Database, sessionId: string): Promise<void> {
  await sql`
    update sessions set ${END} where session_id = ${sessionId} and ended_at is null`.execute(db);
}

/** Lists the valid sessions of a wallet or an e-mail address, newest first. */
export async function listSessionsOf(
  db: Database,
  holder: SessionHolder,
  page: { limit: number; offset: number },
): Promise<{ session_id: string; created_at: Date; expires_at: Date }[]> {
  const { rows } = await sql<{ session_id: string; created_at: Date; expires_at: Date }>`
    select s.session_id, s.created_at, s.expires_at from sessions s where ${isOf(holder)}
    order by s.created_at desc, s.session_id limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** Ends all sessions of a wallet or an e-mail address. */
export async function endSessionsOf(tx: DatabaseTransaction, holder: SessionHolder): Promise<void> {
  // A sign-in at the same moment also ends sessions: without its lock, the two could wait for each other's
  // rows.
  await lockSessionsOf(tx, holder);
  await sql`update sessions s set ${END} where ${isOf(holder)}`.execute(tx);
}

/**
 * Deletes up to `maxSessions` expired sessions, which another process is not deleting. Returns their number.
 */
export async function deleteExpiredSessions(db: Database, maxSessions: number): Promise<number> {
  const { rows } = await sql`
    delete from sessions where session_id = any(array(
      select session_id from sessions where expires_at <= now() order by expires_at limit ${maxSessions}
      for update skip locked
    ))
    returning session_id`.execute(db);
  return rows.length;
}
