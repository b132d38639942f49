import { findValidApiKeys } from './api-keys.ts';
import { createBatcher } from './batcher.ts';
import { readClaimStates } from './claims.ts';
import { findCommunities } from './communities.ts';
import { findCredentialStates } from './credentials.ts';
import type { Database } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';
import { findKeyStates } from './idempotency-keys.ts';
import { findMemberRoles } from './members.ts';
import { findOperations } from './operations.ts';
import { findValidSessions } from './sessions.ts';
import { findTokenSummaries } from './tokens.ts';

const MAX_ITEMS = 256;

export type LookUps = ReturnType<typeof createLookUps>;

/**
 * Look-ups of single rows. Concurrent calls share a query
 * (docs/decisions/0036-concurrent-calls-are-batched.md).
 */
export function createLookUps(db: Database) {
  function joinQueries<Key, Result>(
    findMany: (db: Database, keys: Key[]) => Promise<Result[]>,
  ): (key: Key) => Promise<Result> {
    const options = { maxItems: MAX_ITEMS, isErrorOfAllItems: isDatabaseUnavailable };
    return createBatcher(options, (keys: Key[]) => findMany(db, keys));
  }

  return {
    /** Finds a valid API key by its SHA-256; null if there is none. */
    findApiKey: joinQueries(findValidApiKeys),
    /** Finds a valid session by the SHA-256 of its token; null if there is none. */
    findSession: joinQueries(findValidSessions),
    /** Returns the role of a member of a community; null for who is not a member. */
    findMemberRole: joinQueries(findMemberRoles),
    /** Returns the state of an idempotency key; null if the key is free. */
    findKeyState: joinQueries(findKeyStates),
    /** Finds a community by its id; undefined if there is none. */
    findCommunity: joinQueries(findCommunities),
    /** Finds an operation by its id in lower case; undefined if there is none. */
    findOperation: joinQueries(findOperations),
    /** Finds the columns of a token that most actions need; undefined if the token does not exist. */
    findToken: joinQueries(findTokenSummaries),
    /**
     * Returns the state that decides whether a claim is granted now; undefined if the token does not exist.
     */
    findClaimState: joinQueries(readClaimStates),
    /** Returns what a credential depends on; undefined if the token does not exist. */
    findCredentialState: joinQueries(findCredentialStates),
  };
}
