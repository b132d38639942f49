import { newAddress, newWallet } from '@badge/test-support/signing';
import { beforeAll, expect, test } from 'vitest';
import { burn, claimWithSignature, createAllowlistedToken, expectDone } from './claim-requests.ts';
import { createToken, demoCommunityId, read } from './client.ts';
import { describeListing } from './listings.ts';
import type { Page, Token, WalletToken } from './shapes.ts';
import { allowlistedRequest, openRequest } from './token-requests.ts';

const wallet = newAddress();
const path = `/v1/wallets/${wallet}/tokens`;
const tokens: Token[] = [];
const walletTokens = (query = '', address = wallet) =>
  read<Page<WalletToken>>(`/v1/wallets/${address}/tokens${query}`);

beforeAll(async () => {
  for (let count = 0; count < 3; count += 1) {
    tokens.push(await createToken(await allowlistedRequest({ contributors: [newAddress(), wallet, 'ada'] })));
  }
});

describeListing(() => path);

test('a wallet lists allowlisted tokens as unclaimed, newest first', async () => {
  const newestFirst = tokens.toReversed();
  expect(await walletTokens()).toStrictEqual({
    limit: 50,
    offset: 0,
    data: newestFirst.map(({ tokenId, headline }) => ({
      badgeTokenId: tokenId,
      headline,
      assetUrl: expect.stringMatching(/^https?:\/\//),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      claimStatus: 'unclaimed',
      validUntilTimestamp: null,
      isExpired: false,
      isHiddenByOwner: false,
      communityId: demoCommunityId,
    })),
  });
});

test('createdAt is the time when the wallet was allowlisted', async () => {
  const { data } = await walletTokens('?limit=1');
  const allowlistedTimestamp = Date.parse(data[0]?.createdAt ?? '');
  expect(Math.abs(allowlistedTimestamp - (tokens[2]?.createdAtTimestamp ?? 0))).toBeLessThan(30_000);
});

test.each([
  ['lower case', wallet.toLowerCase()],
  ['upper case', `0x${wallet.slice(2).toUpperCase()}`],
  ['a wrong checksum', `0x${wallet.slice(2, 21).toLowerCase()}${wallet.slice(21).toUpperCase()}`],
])('a wallet is found by its address in %s', async (_title, address) => {
  expect(await walletTokens('', address)).toEqual(await walletTokens());
});

test('the list is paged', async () => {
  const pages = [];
  for (const offset of [0, 1, 2, 3]) pages.push(await walletTokens(`?limit=1&offset=${offset}`));
  const ids = pages.map(({ data }) => data.map(({ badgeTokenId }) => badgeTokenId));
  expect(ids).toEqual([...tokens.toReversed().map(({ tokenId }) => [tokenId]), []]);
});

test.each([
  ['?claimStatus=unclaimed', 3],
  ['?claimStatus=claimed', 0],
  ['?claimStatus=', 3],
  ['?communityId=', 3],
  [`?communityId=${demoCommunityId}`, 3],
  [`?communityId=${demoCommunityId}&claimStatus=unclaimed&limit=2`, 2],
  [`?communityId=${demoCommunityId}&claimStatus=claimed`, 0],
  ['?communityId=nobody', 0],
  ['?communityId=DEMO', 0],
  ['?communityId=demo%27--', 0],
])('%s returns %d tokens', async (query, count) => {
  expect((await walletTokens(query)).data).toHaveLength(count);
});

test('tokenId returns only this token, if the wallet lists it', async () => {
  const [token, other] = tokens as [Token, Token];
  const listed = (await walletTokens()).data.find(({ badgeTokenId }) => badgeTokenId === token.tokenId);
  const query = `?tokenId=${token.tokenId}`;
  expect((await walletTokens(query)).data).toStrictEqual([listed]);
  for (const [more, count] of [
    [`&communityId=${demoCommunityId}`, 1],
    ['&communityId=nobody', 0],
    ['&claimStatus=unclaimed', 1],
    ['&claimStatus=claimed', 0],
    ['&offset=1', 0],
    ['&limit=0', 0],
  ]) {
    expect((await walletTokens(query + more)).data, String(more)).toHaveLength(Number(count));
  }
  expect((await walletTokens(`?tokenId=${other.tokenId + 1_000_000}`)).data).toEqual([]);
  expect((await walletTokens(query, newAddress())).data).toEqual([]);
});

test('tokenId finds a claimed token, but not a burnt one', async () => {
  const owner = newWallet();
  const tokenId = await createAllowlistedToken([owner.address]);
  const read = async (more = '') => (await walletTokens(`?tokenId=${tokenId}${more}`, owner.address)).data;
  await expectDone(tokenId, claimWithSignature(tokenId, owner));
  expect(await read('&claimStatus=claimed')).toMatchObject([
    { badgeTokenId: tokenId, claimStatus: 'claimed' },
  ]);
  await expectDone(tokenId, burn(tokenId, owner));
  expect(await read()).toEqual([]);
});

test('a creator does not own the tokens it created', async () => {
  const creator = newWallet();
  await createToken(await openRequest({}, creator));
  await createToken(await allowlistedRequest({}, creator));
  expect((await walletTokens('', creator.address)).data).toEqual([]);
});
