import { describe, expect, test } from 'vitest';
import { createToken, read, walkTokens } from './client.ts';
import { describeListing } from './listings.ts';
import type { Page, Token } from './shapes.ts';
import { allowlistedRequest, expectedToken, openRequest } from './token-requests.ts';

const isAscending = (ids: number[]) => ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));

describe('GET /v1/tokens', () => {
  describeListing(() => '/v1/tokens');

  test('lists each token once, by ascending id, as GET by id returns it', async () => {
    const created: Token[] = [];
    for (const request of [openRequest(), allowlistedRequest(), openRequest(), openRequest()]) {
      created.push(await createToken(await request));
    }
    const all = await walkTokens();
    const ids = all.map(({ tokenId }) => tokenId);
    expect(isAscending(ids)).toBe(true);
    const offset = ids.indexOf(created[0]?.tokenId ?? -1);
    const inSteps = await walkTokens(3, offset);
    expect(isAscending(inSteps.map(({ tokenId }) => tokenId))).toBe(true);
    // Other tests may have created more tokens meanwhile.
    expect(inSteps.slice(0, all.length - offset)).toEqual(all.slice(offset));
    for (const token of created) {
      expect(all.filter(({ tokenId }) => tokenId === token.tokenId)).toStrictEqual([token]);
    }
  });

  test('order=desc starts with the newest', async () => {
    const token = await createToken(await openRequest());
    const { data } = await read<Page<Token>>('/v1/tokens?order=desc&limit=1000');
    const ids = data.map(({ tokenId }) => tokenId);
    expect(isAscending(ids.toReversed())).toBe(true);
    expect(data.find(({ tokenId }) => tokenId === token.tokenId)).toStrictEqual(token);
  });

  test('order=asc is the default order', async () => {
    expect(await read('/v1/tokens?limit=2&order=asc')).toEqual(await read('/v1/tokens?limit=2'));
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
