import { newAddress, newWallet } from '@badge/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addContributors,
  burn,
  claimWithKey,
  claimWithSignature,
  createAllowlistedToken,
  createClaimLink,
  createClaimLinks,
  createOpenToken,
  expectDone,
  postTo,
  revokeClaimLink,
  signTokenId,
} from './claim-requests.ts';
import { asJson, call, parseOk, read } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';
import type { Token } from './shapes.ts';

const checkOwners = (body: unknown) =>
  call('/v1/checkOwners', { method: 'POST', headers: asJson, body: JSON.stringify(body) });
const readToken = (tokenId: number) => read<Token>(`/v1/tokens/${tokenId}`);

const [holder, former, stranger] = [newWallet(), newWallet(), newWallet()];
let first = 0;
let second = 0;
beforeAll(async () => {
  first = await createOpenToken({ totalClaimCount: 9 });
  second = await createOpenToken({ totalClaimCount: 9 });
  for (const [tokenId, wallet] of [
    [second, holder],
    [first, holder],
    [first, former],
  ] as const) {
    await expectDone(tokenId, claimWithSignature(tokenId, wallet));
  }
  await expectDone(first, burn(first, former));
});

describe('checkOwners', () => {
  test('says for each address, in the order sent, which tokens it holds, in ascending order', async () => {
    const addresses = [stranger.address, holder.address.toLowerCase(), former.address, holder.address];
    const response = await checkOwners({ addresses, tokenIds: [second, first, second] });
    expect(parseOk(response)).toStrictEqual({
      items: [
        { address: stranger.address, tokenIds: [] },
        { address: holder.address, tokenIds: [first, second] },
        { address: former.address, tokenIds: [] },
        { address: holder.address, tokenIds: [first, second] },
      ],
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('reports only the tokens of the request', async () => {
    const body = { addresses: [holder.address], tokenIds: [second] };
    expect(parseOk(await checkOwners(body))).toStrictEqual({
      items: [{ address: holder.address, tokenIds: [second] }],
    });
  });

  test('takes 1,000 addresses and 100 tokens', async () => {
    const addresses = [...Array.from({ length: 999 }, newAddress), holder.address];
    const tokenIds = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? first : second));
    const { items } = parseOk<{ items: { tokenIds: number[] }[] }>(
      await checkOwners({ addresses, tokenIds }),
    );
    expect(items).toHaveLength(1_000);
    expect(items.at(-1)?.tokenIds).toEqual([first, second]);
    expect(items.slice(0, -1).every((item) => item.tokenIds.length === 0)).toBe(true);
  });

  test('names the tokens that do not exist', async () => {
    const unknown = second + 1_000_000;
    const { detail } = expectProblem(
      await checkOwners({ addresses: [holder.address], tokenIds: [first, unknown] }),
      404,
      'TokenNotFound',
    );
    expect(detail).toContain(String(unknown));
  });

  test('lists every malformed address', async () => {
    const response = await checkOwners({ addresses: ['0x', holder.address, 'ada.eth'], tokenIds: [first] });
    expectPointers(response, ['/addresses/0', '/addresses/2']);
  });
});

describe('snapshotScores', () => {
  // What the strategy `api-v2` with the type `api-post` sends.
  const snapshotBody = (addresses: string[]) => ({
    options: { url: 'https://badge.example/v1/tokens/1/snapshotScores', type: 'api-post' },
    network: '1',
    snapshot: 19_000_000,
    addresses,
  });

  test('is 1 for who holds the token and 0 for others, with the addresses as they were sent', async () => {
    const addresses = [holder.address.toLowerCase(), stranger.address, former.address];
    const response = await postTo(first, 'snapshotScores', snapshotBody(addresses));
    expect(parseOk(response)).toStrictEqual({
      score: addresses.map((address, index) => ({ address, score: index === 0 ? 1 : 0 })),
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('is an empty list for no addresses, and 404 for an unknown token', async () => {
    expect(parseOk(await postTo(first, 'snapshotScores', snapshotBody([])))).toStrictEqual({ score: [] });
    expectProblem(await postTo(second + 1_000_000, 'snapshotScores', snapshotBody([])), 404, 'TokenNotFound');
  });

  test('takes 10,000 addresses', async () => {
    const addresses = Array.from({ length: 10_000 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    const { score } = parseOk<{ score: unknown[] }>(
      await postTo(first, 'snapshotScores', snapshotBody(addresses)),
    );
    expect(score).toHaveLength(10_000);
  });
});

describe('the counts of a token', () => {
  test('of an open token: claims count, burns do not lower them, and claim links add no contributors', async () => {
    expect(await readToken(first)).toMatchObject({ claimedCount: 2, contributorCount: null });
    await createClaimLinks(second, { count: 3 });
    expect(await readToken(second)).toMatchObject({ claimedCount: 1, contributorCount: null });
  });

  test('of an allowlisted token: who can claim it and how often it was claimed', async () => {
    const creator = newWallet();
    const wallet = newWallet();
    const tokenId = await createAllowlistedToken([wallet.address, 'ada@example.org'], creator);
    expect(await readToken(tokenId)).toMatchObject({ claimedCount: 0, contributorCount: 2 });
    await expectDone(tokenId, addContributors(tokenId, creator, ['bo@example.org', 'ADA@example.org']));
    expect(await readToken(tokenId)).toMatchObject({ claimedCount: 0, contributorCount: 3 });
    await expectDone(tokenId, claimWithSignature(tokenId, wallet));
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { identifier: 'ada@example.org' }));
    await expectDone(tokenId, burn(tokenId, wallet));
    expect(await readToken(tokenId)).toMatchObject({ claimedCount: 2, contributorCount: 3 });
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const { claimLinkId } = await createClaimLink(tokenId, { count: 1, signature });
    expect(await readToken(tokenId)).toMatchObject({ claimedCount: 2, contributorCount: 4 });
    expect((await revokeClaimLink(tokenId, claimLinkId)).status).toBe(204);
    expect(await readToken(tokenId)).toMatchObject({ claimedCount: 2, contributorCount: 3 });
  });
});
