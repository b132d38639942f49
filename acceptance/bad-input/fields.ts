import type { Body } from '../shapes.ts';
import { type RouteName, withFields, withLiteral } from './routes.ts';
import type { Row } from './row.ts';

const required: [RouteName, string[]][] = [
  [
    'createToken',
    [
      'creator',
      'headline',
      'communityId',
      'nftTypeId',
      'isSignatureRequired',
      'isAllowlistRequired',
      'totalClaimCount',
      'signature',
    ],
  ],
  ['claim', ['claimingAddress']],
  ['burn', ['burningAddress', 'signature']],
  ['addContributors', ['contributors', 'signature']],
  ['airdrop', ['address']],
  ['adminAirdrop', ['receivingAddress', 'adminAddress', 'adminSignature', 'receiverSignature']],
  ['adminAirdropWithoutConsent', ['receivingAddress', 'adminAddress', 'adminSignature']],
  ['createCommunity', ['displayId', 'name']],
  ['createApiKey', ['name']],
];

const texts: [RouteName, string[]][] = [
  ['createToken', ['creator', 'headline', 'description', 'communityId', 'nftTypeId', 'signature']],
  ['claim', ['claimingAddress', 'signature', 'identifier']],
  ['burn', ['burningAddress', 'signature']],
  ['addContributors', ['signature']],
  ['airdrop', ['address']],
  ['adminAirdrop', ['receivingAddress', 'adminAddress', 'adminSignature', 'receiverSignature']],
  ['createCommunity', ['uniqId', 'displayId', 'name', 'description', 'logoUrl']],
  ['updateCommunity', ['displayId', 'name', 'description', 'logoUrl']],
  ['createApiKey', ['name']],
];

const at = (...places: string[]) => `400 InvalidRequest ${places.join(' ')}`;
const noCoercion = 'Nothing is coerced';
const create = (title: string, fields: Body, answer: string, why: string) =>
  withFields('createToken', title, fields, answer, why);

const listed = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['ada'] };
const oneMode = 'A token is open with a count, or allowlisted with contributors';

const modes: Row[] = [
  create('open, without a count', { totalClaimCount: undefined }, at('/totalClaimCount'), oneMode),
  create('open, count 0', { totalClaimCount: 0 }, at('/totalClaimCount'), oneMode),
  create(
    'open, with contributors, without a count',
    { totalClaimCount: null, contributors: ['ada'] },
    at('/totalClaimCount'),
    oneMode,
  ),
  create(
    'allowlisted, without contributors',
    { ...listed, contributors: undefined },
    at('/contributors'),
    oneMode,
  ),
  create('allowlisted, contributors null', { ...listed, contributors: null }, at('/contributors'), oneMode),
  create('allowlisted, no contributor', { ...listed, contributors: [] }, at('/contributors'), oneMode),
  create('allowlisted, with a count', { ...listed, totalClaimCount: 10 }, at('/totalClaimCount'), oneMode),
  create('allowlisted, count 0', { ...listed, totalClaimCount: 0 }, at('/totalClaimCount'), oneMode),
  create(
    'allowlisted, with a count and without contributors',
    { ...listed, totalClaimCount: 1, contributors: [] },
    at('/totalClaimCount', '/contributors'),
    'All faults are told at once',
  ),
  create(
    'start after end',
    { startDateTimestamp: 2, endDateTimestamp: 1 },
    at('/startDateTimestamp'),
    'What ends before it starts is a mistake',
  ),
  ...(
    [
      ['open, with contributors', { contributors: [] }],
      ['open, with contributors that are none', { contributors: [{ a: 1 }, 7, '0x12'] }],
    ] as const
  ).map(
    ([title, changes]): Row => ({
      call: 'POST /v1/tokens',
      case: title,
      answer: '202',
      why: 'They are relevant only when allowlisted, and ignored otherwise',
      send: (scene) => scene.create(changes),
    }),
  ),
];

export const fields: Row[] = [
  ...required.flatMap(([route, names]) =>
    names.flatMap((name) => {
      // Without a mode neither of its fields can be judged.
      const answer = at(`/${name}`);
      return [
        withFields(route, `\`${name}\` absent`, { [name]: undefined }, answer, 'It is required'),
        withFields(
          route,
          `\`${name}\` null`,
          { [name]: null },
          answer,
          'It is required, and null means absent',
        ),
      ];
    }),
  ),
  ...texts.flatMap(([route, names]) =>
    names.flatMap((name) =>
      ['7', 'true', '["a"]'].map((literal) => withLiteral(route, name, literal, at(`/${name}`), noCoercion)),
    ),
  ),
  ...['isSignatureRequired', 'isAllowlistRequired'].flatMap((name) =>
    ['"true"', '"false"', '""', '1', '0', '[true]'].map((literal) =>
      withLiteral(
        'createToken',
        name,
        literal,
        at(`/${name}`),
        'Nothing is coerced: `"false"` would sign as true',
      ),
    ),
  ),
  ...['links', 'customAttributes'].flatMap((name) =>
    ['"a"', '1', '{}', '{"0":"a","length":1}'].map((literal) =>
      withLiteral('createToken', name, literal, at(`/${name}`), 'Nothing is coerced: a list is a list'),
    ),
  ),
  ...[1, null, true, ['a'], {}].map((link) =>
    create(
      `\`links: ["", ${JSON.stringify(link)}]\``,
      { links: ['', link] },
      at('/links/1'),
      'A link is a text',
    ),
  ),
  create('51 links', { links: Array.from({ length: 51 }, String) }, at('/links'), 'At most 50'),
  create(
    'an empty body but for its mode',
    {
      creator: undefined,
      headline: undefined,
      communityId: undefined,
      nftTypeId: undefined,
      isSignatureRequired: undefined,
      signature: undefined,
    },
    at('/creator', '/headline', '/communityId', '/nftTypeId', '/isSignatureRequired', '/signature'),
    'All faults are told at once',
  ),
  ...modes,
  withFields(
    'createCommunity',
    'a `uniqId` with a slash',
    { uniqId: 'a/b' },
    at('/uniqId'),
    '1 to 64 of A-Za-z0-9_-',
  ),
  withFields('createCommunity', 'an empty `uniqId`', { uniqId: '' }, at('/uniqId'), '1 to 64 of A-Za-z0-9_-'),
  withFields(
    'createCommunity',
    'a `uniqId` of 65 letters',
    { uniqId: 'u'.repeat(65) },
    at('/uniqId'),
    '1 to 64 of A-Za-z0-9_-',
  ),
  withFields(
    'createCommunity',
    'a `uniqId` with a line end',
    { uniqId: 'demo\n' },
    at('/uniqId'),
    '1 to 64 of A-Za-z0-9_-',
  ),
  withFields(
    'createCommunity',
    'the `uniqId` of another',
    { uniqId: 'demo' },
    '409 CommunityExists',
    'It names one community',
  ),
  withFields(
    'createCommunity',
    'a name of 201 characters',
    { name: 'n'.repeat(201) },
    at('/name'),
    '1 to 200 characters',
  ),
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com',
    '//example.com',
    'https://',
    'https://exa mple.com',
    'https://example.com/\u00e9',
    '',
  ].map((logoUrl) =>
    withFields(
      'createCommunity',
      `\`logoUrl: ${JSON.stringify(logoUrl)}\``,
      { logoUrl },
      at('/logoUrl'),
      'An http or https URL of visible ASCII: pages show it',
    ),
  ),
  withFields(
    'createApiKey',
    'a name of 101 characters',
    { name: 'n'.repeat(101) },
    at('/name'),
    '1 to 100 characters',
  ),
  create(
    'a community that is unknown',
    { communityId: 'nobody' },
    '404 CommunityNotFound',
    'What is named must be there',
  ),
  create(
    'a community in another case',
    { communityId: 'DEMO' },
    '404 CommunityNotFound',
    'Ids are told with case',
  ),
  create(
    'an NFT type that is unknown',
    { nftTypeId: 'nothing' },
    '404 NftTypeNotFound',
    'What is named must be there',
  ),
  create(
    'an NFT type `__proto__`',
    { nftTypeId: '__proto__' },
    '404 NftTypeNotFound',
    'What is inherited is no NFT type',
  ),
];
