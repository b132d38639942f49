import { describe, expect, test } from 'vitest';
import { createToken, read, walkTokens } from './client.ts';
import { describeListing } from './listings.ts';
import type { Page, Token } from './shapes.ts';
import { allowlistedRequest, expectedToken, openRequest } from './token-requests.ts';

const isAscending = (ids: number[]) => ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));

describe('GET /v1/tokens', () => {
  describeListing(() => '/v1/tokens');

  test('lists each token as GET by id returns it', async () => {
    const created: Token[] = [];
    for (const request of [openRequest(), allowlistedRequest(), openRequest(), openRequest()]) {
      created.push(await createToken(await request));
    }
    const all = await walkTokens();
    for (const token of created) {
      expect(all.filter(({ tokenId }) => tokenId === token.tokenId)).toStrictEqual([token]);
    }
  });

  test.each(['', '&order=asc'])('limit=1000%s lists tokens by ascending id, none twice', async (order) => {
    for (const request of [openRequest(), openRequest()]) await createToken(await request);
    const { data } = await read<Page<Token>>(`/v1/tokens?limit=1000${order}`);
    expect(data.length).toBeGreaterThan(1);
    expect(isAscending(data.map(({ tokenId }) => tokenId))).toBe(true);
  });

  // Other tests hide tokens meanwhile. community-tokens.test.ts tests the exact ids of pages, in a community
  // of its own.
  test.each([1, 2, 3])('offset=%d skips at least that many tokens', async (offset) => {
    for (let count = 0; count < offset + 3; count += 1) await createToken(await openRequest());
    const { data } = await read<Page<Token>>(`/v1/tokens?limit=3&offset=${offset}`);
    expect(data).toHaveLength(3);
    // Ids begin at 1. So a token after n others has an id greater than n.
    for (const [index, { tokenId }] of data.entries()) expect(tokenId).toBeGreaterThan(offset + index);
  });

  test('order=desc starts with the newest', async () => {
    const token = await createToken(await openRequest());
    const { data } = await read<Page<Token>>('/v1/tokens?order=desc&limit=1000');
    const ids = data.map(({ tokenId }) => tokenId);
    expect(isAscending(ids.toReversed())).toBe(true);
    expect(data.find(({ tokenId }) => tokenId === token.tokenId)).toStrictEqual(token);
  });

  test('contains a token as soon as its operation succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await createToken(await openRequest());
      const { data } = await read<Page<Token>>('/v1/tokens?order=desc&limit=1000');
      expect(data.map(({ tokenId }) => tokenId)).toContain(token.tokenId);
    }
  });
});

describe('GET /v1/tokens/:tokenId', () => {
  test('returns the token object itself, also for a path with a trailing slash or an unused parameter', async () => {
    const request = await openRequest();
    const { tokenId } = await createToken(request);
    for (const path of [`/v1/tokens/${tokenId}`, `/v1/tokens/${tokenId}/`, `/v1/tokens/${tokenId}?limit=x`]) {
      expect(await read<Token>(path)).toStrictEqual(expectedToken(request, tokenId));
    }
  });
});
