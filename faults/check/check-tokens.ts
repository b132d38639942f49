import { COMMUNITY_ID } from '../load/requests.ts';
import type { Evidence } from './evidence.ts';
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
export function checkTokens({ answered, stored }: Evidence, tally: Tally): void {
  const listed = new Map(answered.tokens.map((token) => [Number(token.tokenId), token]));
  tally.check(
    'I7',
    listed.size === stored.tokens.size,
    () => `${listed.size} of ${stored.tokens.size} are listed`,
  );
  let expectedId = 0;
  for (const { id, headline, remaining, communityId, nftTypeId } of stored.tokens.values()) {
    const told = listed.get(id);
    const isSame =
      told?.headline === headline && told.claimabilityAttributes.remainingClaimCount === remaining;
    tally.check('I7', isSame, () => `token ${id} is not listed as it is stored`);
    const isAdded = stored.addedNftTypes.has(`${communityId}/${nftTypeId}`);
    const isBuiltIn = communityId === COMMUNITY_ID && answered.nftTypeIds.has(nftTypeId);
    tally.check('I8', isAdded || isBuiltIn, () => `token ${id} has the unknown type ${nftTypeId}`);
    expectedId += 1;
    tally.check('I12', id === expectedId, () => `token ${id} follows ${expectedId - 1}`);
  }
  tally.check('I8', stored.typesWithoutAsset === 0, () => `${stored.typesWithoutAsset} types have no asset`);
  tally.check('I12', stored.lastTokenId === expectedId, () => `the counter is at ${stored.lastTokenId}`);
}
