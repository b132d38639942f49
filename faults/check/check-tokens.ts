import type { Token } from '@badge/protocol';
import { COMMUNITY_ID } from '../load/requests.ts';
import type { Evidence } from './evidence.ts';
import { operationIdOf } from './history.ts';
import type { StoredToken } from './stored.ts';
import type { Tally } from './tally.ts';

/** What was seen to be wrong, or checked, while the faults went on. */
export function checkObservations({ history }: Evidence, tally: Tally): void {
  for (const seen of history.observations) {
    if (seen.type === 'violation') tally.check(seen.invariant, false, () => seen.detail);
    else if (seen.type === 'checked') tally.add(seen.invariant, seen.count);
    else if (seen.type === 'asset') {
      tally.check('I8', seen.isWhole, () => `the picture of ${seen.nftTypeId} is not the uploaded one`);
    }
  }
}

/** I7 for what the API lists, I8 and I12. */
export function checkTokens({ history, answered, stored }: Evidence, tally: Tally): void {
  const listed = new Map(answered.tokens.map((token) => [Number(token.tokenId), token]));
  tally.check(
    'I7',
    listed.size === stored.tokens.size,
    () => `${listed.size} of ${stored.tokens.size} are listed`,
  );
  const ids = answered.tokens.map(({ tokenId }) => Number(tokenId));
  const isInOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
  tally.check('I7', isInOrder, () => 'the listing repeats a token, or is out of order');
  checkRequested(history, stored, tally);
  let expectedId = 0;
  for (const token of stored.tokens.values()) {
    const { id, communityId, nftTypeId } = token;
    tally.check(
      'I7',
      isToldAsStored(listed.get(id), token),
      () => `token ${id} is not listed as it is stored`,
    );
    const isAdded = stored.addedNftTypes.has(`${communityId}/${nftTypeId}`);
    const isBuiltIn = communityId === COMMUNITY_ID && answered.nftTypeIds.has(nftTypeId);
    tally.check('I8', isAdded || isBuiltIn, () => `token ${id} has the unknown type ${nftTypeId}`);
    expectedId += 1;
    tally.check('I12', id === expectedId, () => `token ${id} follows ${expectedId - 1}`);
  }
  tally.check('I8', stored.typesWithoutAsset === 0, () => `${stored.typesWithoutAsset} types have no asset`);
  tally.check('I12', stored.lastTokenId === expectedId, () => `the counter is at ${stored.lastTokenId}`);
}

function isToldAsStored(told: Token | undefined, stored: StoredToken): boolean {
  return (
    told !== undefined &&
    told.headline === stored.headline &&
    told.nftTypeId === stored.nftTypeId &&
    told.createdByAddress.toLowerCase() === `0x${stored.creator}` &&
    told.claimabilityAttributes.totalClaimCount === stored.total &&
    told.claimabilityAttributes.remainingClaimCount === stored.remaining
  );
}

function checkRequested({ accepted }: Evidence['history'], stored: Evidence['stored'], tally: Tally): void {
  const byOperation = new Map([...stored.tokens.values()].map((token) => [token.operationId, token]));
  for (const [location, { kind, body }] of accepted) {
    const token = byOperation.get(operationIdOf(location));
    if (kind !== 'createToken' || token === undefined) continue;
    const isAsSent =
      token.headline === body.headline &&
      token.nftTypeId === body.nftTypeId &&
      token.total === (body.totalClaimCount ?? null) &&
      token.expirationTimestamp === (body.expirationTimestamp ?? null);
    tally.check('I7', isAsSent, () => `token ${token.id} is not as ${location} asked`);
  }
}
