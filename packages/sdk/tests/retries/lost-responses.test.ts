import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import type { BadgeClient } from '../../src/index.ts';
import { countTokens, loseResponses, OPEN, startBehindProxy } from '../../src/testing/lost-responses.ts';

test('a token whose response is lost twice is created once', async () => {
  const { lost, createFilter } = loseResponses(202, (number) => number <= 2);
  const { badge } = await startBehindProxy({}, { createFilter });
  const operation = await badge.createToken({ ...OPEN, signer: newWallet() });
  await operation.wait();
  expect(lost.count).toBe(2);
  expect(operation.isReplayed).toBe(true);
  expect(await countTokens(badge)).toBe(1);
});

test('claims, airdrops and burns whose responses are lost happen once', async () => {
  // The first response to each request is lost, and the response to its retry is not.
  const { lost, createFilter } = loseResponses(202, (number) => number % 2 === 1);
  const { badge } = await startBehindProxy({}, { createFilter });
  const [creator, claimer] = [newWallet(), newWallet()];
  const waitFor = async (operation: ReturnType<BadgeClient['claim']>) => (await operation).wait();
  const { tokenId } = await waitFor(badge.createToken({ ...OPEN, signer: creator }));
  await waitFor(badge.claim({ tokenId, signer: claimer }));
  await waitFor(badge.airdrop({ tokenId, address: newAddress() }));
  await waitFor(badge.burn({ tokenId, signer: claimer }));
  expect(lost.count).toBe(4);
  const { claimabilityAttributes } = await badge.getToken({ tokenId });
  expect(claimabilityAttributes.remainingClaimCount).toBe(8);
  expect((await badge.listOwners({ tokenId })).data).toHaveLength(1);
});
