import type { Token } from '@badge/protocol';
import type { SeenOperation } from '../journal.ts';
import { OPERATION_ERRORS } from './check-operations.ts';
import type { StoredOperation, StoredToken } from './database-state.ts';
import type { Evidence } from './evidence.ts';
import { contributorKey, operationIdOf } from './history.ts';
import type { InvariantTally } from './tally.ts';

// A flood is journaled only after it has ended, and the clocks of the services are hours apart.
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
const MAX_RETRIES_MS = 15 * 60_000;

/** I7: an operation has its effect if and only if it succeeded, and everything shown about it agrees. */
export function checkEffects(evidence: Evidence, tally: InvariantTally): void {
  checkStoredEffects(evidence, tally);
  checkAcceptedRequests(evidence, tally);
  checkSeenOperations(evidence, tally);
  checkListedTokens(evidence, tally);
}

function checkStoredEffects({ database }: Evidence, { expect }: InvariantTally): void {
  const tokens = new Map([...database.tokens.values()].map((token) => [token.operationId, token.id]));
  const claims = new Map(database.claims.map((claim) => [claim.operationId, claim.tokenId]));
  const burns = new Map(database.claims.map((claim) => [claim.burnOperationId, claim.tokenId]));
  for (const { id, type, status, resourceId } of database.operations.values()) {
    const effect = tokens.get(id) ?? claims.get(id) ?? burns.get(id) ?? null;
    const expected = status === 'success' && type !== 'addContributors' ? resourceId : null;
    expect(effect === expected, () => `${type} ${id} is ${status}, and its token is ${effect}`);
  }
}

function checkAcceptedRequests({ history, api, database }: Evidence, { expect }: InvariantTally): void {
  const tokens = new Map([...database.tokens.values()].map((token) => [token.operationId, token]));
  for (const [location, { kind, tokenId, body, sentFirstAtMs }] of history.accepted) {
    const operation = database.operations.get(operationIdOf(location));
    if (operation === undefined) continue;
    const delayMs = operation.createdAtMs - sentFirstAtMs;
    const isTimely = delayMs > -MAX_CLOCK_DIFFERENCE_MS && delayMs < MAX_RETRIES_MS;
    expect(isTimely, () => `${location} was created ${Math.round(delayMs)} ms after it was sent`);
    const isExpected =
      operation.status !== 'error' || OPERATION_ERRORS[kind].includes(operation.errorName ?? '');
    expect(isExpected, () => `${kind} ${location} failed with ${operation.errorName}`);
    const shown = api.operations.get(location);
    expect(
      shown === null || isSame(operation, shown),
      () => `the API shows ${location} as ${shown?.status}, but ${operation.status} is stored`,
    );
    if (operation.status !== 'success') continue;
    const id = tokenId ?? operation.resourceId;
    const isOfRequest = operation.type === kind && operation.resourceId === id;
    expect(isOfRequest, () => `${location} is not a ${kind} of token ${id}`);
    const keys = (body.contributors ?? []).map((contributor) => `${id}/${contributorKey(contributor)}`);
    const areAllListed = keys.every((key) => database.allowlist.has(key));
    expect(areAllListed, () => `${location} did not add all of its contributors`);
    const token = tokens.get(operation.id);
    if (kind !== 'createToken' || token === undefined) continue;
    const isAsRequested =
      token.headline === body.headline &&
      token.nftTypeId === body.nftTypeId &&
      token.total === (body.totalClaimCount ?? null) &&
      token.expirationTimestamp === (body.expirationTimestamp ?? null);
    expect(isAsRequested, () => `token ${token.id} differs from the request of ${location}`);
  }
}

// What was shown during the run must still be true.
function checkSeenOperations({ history, database }: Evidence, { expect, add }: InvariantTally): void {
  for (const seen of history.observations) {
    if (seen.type === 'snapshot') {
      add(seen.tokens + seen.claims);
    } else if (seen.type === 'operation' && seen.operation !== null) {
      const operation = database.operations.get(operationIdOf(seen.location));
      const isKept = operation !== undefined && isSame(operation, seen.operation);
      expect(isKept, () => `${seen.location} was ${seen.operation?.status} and is now ${operation?.status}`);
    }
  }
}

function checkListedTokens({ api, database }: Evidence, { expect }: InvariantTally): void {
  const ids = api.tokens.map(({ tokenId }) => Number(tokenId));
  const isInOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
  expect(isInOrder, () => 'the list of tokens repeats a token or is out of order');
  const listed = new Map(api.tokens.map((token) => [Number(token.tokenId), token]));
  expect(
    listed.size === database.tokens.size,
    () => `the API lists ${listed.size} of ${database.tokens.size} tokens`,
  );
  for (const token of database.tokens.values()) {
    expect(
      isSameToken(token, listed.get(token.id)),
      () => `the API shows token ${token.id} differently than it is stored`,
    );
  }
}

function isSame(stored: StoredOperation, shown: SeenOperation | undefined): boolean {
  return (
    shown !== undefined &&
    stored.status === shown.status &&
    stored.resourceId === shown.resourceId &&
    stored.errorName === shown.errorName
  );
}

function isSameToken(stored: StoredToken, shown: Token | undefined): boolean {
  return (
    shown !== undefined &&
    shown.headline === stored.headline &&
    shown.nftTypeId === stored.nftTypeId &&
    shown.createdByAddress.toLowerCase() === `0x${stored.creator}` &&
    shown.claimabilityAttributes.totalClaimCount === stored.total &&
    shown.claimabilityAttributes.remainingClaimCount === stored.remaining
  );
}
