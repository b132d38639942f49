import { newAddress } from '@badge/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, createToken, demoCommunityId, parseOk, read, walkTokens, withDemoKey } from './client.ts';
import { describeListing } from './listings.ts';
import { asOperator, createApiKey, createCommunity, createTokenOf, operatorOnly, send } from './operator.ts';
import { expectProblem } from './problems.ts';
import type { Body, CommunityToken, Page, Token, WalletToken } from './shapes.ts';
import { allowlistedRequest, newHeadline, openRequest } from './token-requests.ts';

const pathOf = (communityId: string) => `/v1/communities/${communityId}/tokens`;
const idsOf = async (path: string, headers: Record<string, string> = {}) =>
  (await read<Page<CommunityToken>>(path, headers)).data.map(({ tokenId }) => tokenId);
const setHidden = (tokenId: number, isHidden: boolean, headers = withDemoKey) =>
  send('PATCH', `/v1/tokens/${tokenId}`, { isHidden }, headers);

describe('GET /v1/communities/:communityId/tokens', () => {
  describeListing(() => pathOf(demoCommunityId));

  test('shows five fields of each token, whatever key is sent', async () => {
    const customAttributes = [{ fieldName: 'org info', type: 'string', value: 'wonder' }];
    const token = await createToken(await openRequest({ customAttributes }));
    for (const headers of [{}, withDemoKey, { 'X-API-Key': 'wrong', Authorization: 'Bearer wrong' }]) {
      const path = `${pathOf(demoCommunityId)}?headline=${encodeURIComponent(token.headline)}`;
      const { data } = await read<Page<CommunityToken>>(path, headers);
      expect(data).toStrictEqual([
        {
          tokenId: token.tokenId,
          headline: token.headline,
          assetUrl: expect.stringMatching(/^https?:\/\//),
          createdAtTimestamp: new Date(token.createdAtTimestamp).toISOString(),
          customAttributes,
        },
      ]);
    }
  });
});

describe('filters', () => {
  /**
   * The value of the attribute `mark` of every token below. Every query filters by it, so it finds no other
   * tokens.
   */
  const mark = newHeadline();
  const attribute = (type: string, value: unknown, fieldName = 'x') => ({ fieldName, type, value });
  const marked = attribute('string', mark, 'mark');
  const tokens: Record<string, Body[]> = {
    text: [attribute('string', 'wonder')],
    digits: [attribute('string', '5')],
    five: [attribute('number', 5)],
    fraction: [attribute('number', -0.25)],
    huge: [attribute('number', 1e21)],
    word: [attribute('string', 'true')],
    yes: [attribute('boolean', true)],
    no: [attribute('boolean', false)],
    day: [attribute('date', '2024-05-01')],
    moment: [attribute('date', 1_700_000_000_000)],
    empty: [attribute('string', '')],
    capital: [attribute('string', 'wonder', 'X'), attribute('number', 5, 'y')],
    special: [attribute('string', 'w/1 ~ ü🎖', 'a/b ~c&=+ü🎖')],
    proto: [attribute('string', 'p', '__proto__'), attribute('string', 'q', 'toString')],
  };
  const names = Object.keys(tokens);
  const idByName = new Map<string, number>();
  const namesOf = async (query: string) => {
    const path = `${pathOf(demoCommunityId)}?mark=${encodeURIComponent(mark)}&${query}`;
    const ids = await idsOf(path);
    return ids.map((id) => names.find((name) => idByName.get(name) === id));
  };

  beforeAll(async () => {
    for (const name of names) {
      const customAttributes = [marked, ...(tokens[name] ?? [])];
      const token = await createToken(await openRequest({ headline: `${mark} ${name}`, customAttributes }));
      idByName.set(name, token.tokenId);
    }
  });

  test.each([
    ['', names],
    ['order=desc', names.toReversed()],
    ['order=&limit=&offset=', names],
    ['limit=2&offset=1', names.slice(1, 3)],
    ['order=desc&limit=2&offset=1', names.toReversed().slice(1, 3)],
    ['x=wonder', ['text']],
    ['X=wonder', ['capital']],
    ['x=Wonder', []],
    ['x=wonde', []],
    ['x=5', ['digits', 'five']],
    ['x=5.0', []],
    ['x=05', []],
    ['x=-0.25', ['fraction']],
    ['x=1e%2B21', ['huge']],
    ['x=true', ['word', 'yes']],
    ['x=false', ['no']],
    ['x=2024-05-01', ['day']],
    ['x=1700000000000', ['moment']],
    ['x=', ['empty']],
    ['x', ['empty']],
    ['x=null', []],
    ['x=%25', []],
    ['x=%', []],
    ['x=%ff', []],
    ['X=wonder&y=5', ['capital']],
    ['X=wonder&y=6', []],
    ['a%2Fb%20~c%26%3D%2B%C3%BC%F0%9F%8E%96=w/1+~%20%C3%BC%F0%9F%8E%96', ['special']],
    ['__proto__=p', ['proto']],
    ['toString=q', ['proto']],
    ['constructor=q', []],
    ['tokenId=1', []],
    ['%00=1', []],
    ["x'=1;--", []],
    [Array.from({ length: 60 }, (_, index) => `f${index}=1`).join('&'), []],
    [`headline=${encodeURIComponent(`${mark} five`)}`, ['five']],
    [`headline=${encodeURIComponent(`${mark} five`)}&x=5`, ['five']],
    [`headline=${encodeURIComponent(`${mark} five`)}&x=6`, []],
    [`headline=${encodeURIComponent(mark)}`, []],
    ['headline=', names],
    ['isHidden=', names],
  ])('?%s finds the tokens %j', async (query, expected) => {
    expect(await namesOf(query)).toEqual(expected);
  });
});

describe('a hidden token', () => {
  test('is missing from the lists of tokens, but not from wallets, and can still be read by its id', async () => {
    const address = newAddress();
    const request = await allowlistedRequest({ contributors: [address] });
    const token = await createToken(request);
    const visible = await createToken(await openRequest());
    const path = `${pathOf(demoCommunityId)}?headline=${encodeURIComponent(token.headline)}`;
    const isIn = async (listing: string) => (await idsOf(listing, withDemoKey)).includes(token.tokenId);
    /** Reads which listings contain the token. */
    const readListings = async () => ({
      isInAllTokens: (await walkTokens()).some(({ tokenId }) => tokenId === token.tokenId),
      isInCommunity: await isIn(path),
      isInVisibleTokens: await isIn(`${path}&isHidden=false`),
      isInHiddenTokens: await isIn(`${path}&isHidden=true`),
    });
    const asVisible = {
      isInAllTokens: true,
      isInCommunity: true,
      isInVisibleTokens: true,
      isInHiddenTokens: false,
    };
    const asHidden = {
      isInAllTokens: false,
      isInCommunity: false,
      isInVisibleTokens: false,
      isInHiddenTokens: true,
    };
    expect(await readListings()).toEqual(asVisible);
    const hidden = { ...token, isHidden: true };
    // The second round hides a token that is already hidden.
    for (const round of [1, 2]) {
      expect(parseOk<Token>(await setHidden(token.tokenId, true)), `round ${round}`).toStrictEqual(hidden);
      expect(await readListings()).toEqual(asHidden);
    }
    expect(await read<Token>(`/v1/tokens/${token.tokenId}`)).toStrictEqual(hidden);
    const { data } = await read<Page<WalletToken>>(`/v1/wallets/${address}/tokens`);
    expect(data.map(({ badgeTokenId }) => badgeTokenId)).toEqual([token.tokenId]);
    expect((await fetch(token.imageUrl)).status).toBe(200);
    const newest = await read<Page<Token>>('/v1/tokens?order=desc&limit=1000');
    const ids = newest.data.map(({ tokenId }) => tokenId);
    expect(ids).toContain(visible.tokenId);
    expect(ids).not.toContain(token.tokenId);

    expect(parseOk<Token>(await setHidden(token.tokenId, false))).toStrictEqual(token);
    expect(await readListings()).toEqual(asVisible);
  });
});

describe.skipIf(operatorOnly.isSkipped)(`another community${operatorOnly.titleSuffix}`, () => {
  test('has pages without its hidden tokens', async () => {
    const { uniqId } = await createCommunity();
    const tokenIds: number[] = [];
    for (let count = 0; count < 6; count += 1) tokenIds.push((await createTokenOf(uniqId)).tokenId);
    for (const index of [0, 1, 3]) await setHidden(tokenIds[index] ?? 0, true, asOperator);
    const visibleIds = [2, 4, 5].map((index) => tokenIds[index]);
    for (const limit of [1, 2]) {
      for (const offset of [0, 1, 2, 3]) {
        const page = await idsOf(`${pathOf(uniqId)}?limit=${limit}&offset=${offset}`);
        expect(page, `limit ${limit}, offset ${offset}`).toEqual(visibleIds.slice(offset, offset + limit));
      }
    }
  });

  test('lists only its own tokens', async () => {
    const { uniqId } = await createCommunity();
    const { tokenId: first } = await createTokenOf(uniqId);
    const { tokenId: second } = await createTokenOf(uniqId);
    expect(await idsOf(pathOf(uniqId))).toEqual([first, second]);
    expect(await idsOf(`${pathOf(uniqId)}?order=desc`)).toEqual([second, first]);
    expect(await idsOf(`${pathOf(demoCommunityId)}?limit=1000&order=desc`)).not.toContain(second);
  });

  test('lets only its own key and the operator hide its tokens and list hidden tokens', async () => {
    const { uniqId } = await createCommunity();
    const withOwnKey = { 'X-API-Key': (await createApiKey(uniqId)).apiKey };
    const { tokenId: first } = await createTokenOf(uniqId);
    const { tokenId: second } = await createTokenOf(uniqId);
    const { tokenId: third } = await createTokenOf(uniqId);
    expectProblem(await setHidden(second, true), 403, 'ApiKeyNotAllowed');
    expect((await setHidden(second, true, withOwnKey)).status).toBe(200);
    expect((await setHidden(third, true, asOperator)).status).toBe(200);
    expect(await idsOf(pathOf(uniqId), withOwnKey)).toEqual([first]);
    expect(await idsOf(`${pathOf(uniqId)}?isHidden=true`, withOwnKey)).toEqual([second, third]);
    expect(await idsOf(`${pathOf(uniqId)}?isHidden=true`, asOperator)).toEqual([second, third]);
    expect(await idsOf(`${pathOf(uniqId)}?isHidden=false`, asOperator)).toEqual([first]);
    const withOtherKey = await call(`${pathOf(uniqId)}?isHidden=true`, { headers: withDemoKey });
    expectProblem(withOtherKey, 403, 'ApiKeyNotAllowed');
  });
});
