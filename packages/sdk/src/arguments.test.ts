import { newWallet } from '@badge/test-support/signing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BadgeClient, createBadgeClient, verifyWebhook } from './index.ts';

let requests = 0;
const client = createBadgeClient({
  url: 'http://localhost:3000',
  fetch: async () => {
    requests += 1;
    return Response.error();
  },
  maxRetries: 0,
});
type Loose = Record<string, (...all: unknown[]) => Promise<unknown>>;
const methods = client as unknown as Loose;
const names = Object.keys(client) as (keyof BadgeClient)[];
/** Methods whose only argument, or whose first one, can be left out. */
const WITHOUT_ARGUMENT = [
  'listTokens',
  'listCommunities',
  'listAuditLog',
  'getSession',
  'getCaller',
  'listSessions',
  'listOwnTokens',
  'listRefusedCommunities',
  'removeDefaultAddress',
  'signOut',
  'signOutEverywhere',
  'getEnvironment',
];

/** Calls a method, and returns the message of its TypeError. */
async function messageOf(name: string, ...all: unknown[]): Promise<string> {
  const before = requests;
  const error = await (async () => await methods[name]?.(...all))().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TypeError);
  expect(requests).toBe(before);
  return (error as TypeError).message;
}

describe.each(names)('%s()', (name) => {
  test('names what is missing if it is called with nothing', async () => {
    if (WITHOUT_ARGUMENT.includes(name)) return;
    for (const all of [[], [undefined], [{}]])
      expect(await messageOf(name, ...all)).toMatch(new RegExp(`^${name}\\(\\) needs \`\\w+\``));
  });

  test('throws for an argument that is no object', async () => {
    for (const wrong of [null, 7, 'text', [], true, () => undefined])
      expect(await messageOf(name, wrong)).toMatch(new RegExp(`^${name}\\(\\) takes an object with \``));
  });

  test('throws for a field that it does not have', async () => {
    const word = fc.stringMatching(/^zz[a-z]{1,12}$/);
    await fc.assert(
      fc.asyncProperty(word, async (field) => {
        expect(await messageOf(name, { [field]: 1 })).toContain(`${name}() has no \`${field}\`.`);
      }),
      { numRuns: 5 },
    );
  });
});

const signer = newWallet('arguments');
const token = { communityId: 'demo', headline: 'A', nftTypeId: 'n', totalClaimCount: 1, signer };
const airdrop = { tokenId: 1, address: signer.address };

test.each([
  [
    'createToken',
    { ...token, descripton: 'A' },
    'createToken() has no `descripton`. Did you mean `description`?',
  ],
  ['createToken', { ...token, custom_attributes: [] }, 'Did you mean `customAttributes`?'],
  ['getToken', { tokenID: 1 }, 'getToken() has no `tokenID`. Did you mean `tokenId`?'],
  ['getToken', { id: 1 }, 'getToken() has no `id`. It has `tokenId`.'],
  ['getToken', { ...airdrop }, 'getToken() has no `address`.'],
  ['getToken', { toString: 1 }, 'getToken() has no `toString`.'],
  [
    'createToken',
    { ...token, customAttributes: [{ fieldName: 'a', type: 'string', value: 'b', valeu: 'b' }] },
    '`customAttributes[0]` of createToken() has no `valeu`. Did you mean `value`?',
  ],
  ['createToken', { ...token, customAttributes: [{ fieldName: 'a' }] }, 'needs `type`, `value`.'],
  [
    'createInvitations',
    { tokenId: 1, recipients: [{ email: 'ada@example.org', lang: 'es' }] },
    '`recipients[0]` of createInvitations() has no `lang`.',
  ],
  [
    'signWithManagedCreator',
    { communityId: 'demo', primaryType: 'AllowlistedAddress', message: { tokenid: 1 } },
    '`message` of signWithManagedCreator() has no `tokenid`. Did you mean `tokenId`?',
  ],
  [
    'createToken',
    { ...token, signer: undefined },
    'createToken() needs `signer` or `creator` and `signature`.',
  ],
  ['createToken', { ...token, totalClaimCount: null }, 'needs `totalClaimCount` or `contributors`.'],
  ['claim', { tokenId: 1 }, 'claim() needs `signer` or `claimingAddress` or `isBySession`.'],
  [
    'burn',
    { tokenId: 1, burningAddress: 'a' },
    'burn() needs `signer` or `burningAddress` and `signature` or `isBySession`.',
  ],
  ['addContributors', { tokenId: 1, contributors: [] }, 'needs `signer` or `signature`.'],
  ['createClaimLinks', { tokenId: 1 }, 'needs `identifiers` or `count` or `maxClaims`.'],
  ['getToken', { tokenId: '1' }, '`tokenId` of getToken() must be a number, but is "1".'],
  ['getToken', { tokenId: Number.NaN }, '`tokenId` of getToken() must be a number, but is NaN.'],
  [
    'getOwner',
    { tokenId: 1, address: signer },
    '`address` of getOwner() must be a string, but is an object.',
  ],
  ['createToken', { ...token, expirationTimestamp: new Date() }, 'must be a number, but is an object.'],
])('%s(%o) throws', async (name, argument, message) => {
  expect(await messageOf(name, argument)).toContain(message);
});

// Every field that ends in `Timestamp`.
const TIMESTAMPS: [string, string, object][] = [
  ...['startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp'].flatMap((field) =>
    ['createToken', 'signToken'].map((name): [string, string, object] => [name, field, token]),
  ),
  ['createClaimLinks', 'expiresAtTimestamp', { tokenId: 1, count: 1 }],
  ['createClaimLinks', 'startsAtTimestamp', { tokenId: 1, count: 1 }],
  ['updateClaimLink', 'expiresAtTimestamp', { tokenId: 1, claimLinkId: 'a' }],
  ['updateClaimLink', 'startsAtTimestamp', { tokenId: 1, claimLinkId: 'a' }],
  ['createInvitations', 'expiresAtTimestamp', { tokenId: 1, recipients: [] }],
  ['previewInvitation', 'expiresAtTimestamp', { tokenId: 1 }],
  ['createApiKey', 'expiresAtTimestamp', { communityId: 'demo', name: 'a' }],
  ['listAuditLog', 'fromTimestamp', {}],
  ['listAuditLog', 'beforeTimestamp', {}],
];

test.each(TIMESTAMPS)('%s() throws for a %s in seconds', async (name, field, rest) => {
  const seconds = Math.floor(Date.now() / 1_000);
  expect(await messageOf(name, { ...rest, [field]: seconds })).toBe(
    `\`${field}\` of ${name}() is in milliseconds since 1970, but ${seconds} is in seconds. Write ${seconds} * 1000.`,
  );
});

test('options that a call does not have throw, also those of createBadgeClient() and wait()', async () => {
  expect(await messageOf('airdrop', airdrop, { idempotencykey: 'a' })).toBe(
    'The second argument of airdrop() has no `idempotencykey`. Did you mean `idempotencyKey`?',
  );
  expect(await messageOf('signIn', { message: 'a', signature: 'b' }, { idempotencyKey: 'a' })).toContain(
    'has no `idempotencyKey`',
  );
  expect(await messageOf('getToken', { tokenId: 1 }, null)).toContain('takes an object');
  expect(await messageOf('waitForOperation', { operationId: 'a' }, { timeoutMs: 5 })).toContain('has no');
  const options = [
    {},
    undefined,
    { url: 'http://localhost', apikey: 'a' },
    { url: 'http://localhost', retries: 1 },
  ];
  const messages = options.map((given) => {
    try {
      createBadgeClient(given as never);
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  });
  expect(messages).toEqual([
    'createBadgeClient() needs `url`.',
    'createBadgeClient() needs `url`.',
    'createBadgeClient() has no `apikey`. Did you mean `apiKey`?',
    expect.stringContaining('createBadgeClient() has no `retries`.'),
  ]);
});

test('verifyWebhook() names an argument that is missing', async () => {
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  for (const headers of [undefined, null, 'headers'])
    await expect(verifyWebhook(headers as never, '', secret)).rejects.toThrow(
      new TypeError('`headers` must be the headers of the request.'),
    );
  await expect(verifyWebhook({}, undefined as never, secret)).rejects.toThrow(/^`body` must be/);
  await expect(verifyWebhook({}, '', undefined as never)).rejects.toThrow(/^`secret` must be/);
});
