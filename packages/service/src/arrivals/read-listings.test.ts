import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalError, type FetchUrl } from './arrival.ts';
import { createListings } from './fetch-listings.ts';
import { readListings } from './read-listings.ts';
import { anyJson } from './testing/any-json.ts';
import { ADA, BEA, makeFolder, personsOf, problemsOf, readAll, tokensOf } from './testing/read-all.ts';

const token = {
  tokenId: 500,
  headline: 'Speaker',
  description: '',
  startDateTimestamp: 1_656_460_800_000,
  endDateTimestamp: null,
  links: ['https://a.example'],
  communityId: 'dao',
  createdByAddress: ADA,
  createdAtTimestamp: 1_654_907_553_808,
  imageUrl: 'https://images.old.example/token/500.png',
  claimabilityAttributes: {
    isSignatureRequired: true,
    isAllowlistRequired: true,
    totalClaimCount: null,
    remainingClaimCount: null,
    expirationTimestamp: null,
  },
  customAttributes: [{ fieldName: 'team', type: 'string', value: 'blue' }],
};
const open = {
  ...token,
  tokenId: 501,
  claimabilityAttributes: {
    ...token.claimabilityAttributes,
    isAllowlistRequired: false,
    totalClaimCount: 10,
    remainingClaimCount: 8,
    expirationTimestamp: 1_900_000_000_000,
  },
};

async function read(files: Record<string, unknown>, mapping: Record<string, string> = {}) {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? content : JSON.stringify(content),
  ]);
  return await readAll(readListings, await makeFolder(Object.fromEntries(texts)), { mapping });
}

const BASE = 'https://api.old.example';

/** A service with these tokens and owners, which returns at most two items. */
function serve(tokens: unknown[], owners: Record<number, unknown[]> | null): FetchUrl {
  return async (text) => {
    const url = new URL(text);
    const [, id] = /^\/v1\/tokens\/(\d+)\/owners$/.exec(url.pathname) ?? [];
    if (id !== undefined && owners === null) throw new ArrivalError('the status is 404');
    const list = id === undefined ? tokens : (owners?.[Number(id)] ?? []);
    const offset = Number(url.searchParams.get('offset'));
    const page = { limit: 2, offset, data: list.slice(offset, offset + 2) };
    return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(page)) };
  };
}

test('a community of a service, with the owners of its tokens', async () => {
  const owners = {
    500: [ADA, BEA, `0x${'2'.repeat(40)}`].map((address) => ({
      address,
      claimedAtTimestamp: 1_655_000_000_000,
    })),
  };
  const other = { ...token, tokenId: 502, communityId: 'other' };
  const arrivals = await readAll(readListings, `${BASE}/v1/communities/dao`, {
    fetchUrl: serve([other, token, open], owners),
  });
  expect(tokensOf(arrivals)).toMatchObject([
    {
      place: 'token 500',
      source: { service: 'api.old.example', id: '500', url: null },
      headline: 'Speaker',
      startDateTimestamp: 1_656_460_800_000,
      endDateTimestamp: null,
      createdAtTimestamp: 1_654_907_553_808,
      links: ['https://a.example'],
      customAttributes: [{ fieldName: 'team', type: 'string', value: 'blue' }],
      isSignatureRequired: true,
      totalClaimCount: null,
    },
    { source: { id: '501' }, totalClaimCount: 10, expirationTimestamp: 1_900_000_000_000 },
  ]);
  expect(personsOf(arrivals)).toHaveLength(3);
  expect(personsOf(arrivals)[0]).toMatchObject({
    token: { service: 'api.old.example', id: '500' },
    subject: { address: ADA },
    isOwner: true,
    claimedAtTimestamp: 1_655_000_000_000,
  });
  expect(problemsOf(arrivals)).toEqual([
    'skip allowlists: the service does not list who can claim and has not: import them from a CSV file',
  ]);
});

test('a service that does not list owners is asked once', async () => {
  const urls: string[] = [];
  const fetchUrl = serve([open, { ...open, tokenId: 503 }], null);
  const arrivals = await readAll(readListings, `${BASE}/v1/communities/dao/tokens`, {
    fetchUrl: async (url, limits) => {
      urls.push(url);
      return await fetchUrl(url, limits);
    },
  });
  expect(urls.filter((url) => url.includes('owners'))).toHaveLength(1);
  expect(problemsOf(arrivals)).toEqual([
    'token 501: its owners cannot be read: https://api.old.example/v1/tokens/501/owners?limit=1000&offset=0 cannot be read: the status is 404',
    'owners: the service does not list them: save the listings of wallets as files',
  ]);
});

test('a token of this service has its page, its design and its later fields; a kept badge is named', async () => {
  const ours = {
    ...open,
    nftTypeId: 'defaultOrangeRed',
    criteria: 'Give a talk',
    claimableFromTimestamp: 1,
    validUntilTimestamp: 2,
    validityDays: null,
    isHidden: false,
  };
  const fetchUrl = serve([ours], { 501: [{ address: BEA, claimedAtTimestamp: 3, isKept: true }] });
  const arrivals = await readAll(readListings, `${BASE}/v1/communities/dao`, { fetchUrl });
  expect(tokensOf(arrivals)).toMatchObject([
    {
      source: { url: `${BASE}/token/501` },
      nftTypeId: 'defaultOrangeRed',
      picture: null,
      criteria: 'Give a talk',
      claimableFromTimestamp: 1,
      validUntilTimestamp: 2,
    },
  ]);
  expect(problemsOf(arrivals)).toEqual([
    'token 501: an owner has it with an e-mail, which no listing has: import an archive of the community',
  ]);
});

test('a busy service is asked again', async () => {
  const waits: number[] = [];
  let requests = 0;
  const list = serve([open], null);
  const listings = createListings(
    BASE,
    async (url, limits) => {
      requests += 1;
      if (requests <= 2) throw new ArrivalError('the status is 429');
      return await list(url, limits);
    },
    async (ms) => waits.push(ms),
  );
  const items = [];
  for await (const item of listings.list('/v1/tokens')) items.push(item);
  expect(items).toMatchObject([{ tokenId: 501 }]);
  expect(waits).toEqual([1_000, 2_000]);
});

test.each<[string, string, FetchUrl | null, string]>([
  ['a URL of no community', BASE, serve([], null), 'must be that of a community'],
  ['no network', `${BASE}/v1/communities/dao`, null, 'nothing is read from the network'],
  [
    'another community',
    `${BASE}/v1/communities/none`,
    serve([token], null),
    'lists no token of the community none',
  ],
  [
    'a page that is no listing',
    `${BASE}/v1/communities/dao`,
    async () => ({ contentType: 'text/html', bytes: Buffer.from('<html>') }),
    'is no listing',
  ],
  [
    'an error',
    `${BASE}/v1/communities/dao`,
    async () => Promise.reject(new ArrivalError('the status is 500')),
    'cannot be read: the status is 500',
  ],
])('refuses %s', async (_name, url, fetchUrl, message) => {
  await expect(readAll(readListings, url, { fetchUrl })).rejects.toThrow(ArrivalError);
  await expect(readAll(readListings, url, { fetchUrl })).rejects.toThrow(message);
});

const walletToken = {
  headline: 'Speaker',
  assetUrl: 'https://images.old.example/token/500.png',
  createdAt: '2022-06-15T01:55:53.362Z',
  claimStatus: 'claimed',
  communityId: 'dao',
};

test.each(['badgeTokenId', 'medalTokenId', 'thanksTokenId'])(
  'saved listings of tokens and wallets, with %s',
  async (field) => {
    const arrivals = await read(
      {
        'tokens-0.json': { limit: 50, offset: 0, data: [token] },
        'tokens-1.json': { limit: 50, offset: 50, data: [] },
        [`${ADA}.json`]: { limit: 50, offset: 0, data: [{ ...walletToken, [field]: 500 }] },
        [`wallets/${BEA}-0.json`]: {
          limit: 50,
          offset: 0,
          data: [
            { ...walletToken, [field]: 500, claimStatus: 'unclaimed' },
            { ...walletToken, [field]: 777, headline: 'Only here' },
          ],
        },
      },
      { service: 'old.example' },
    );
    expect(problemsOf(arrivals)).toEqual([]);
    expect(tokensOf(arrivals)).toMatchObject([
      { headline: 'Speaker', source: { service: 'old.example', id: '500' } },
      { headline: 'Only here', source: { id: '777' } },
    ]);
    expect(personsOf(arrivals)).toMatchObject([
      {
        token: { id: '500' },
        subject: { address: ADA },
        isOwner: true,
        claimedAtTimestamp: Date.UTC(2022, 5, 15, 1, 55, 53, 362),
      },
      { token: { id: '500' }, subject: { address: BEA }, isOwner: false },
      { token: { id: '777' }, subject: { address: BEA }, isOwner: true },
    ]);
  },
);

test('the listing of a community, whose time is a text, and that of owners', async () => {
  const { tokenId, headline, customAttributes, communityId } = token;
  const arrivals = await read({
    'tokens.json': {
      data: [
        {
          tokenId,
          headline,
          customAttributes,
          communityId,
          assetUrl: 'https://a.example/500.mp4',
          createdAtTimestamp: '2022-08-31T07:46:59.482Z',
        },
      ],
    },
    'owners-500.json': {
      limit: 50,
      offset: 0,
      data: [{ address: ADA, claimedAtTimestamp: 1_655_000_000_000 }],
    },
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([{ createdAtTimestamp: Date.UTC(2022, 7, 31, 7, 46, 59, 482) }]);
  expect(personsOf(arrivals)).toMatchObject([{ token: { id: '500' }, subject: { address: ADA } }]);
});

// The published exporter: `TokenReport` and `CommunityReport` of its main.go, commit 2b2e8f3.
const report = {
  token: {
    ...token,
    customAttributes: [
      { fieldName: 'size', type: 'number', value: '5' },
      { fieldName: 'first', type: 'boolean', value: 'true' },
      { fieldName: 'day', type: 'date', value: '2022-06-15' },
      { fieldName: 'odd', type: 'number', value: 'five' },
    ],
  },
  endorsers: [{ id: ADA, username: 'ada' }],
  claimed: [{ id: 'u1', username: 'ada', role: '', accountUniqId: ADA.toLowerCase(), accountType: 'wallet' }],
  issued: [
    { id: 'u2', username: 'bea.eth', role: '', accountUniqId: 'bea@example.org', accountType: 'email' },
    { id: '', username: '', role: '', accountUniqId: '', accountType: '' },
  ],
  isHidden: true,
};

test('what the exporter writes: a file a token, and a file a community, without doubles', async () => {
  const other = { ...report, token: { ...token, tokenId: 502, communityId: 'other' } };
  const files = {
    'communities/dao.json': {
      community: { uniqId: 'dao', name: 'DAO' },
      members: [{ id: 'u1', username: 'ada', communityRoles: [] }],
      tokens: [report],
    },
    'communities/other.json': { community: { uniqId: 'other', name: 'Other' }, members: [], tokens: [other] },
    'communities/empty.json': { community: { uniqId: 'empty', name: 'Empty' }, members: [], tokens: null },
    'tokens/500.json': report,
    'tokens/502.json': other,
  };
  await expect(read(files)).rejects.toThrow(
    'it has badges of 2 communities: name one as "communityId" in the mapping: dao, other',
  );
  await expect(read(files, { communityId: 'x' })).rejects.toThrow(
    'it has no badge of the community "x"; it has dao, other',
  );
  const arrivals = await read(files, { communityId: 'dao' });
  expect(tokensOf(arrivals)).toMatchObject([
    {
      place: 'communities/dao.json:1',
      source: { service: 'listings', id: '500' },
      isHidden: true,
      customAttributes: [
        { fieldName: 'size', type: 'number', value: 5 },
        { fieldName: 'first', type: 'boolean', value: true },
        { fieldName: 'day', type: 'date', value: '2022-06-15' },
        { fieldName: 'odd', type: 'string', value: 'five' },
      ],
    },
  ]);
  expect(personsOf(arrivals)).toMatchObject([
    { subject: { address: ADA.toLowerCase() }, isOwner: true, claimedAtTimestamp: null },
    { subject: { email: 'bea@example.org' }, isOwner: false },
  ]);
  expect(problemsOf(arrivals)).toEqual(['communities/dao.json:1: one of issued has no name']);
});

test.each<[string, unknown, number | null]>([
  ['an open token', { isAllowlistRequired: false, totalClaimCount: 10 }, 10],
  // The exporter compares with −1 before it adds up.
  ['an open token without a limit', { isAllowlistRequired: false, totalClaimCount: -1 }, 1_000_000_000],
  [
    'a token with a list, whose number is that of its list',
    { isAllowlistRequired: true, totalClaimCount: 3 },
    null,
  ],
  ['a token whose rules are not there', undefined, null],
])('the total of %s', async (_name, claimabilityAttributes, total) => {
  const arrivals = await read({ 'a.json': [{ ...token, claimabilityAttributes }] });
  expect(tokensOf(arrivals).map(({ totalClaimCount }) => totalClaimCount)).toEqual([total]);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'a wallet without an address',
    { 'a.json': [token], 'wallet.json': [{ ...walletToken, badgeTokenId: 500 }] },
    'wallet.json:1: it does not say whose wallet it is: put the address into the name of the file',
  ],
  [
    'a wallet with a wrong checksum',
    { 'a.json': [token], [`${ADA.replace('E', 'e')}.json`]: [{ ...walletToken, badgeTokenId: 500 }] },
    `${ADA.replace('E', 'e')}.json:1: the wallet is an address whose checksum is wrong: it was mistyped`,
  ],
  [
    'owners of no token',
    { 'a.json': [token], 'owners.json': [{ address: ADA, claimedAtTimestamp: 1 }] },
    'owners.json:1: it does not say its token: put its id into the name of the file',
  ],
  [
    'an error of the service',
    { 'a.json': [token], 'b.json': { statusCode: 429 } },
    'b.json: it has neither tokens nor people',
  ],
  ['half a file', { 'a.json': [token], 'b.json': '{"data": [' }, 'b.json: it is not JSON'],
  ['no title', { 'a.json': [{ ...token, headline: ' ' }] }, 'a.json:1: it has no title'],
  [
    'a reserved attribute',
    { 'a.json': [{ ...token, customAttributes: [{ fieldName: 'Headline', type: 'string', value: 'x' }] }] },
    'a.json:1: an attribute was left out: its name is reserved, given twice or too long',
  ],
])('names %s', async (_name, files, problem) => {
  expect(problemsOf(await read(files))).toEqual([problem]);
});

test('no file makes it throw anything but an ArrivalError', async () => {
  const folder = await makeFolder({});
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(500, '500', ADA, 'dao', null, {}, [], true, -1, 'claimed'),
    fc.string({ maxLength: 5 }),
  );
  const keys = [
    'data',
    'tokenId',
    'headline',
    'communityId',
    'badgeTokenId',
    'claimStatus',
    'createdAt',
    'address',
    'claimedAtTimestamp',
    'token',
    'claimed',
    'issued',
    'claimabilityAttributes',
    'customAttributes',
    'links',
    'fieldName',
    'value',
    '__proto__',
  ];
  const value = anyJson(keys, { leaf, maxDepth: 5 });
  await fc.assert(
    fc.asyncProperty(value, async (any) => {
      await writeFile(join(folder, `${ADA}.json`), JSON.stringify([any, token]));
      try {
        for (const arrival of await readAll(readListings, folder, { mapping: { communityId: 'dao' } }))
          expect(arrival.place).toBeDefined();
      } catch (error) {
        expect(error).toBeInstanceOf(ArrivalError);
      }
    }),
    { numRuns: 100 },
  );
});
