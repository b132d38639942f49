import { COMMUNITY_ID } from '../load/requests.ts';
import type { Evidence } from './evidence.ts';
import type { InvariantTally } from './tally.ts';

/**
 * I8: every token has a known NFT type, every NFT type in use has its asset, and assets are served unchanged.
 */
export function checkAssets({ history, api, database }: Evidence, { expect }: InvariantTally): void {
  for (const { id, communityId, nftTypeId } of database.tokens.values()) {
    const isAdded = database.nftTypes.has(`${communityId}/${nftTypeId}`);
    // The API lists the built-in types together with those that the community has added.
    const isBuiltIn = api.nftTypeIds.has(nftTypeId) && !database.nftTypes.has(`${COMMUNITY_ID}/${nftTypeId}`);
    expect(isAdded || isBuiltIn, () => `token ${id} has the unknown NFT type ${nftTypeId}`);
  }
  expect(
    database.nftTypesWithoutAsset === 0,
    () => `${database.nftTypesWithoutAsset} NFT types have no asset`,
  );
  for (const seen of history.observations) {
    if (seen.type !== 'asset') continue;
    expect(seen.isUnchanged, () => `the image of ${seen.nftTypeId} is not the uploaded one`);
  }
}

/** I12: token ids are 1, 2, 3… up to the counter. */
export function checkIds({ database }: Evidence, { expect }: InvariantTally): void {
  let lastId = 0;
  for (const id of database.tokenIds) {
    const expectedId = lastId + 1;
    expect(id === expectedId, () => `token ${id} is where token ${expectedId} is expected`);
    lastId = expectedId;
  }
  expect(
    database.lastTokenId === lastId,
    () => `the counter is at ${database.lastTokenId}, with ${lastId} tokens`,
  );
}
