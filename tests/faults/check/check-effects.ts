import type { Token } from '@badge/protocol';
import type { SeenOperation } from '../journal.ts';
import { checkListedLinks } from './check-codes.ts';
import { OPERATION_ERRORS } from './check-operations.ts';
import type { StoredOperation, StoredToken } from './database-state.ts';
import type { Evidence } from './evidence.ts';
import { contributorKey, operationIdOf, type SentRequest } from './history.ts';
import type { InvariantTally } from './tally.ts';

// A flood is journaled after it has ended, so its operations are older than their journal entries. The client
// retries, so other operations may be much newer. Faults shift the clocks of processes by two hours, so a
// time of such a clock is outside these limits.
const MAX_BEFORE_ENTRY_MS = 5 * 60_000;
const MAX_AFTER_ENTRY_MS = 15 * 60_000;

/** I7: an operation has its effect if and only if it succeeded, and the API shows what is stored. */
export function checkEffects(evidence: Evidence, tally: InvariantTally): void {
  checkStoredEffects(evidence, tally);
  checkUndone(evidence, tally);
  checkAcceptedRequests(evidence, tally);
  checkRemovedContributors(evidence, tally);
  checkSeenOperations(evidence, tally);
  checkListedTokens(evidence, tally);
  checkListsAndCounts(evidence, tally);
  checkListedLinks(evidence, tally);
}

function checkListsAndCounts({ database }: Evidence, { expect }: InvariantTally): void {
  expect(
    database.wrongListRows === 0,
    () => `${database.wrongListRows} rows of the token lists differ from the tokens`,
  );
  expect(
    database.wrongCountRows === 0,
    () => `${database.wrongCountRows} tokens have wrong counts of claims or contributors`,
  );
}

function checkStoredEffects({ database }: Evidence, { expect }: InvariantTally): void {
  const tokens = new Map([...database.tokens.values()].map((token) => [token.operationId, token.id]));
  const claims = new Map(database.claims.map((claim) => [claim.operationId, claim.tokenId]));
  const burns = new Map(database.claims.map((claim) => [claim.burnOperationId, claim.tokenId]));
  for (const { id, type, status, resourceId } of database.operations.values()) {
    // A later operation can undo it. `checkUndone` compares the claims with all of these operations.
    if (status === 'success' && ['revoke', 'reinstate', 'move'].includes(type)) continue;
    // The token that the operation has created, claimed or burned.
    const changedTokenId = tokens.get(id) ?? claims.get(id) ?? burns.get(id) ?? null;
    // A change of an allowlist changes no token.
    const isOfAllowlist = type === 'addContributors' || type === 'removeContributors';
    const expected = status === 'success' && !isOfAllowlist ? resourceId : null;
    expect(
      changedTokenId === expected,
      () => `${type} ${id} is ${status}, and its token is ${changedTokenId}`,
    );
  }
}

// The successful revocations, reinstatements and moves of each address add up to what is stored.
function checkUndone({ history, database }: Evidence, { expect }: InvariantTally): void {
  const revocations = new Map<string, number>();
  const departures = new Map<string, number>();
  const add = (counts: Map<string, number>, claim: string, change: number) =>
    counts.set(claim, (counts.get(claim) ?? 0) + change);
  for (const [location, { kind, tokenId, owner, body }] of history.accepted) {
    if (owner === null || database.operations.get(operationIdOf(location))?.status !== 'success') continue;
    const claim = `${tokenId}/${contributorKey(owner)}`;
    if (kind === 'revoke') add(revocations, claim, 1);
    if (kind === 'reinstate') add(revocations, claim, -1);
    if (kind !== 'move' || body.toAddress === undefined) continue;
    add(departures, claim, 1);
    add(departures, `${tokenId}/${contributorKey(body.toAddress)}`, -1);
  }
  for (const { tokenId, address, ending, movedFrom } of database.claims) {
    const claim = `${tokenId}/${address}`;
    const revoked = revocations.get(claim) ?? 0;
    const isRevoked = ending === 'revoked';
    expect(
      revoked === Number(isRevoked),
      () => `${claim} is ${ending}, but was revoked ${revoked} times more`,
    );
    // An address that got the token by a move has lost it as often as it got it, if it does not have it.
    const departed = (departures.get(claim) ?? 0) + Number(movedFrom !== null);
    const isMoved = ending === 'moved';
    expect(
      departed === Number(isMoved),
      () => `${claim} is ${ending}, but was moved away ${departed} times more`,
    );
  }
}

// A removed contributor is off the allowlist. If the removal failed, the contributor has claimed. The load
// adds such contributors once only.
function checkRemovedContributors({ history, database }: Evidence, { expect }: InvariantTally): void {
  const used = new Set(database.claims.map((claim) => `${claim.tokenId}/${claim.contributorKey}`));
  for (const [location, { kind, tokenId, body }] of history.accepted) {
    if (kind !== 'removeContributors') continue;
    const isRemoved = database.operations.get(operationIdOf(location))?.status === 'success';
    for (const contributor of body.contributors ?? []) {
      const entry = `${tokenId}/${contributorKey(contributor)}`;
      const isRight = isRemoved ? !database.allowlist.has(entry) : used.has(entry);
      expect(isRight, () => `${location}: removed is ${isRemoved}, but ${entry} says otherwise`);
    }
  }
}

function checkAcceptedRequests({ history, api, database }: Evidence, { expect }: InvariantTally): void {
  const tokens = new Map([...database.tokens.values()].map((token) => [token.operationId, token]));
  const removed = new Set(
    history.requests
      .filter(({ kind }) => kind === 'removeContributors')
      .flatMap(({ tokenId, body }) =>
        (body.contributors ?? []).map((contributor) => `${tokenId}/${contributorKey(contributor)}`),
      ),
  );
  for (const [location, { kind, tokenId, body, journaledAtMs }] of history.accepted) {
    const operation = database.operations.get(operationIdOf(location));
    if (operation === undefined) continue;
    const delayMs = operation.createdAtMs - journaledAtMs;
    const isTimely = delayMs > -MAX_BEFORE_ENTRY_MS && delayMs < MAX_AFTER_ENTRY_MS;
    expect(isTimely, () => `${location} was created ${Math.round(delayMs)} ms after it was journaled`);
    const isExpected =
      operation.status !== 'error' || OPERATION_ERRORS[kind].includes(operation.errorName ?? '');
    expect(isExpected, () => `${kind} ${location} failed with ${operation.errorName}`);
    // Null for a 404, which violates I1.
    const shown = api.operations.get(location);
    expect(
      shown === null || isSameOperation(operation, shown),
      () => `the API shows ${location} as ${shown?.status}, but ${operation.status} is stored`,
    );
    if (operation.status !== 'success') continue;
    const id = tokenId ?? operation.resourceId;
    const isRequested = operation.type === kind && operation.resourceId === id;
    expect(isRequested, () => `${location} is not a ${kind} of token ${id}`);
    const keys = (body.contributors ?? []).map((contributor) => `${id}/${contributorKey(contributor)}`);
    const hasAddedAll = keys.every((key) => database.allowlist.has(key) || removed.has(key));
    expect(hasAddedAll, () => `${location} did not add all of its contributors`);
    const token = tokens.get(operation.id);
    if (kind !== 'createToken' || token === undefined) continue;
    expect(isAsRequested(token, body), () => `token ${token.id} differs from the request of ${location}`);
  }
}

function isAsRequested(token: StoredToken, body: SentRequest['body']): boolean {
  return (
    token.headline === body.headline &&
    token.communityId === body.communityId &&
    token.nftTypeId === body.nftTypeId &&
    token.total === (body.totalClaimCount ?? null) &&
    token.expirationTimestamp === (body.expirationTimestamp ?? null)
  );
}

// A final operation that the API showed during the run must not have changed.
function checkSeenOperations({ history, database }: Evidence, { expect, add }: InvariantTally): void {
  for (const seen of history.observations) {
    if (seen.type === 'snapshot') {
      add(seen.tokens + seen.claims);
    } else if (seen.type === 'operation' && seen.operation !== null) {
      const operation = database.operations.get(operationIdOf(seen.location));
      const isUnchanged = operation !== undefined && isSameOperation(operation, seen.operation);
      expect(
        isUnchanged,
        () => `${seen.location} was ${seen.operation?.status} and is now ${operation?.status}`,
      );
    }
  }
}

function checkListedTokens({ api, database }: Evidence, { expect }: InvariantTally): void {
  const ids = api.tokens.map(({ tokenId }) => Number(tokenId));
  const isInOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
  expect(isInOrder, () => 'the list of tokens repeats a token or is out of order');
  const listed = new Map(api.tokens.map((token) => [Number(token.tokenId), token]));
  const visible = [...database.tokens.values()].filter(({ isHidden }) => !isHidden);
  expect(
    listed.size === visible.length,
    () => `the API lists ${listed.size} of ${visible.length} visible tokens`,
  );
  for (const token of visible) {
    expect(
      isSameToken(token, listed.get(token.id)),
      () => `token ${token.id} in the API differs from the stored one`,
    );
  }
}

function isSameOperation(stored: StoredOperation, shown: SeenOperation | undefined): boolean {
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
