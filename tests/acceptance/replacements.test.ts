import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import {
  checkClaimCode,
  claimWithCode,
  claimWithKey,
  createClaimLink,
  createOpenToken,
  expectDone,
  outcomeOf,
  ownersOf,
  postTo,
} from './claim-requests.ts';
import { read, withDemoKey } from './client.ts';
import type { Page, Token } from './shapes.ts';

const replace = (tokenId: number, replacementTokenId: number) =>
  postTo(tokenId, 'replace', { replacementTokenId }, withDemoKey);

test('a replacement moves owners with their first times, and codes work at both tokens', async () => {
  const creator = newWallet();
  const [owner, claimer] = [newAddress(), newAddress()];
  const tokenId = await createOpenToken({}, creator);
  await expectDone(tokenId, claimWithKey(tokenId, owner));
  const before = await ownersOf(tokenId);
  const { code } = await createClaimLink(tokenId);
  const replacementTokenId = await createOpenToken({}, creator);

  await expectDone(tokenId, replace(tokenId, replacementTokenId));

  expect(await ownersOf(tokenId)).toEqual([]);
  expect(await ownersOf(replacementTokenId)).toEqual(before);
  const replaced = await read<Page<{ address: string; status: string }>>(
    `/v1/tokens/${tokenId}/owners?status=replaced`,
    withDemoKey,
  );
  expect(replaced.data).toMatchObject([{ address: owner, status: 'replaced' }]);
  expect(await read<Token>(`/v1/tokens/${tokenId}`)).toMatchObject({
    replacedByTokenId: replacementTokenId,
  });
  expect(await checkClaimCode(tokenId, code)).toMatchObject({ canClaim: true });
  await expectDone(replacementTokenId, claimWithCode(tokenId, code, claimer));
  expect((await ownersOf(replacementTokenId)).map(({ address }) => address)).toEqual([owner, claimer]);
});

test('a replaced token is refused, and so is a token of another creator', async () => {
  const creator = newWallet();
  const tokenId = await createOpenToken({}, creator);
  expect(await outcomeOf(replace(tokenId, await createOpenToken()))).toBe('ReplacementMismatch');
  await expectDone(tokenId, replace(tokenId, await createOpenToken({}, creator)));
  expect(await outcomeOf(claimWithKey(tokenId, newAddress()))).toBe('TokenReplaced');
});
