import {
  checkCodesUsedOnce,
  checkCodesValid,
  checkRoomCounts,
  findClaimsByCode,
  findRoomsOf,
  MAX_REFUSAL_DELAY_MS,
} from './check-codes.ts';
import { type Evidence, refusedWith } from './evidence.ts';
import { contributorKey, operationIdOf, receiverOf } from './history.ts';
import type { InvariantTally } from './tally.ts';

/**
 * I3: claims + remaining = total, the count of a room link is that of its claims, and no claim was refused
 * with `NoTokensLeft` while the remaining count was above 0.
 */
export function checkCounts(evidence: Evidence, tally: InvariantTally): void {
  const { expect, add } = tally;
  const { history, database } = evidence;
  // A claim that was moved counts once, at the address that made it.
  const made = database.claims.filter(({ movedFrom }) => movedFrom === null);
  const claimsByToken = Map.groupBy(made, ({ tokenId }) => tokenId);
  for (const { id, total, remaining } of database.tokens.values()) {
    if (total === null) continue;
    const claims = claimsByToken.get(id)?.length ?? 0;
    const isConsistent = remaining !== null && claims + remaining === total && remaining >= 0;
    expect(isConsistent, () => `token ${id}: ${claims} claims + ${remaining} remaining of ${total}`);
  }
  for (const seen of history.observations) {
    if (seen.type === 'snapshot') {
      // The sampler has checked each of these tokens.
      add(seen.tokens);
    } else if (seen.type === 'token' && seen.counts !== null && seen.counts.total !== null) {
      const { total, remaining } = seen.counts;
      const isPossible = remaining !== null && remaining >= 0 && remaining <= total;
      expect(isPossible, () => `the API showed token ${seen.tokenId} with ${remaining} of ${total} left`);
    }
  }
  for (const { tokenId } of refusedWith('NoTokensLeft', evidence)) {
    const remaining = database.tokens.get(tokenId ?? 0)?.remaining;
    expect(remaining === 0, () => `NoTokensLeft for token ${tokenId}, which has ${remaining} left`);
  }
  checkRoomCounts(evidence, tally);
}

/**
 * I4: only contributors on its allowlist, and whoever presents a valid code, claim an allowlisted token.
 * Nobody claims a token after it has expired.
 */
export function checkAllowlists(evidence: Evidence, tally: InvariantTally): void {
  const { history, database } = evidence;
  const { expect } = tally;
  // A contributor who is added later may be refused before the addition. So a refusal is checked only against
  // the contributors that the token was created with.
  const listedAtCreation = new Set<string>();
  const listed = new Set<string>();
  for (const [location, { kind, body, tokenId }] of history.accepted) {
    const id =
      kind === 'createToken' ? database.operations.get(operationIdOf(location))?.resourceId : tokenId;
    for (const contributor of body.contributors ?? []) {
      const entry = `${id}/${contributorKey(contributor)}`;
      listed.add(entry);
      if (kind === 'createToken') listedAtCreation.add(entry);
    }
  }
  const claimsByCode = findClaimsByCode(evidence);
  const roomsOf = findRoomsOf(evidence);
  for (const claim of database.claims) {
    const { tokenId, address, contributorKey: key, operationId } = claim;
    // An admin may give a token to anybody, and a community may move it to anybody.
    const { type = '' } = database.operations.get(operationId) ?? {};
    if (['communityAdminAirdrop', 'move'].includes(type)) continue;
    const isOpenToken = database.tokens.get(tokenId)?.total !== null;
    if (isOpenToken) continue;
    // `checkCodesValid` checks the codes.
    const isAllowed =
      (key !== null && listed.has(`${tokenId}/${key}`)) ||
      claimsByCode.has(operationId) ||
      roomsOf(claim).length > 0;
    expect(isAllowed, () => `0x${address} has token ${tokenId} but is not on its allowlist and sent no code`);
  }
  for (const { tokenId, body } of refusedWith('AddressNotAllowlisted', evidence)) {
    const sent = [body.claimingAddress, body.identifier].filter((text) => text !== undefined);
    // A claim with a code needs no entry for its address, so it never gets this error.
    const isRefusalRight =
      body.claimCode === undefined &&
      !sent.some((text) => listedAtCreation.has(`${tokenId}/${contributorKey(text)}`));
    expect(isRefusalRight, () => `${sent.join(' ')} may claim token ${tokenId} but was refused`);
  }
  checkCodesValid(evidence, tally);
  checkExpirations(evidence, tally);
}

// The clock of the database decides what has expired.
function checkExpirations(evidence: Evidence, { expect }: InvariantTally): void {
  const { operations, tokens, claims } = evidence.database;
  const expiresAtMs = (tokenId: number | null) => tokens.get(tokenId ?? 0)?.expirationTimestamp ?? Infinity;
  for (const { tokenId, operationId, movedFrom } of claims) {
    if (movedFrom !== null) continue;
    const claimedAtMs = operations.get(operationId)?.createdAtMs ?? 0;
    expect(claimedAtMs < expiresAtMs(tokenId), () => `token ${tokenId} was claimed after it had expired`);
  }
  for (const { tokenId, journaledAtMs } of refusedWith('TokenClaimExpired', evidence)) {
    const hasExpired = expiresAtMs(tokenId) < journaledAtMs + MAX_REFUSAL_DELAY_MS;
    expect(hasExpired, () => `a claim of token ${tokenId} was refused as expired before it expired`);
  }
}

/**
 * I5: an address, identifier or code gets the same token at most once, and the API shows the stored owners.
 */
export function checkOwners(evidence: Evidence, tally: InvariantTally): void {
  const { history, database, api } = evidence;
  const { expect } = tally;
  // No address has the same token twice, and no allowlist entry is used twice.
  const claimed = new Set<string>();
  const usedEntries = new Set<string>();
  const owners = new Map<number, string[]>();
  for (const { tokenId, address, contributorKey: key, burnOperationId } of database.claims) {
    const entry = key === null ? null : `${tokenId}/${key}`;
    const isFirst = !claimed.has(`${tokenId}/${address}`) && (entry === null || !usedEntries.has(entry));
    expect(isFirst, () => `0x${address}, or the identifier it used, has token ${tokenId} twice`);
    claimed.add(`${tokenId}/${address}`);
    if (entry !== null) usedEntries.add(entry);
    if (burnOperationId === null) owners.set(tokenId, [...(owners.get(tokenId) ?? []), address]);
  }

  // A stored claim names the operation that granted it and, after a burn, the operation that burned it. So
  // the claim of each successful operation must name this operation, and no two operations may have granted
  // the same claim.
  const claimByOperation = new Map<string | null, string>();
  for (const { tokenId, address, operationId, burnOperationId } of database.claims) {
    const claim = `${tokenId}/${address}`;
    claimByOperation.set(operationId, claim).set(burnOperationId, claim);
  }
  const granted = new Set<string>();
  for (const [location, { kind, tokenId, body }] of history.accepted) {
    const operationId = operationIdOf(location);
    const address = receiverOf(body) || body.burningAddress;
    if (address === undefined || database.operations.get(operationId)?.status !== 'success') continue;
    const claim = `${tokenId}/${contributorKey(address)}`;
    const isOwn = claimByOperation.get(operationId) === claim;
    expect(isOwn, () => `${location} succeeded for ${claim}, but no claim names this operation`);
    if (kind === 'burn') continue;
    expect(!granted.has(claim), () => `two operations granted ${claim}`);
    granted.add(claim);
  }

  // If a request was refused with ClaimingAddressAlreadyHasToken, its address or identifier got the token
  // before.
  for (const { tokenId, body } of refusedWith('ClaimingAddressAlreadyHasToken', evidence)) {
    const { identifier } = body;
    const receiver = body.toAddress ?? receiverOf(body);
    const gotToken =
      claimed.has(`${tokenId}/${contributorKey(receiver)}`) ||
      (identifier !== undefined && usedEntries.has(`${tokenId}/${contributorKey(identifier)}`));
    expect(gotToken, () => `${receiver} was refused because it has token ${tokenId}, but it never got it`);
  }
  // The API shows the stored owners.
  for (const [tokenId, shown] of api.owners) {
    const isSame = shown.toSorted().join() === (owners.get(tokenId) ?? []).toSorted().join();
    expect(isSame, () => `the owners of token ${tokenId} in the API differ from the stored ones`);
  }
  checkCodesUsedOnce(evidence, tally);
}
