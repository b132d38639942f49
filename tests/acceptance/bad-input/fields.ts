import type { Body } from '../shapes.ts';
import { type RouteName, routes } from './routes.ts';
import { invalidAt, type Row, rowWithChange, rowWithFields, rowWithLiteral } from './row.ts';

const requiredFields: [RouteName, string[]][] = [
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
  ['removeContributors', ['contributors']],
  ['revoke', ['reason']],
  ['reinstate', ['reason']],
  ['move', ['toAddress', 'reason']],
  ['checkClaimCode', ['claimCode']],
  ['checkOwners', ['addresses', 'tokenIds']],
  ['ensNames', ['addresses']],
  ['snapshotScores', ['addresses']],
  ['airdrop', ['address']],
  ['adminAirdrop', ['receivingAddress', 'adminAddress', 'adminSignature', 'receiverSignature']],
  ['adminAirdropWithoutConsent', ['receivingAddress', 'adminAddress', 'adminSignature']],
  ['createCommunity', ['displayId', 'name']],
  ['createApiKey', ['name']],
  ['setMember', ['role']],
  ['signWithManagedCreator', ['primaryType', 'message']],
  ['createSignInChallenge', ['address']],
  ['signIn', ['message', 'signature']],
];

const textFields: [RouteName, string[]][] = [
  [
    'createToken',
    ['creator', 'headline', 'description', 'communityId', 'nftTypeId', 'criteria', 'signature'],
  ],
  ['claim', ['claimingAddress', 'signature', 'identifier', 'claimCode']],
  ['createClaimLinks', ['signature']],
  ['checkClaimCode', ['claimCode']],
  ['burn', ['burningAddress', 'signature']],
  ['addContributors', ['signature']],
  ['revoke', ['reason']],
  ['reinstate', ['reason']],
  ['move', ['toAddress', 'reason']],
  ['airdrop', ['address']],
  ['adminAirdrop', ['receivingAddress', 'adminAddress', 'adminSignature', 'receiverSignature']],
  ['createCommunity', ['uniqId', 'displayId', 'name', 'description', 'logoUrl']],
  ['updateCommunity', ['uniqId', 'displayId', 'name', 'description', 'logoUrl']],
  ['createApiKey', ['name', 'role']],
  ['setMember', ['role']],
  ['signWithManagedCreator', ['primaryType']],
  ['createSignInChallenge', ['address']],
  ['signIn', ['message', 'signature']],
];

const noCoercion = 'Values are never coerced';
const allTogether = 'All errors are listed together';
/**
 * A row that sets fields of a valid body. It does not sign the body again, because the fields are checked
 * first.
 */
const createTokenRow = (title: string, fields: Body, response: string, why: string) =>
  rowWithFields('createToken', title, fields, response, why);
/** A row that sets fields and signs the body correctly. */
const signedTokenRow = (title: string, fields: Body, response: string, why: string): Row => ({
  call: 'POST /v1/tokens',
  case: title,
  response,
  why,
  send: (fixture) => fixture.create(fields),
});

const allowlisted = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['ada'] };
const eitherOr = 'A token is either open with a count, or allowlisted with contributors';

const openOrAllowlisted: Row[] = [
  createTokenRow(
    'open, without a count',
    { totalClaimCount: undefined },
    invalidAt('/totalClaimCount'),
    eitherOr,
  ),
  createTokenRow('open, count 0', { totalClaimCount: 0 }, invalidAt('/totalClaimCount'), eitherOr),
  createTokenRow(
    'open, with contributors instead of a count',
    { totalClaimCount: null, contributors: ['ada'] },
    invalidAt('/totalClaimCount'),
    eitherOr,
  ),
  createTokenRow(
    'allowlisted, without contributors',
    { ...allowlisted, contributors: undefined },
    invalidAt('/contributors'),
    eitherOr,
  ),
  createTokenRow(
    'allowlisted, contributors null',
    { ...allowlisted, contributors: null },
    invalidAt('/contributors'),
    eitherOr,
  ),
  createTokenRow(
    'allowlisted, contributors empty',
    { ...allowlisted, contributors: [] },
    invalidAt('/contributors'),
    eitherOr,
  ),
  ...[0, 1, 10, '10', -1, false].map((totalClaimCount) =>
    createTokenRow(
      `allowlisted, with \`"totalClaimCount": ${JSON.stringify(totalClaimCount)}\``,
      { ...allowlisted, totalClaimCount },
      invalidAt('/totalClaimCount'),
      eitherOr,
    ),
  ),
  createTokenRow(
    'allowlisted, with a count and without contributors',
    { ...allowlisted, totalClaimCount: 1, contributors: [] },
    invalidAt('/totalClaimCount', '/contributors'),
    allTogether,
  ),
  ...(
    [
      ['open, with empty contributors', { contributors: [] }],
      ['open, with contributors that an allowlist would reject', { contributors: ['', '0x12', 'a\0'] }],
    ] as const
  ).map(([title, fields]) => signedTokenRow(title, fields, '202', 'An open token ignores contributors')),
];

const maxTokenBytes = 64 * 1024;
/**
 * Returns fields whose JSON has this many bytes together. Most of the bytes are in links, which repeat
 * `unit`.
 */
function fieldsOfSize(sizeBytes: number, unit: string): Body {
  const fields = (links: string[]) => ({ headline: 'H', description: '', links });
  const bytesOf = (links: string[]) =>
    Buffer.byteLength(JSON.stringify({ ...fields(links), customAttributes: [] }));
  const unitBytes = Buffer.byteLength(JSON.stringify(unit)) - '""'.length;
  // A link has at most 2,048 characters.
  const link = unit.repeat(2_000 / unitBytes);
  const links: string[] = [];
  while (bytesOf([...links, link, '']) <= sizeBytes) links.push(link);
  // The last link has the bytes that are still missing.
  return fields([...links, 'x'.repeat(sizeBytes - bytesOf([...links, '']))]);
}
const sizeRule = 'Headline, description, links and attributes have at most 64 KiB together, as JSON in UTF-8';
const sizes: Row[] = [
  ...(
    [
      ['letters', 'l'],
      ['emoji', '🎖'],
      ['control characters', '\u0001'],
    ] as const
  ).flatMap(([what, unit]) => [
    signedTokenRow(`64 KiB of text, ${what}`, fieldsOfSize(maxTokenBytes, unit), '202', sizeRule),
    createTokenRow(
      `64 KiB and one byte of text, ${what}`,
      fieldsOfSize(maxTokenBytes + 1, unit),
      invalidAt('(body)'),
      sizeRule,
    ),
  ]),
  createTokenRow(
    '50 attributes of 2,048 letters',
    {
      customAttributes: Array.from({ length: 50 }, (_, index) => {
        return { fieldName: `n${index}`, type: 'string', value: 'v'.repeat(2_048) };
      }),
    },
    invalidAt('(body)'),
    sizeRule,
  ),
  createTokenRow(
    '50 links of 2,048 letters',
    { links: Array(50).fill('l'.repeat(2_048)) },
    invalidAt('(body)'),
    sizeRule,
  ),
];

const openContributors: Row[] = (
  [
    ['text', 'nobody', ['']],
    ['a number', 5, ['']],
    ['a boolean', true, ['']],
    ['an object', { 0: 'a', length: 1 }, ['']],
    ['a number and null in the array', ['ada', 7, null], ['/1', '/2']],
    ['an object and an array in the array', [{ a: 1 }, ['ada']], ['/0/contributor', '/0/a', '/1']],
  ] as [string, unknown, string[]][]
).map(([title, contributors, places]) =>
  createTokenRow(
    `open, with ${title} as contributors`,
    { contributors },
    invalidAt(...places.map((place) => `/contributors${place}`)),
    'Contributors are null or an array of strings and objects, even where they are ignored',
  ),
);

const combinations: Row[] = [
  createTokenRow(
    'a start after the end',
    { startDateTimestamp: 2, endDateTimestamp: 1 },
    invalidAt('/startDateTimestamp'),
    'A period cannot end before it starts',
  ),
  createTokenRow(
    'only `isAllowlistRequired` and `totalClaimCount`',
    {
      creator: undefined,
      headline: undefined,
      communityId: undefined,
      nftTypeId: undefined,
      isSignatureRequired: undefined,
      signature: undefined,
    },
    invalidAt('/creator', '/headline', '/communityId', '/nftTypeId', '/isSignatureRequired', '/signature'),
    allTogether,
  ),
  rowWithChange(
    'createToken',
    {
      case: '`{}`',
      response: invalidAt(
        '/creator',
        '/headline',
        '/communityId',
        '/nftTypeId',
        '/isSignatureRequired',
        '/isAllowlistRequired',
        '/signature',
      ),
      why: allTogether,
    },
    { text: () => '{}' },
  ),
  createTokenRow(
    'eleven errors',
    {
      creator: '0x12',
      headline: '',
      description: 5,
      startDateTimestamp: -1,
      links: ['', 1, 'l'.repeat(2049)],
      isSignatureRequired: 'true',
      totalClaimCount: 1.5,
      expirationTimestamp: 8_640_000_000_000_001,
      customAttributes: [
        { fieldName: 'valid', type: 'number', value: 1 },
        { fieldName: 'x', type: 'colour', value: 1 },
      ],
      signature: 1,
    },
    invalidAt(
      '/creator',
      '/headline',
      '/description',
      '/startDateTimestamp',
      '/links/1',
      '/links/2',
      '/isSignatureRequired',
      '/totalClaimCount',
      '/expirationTimestamp',
      '/customAttributes/1/type',
      '/signature',
    ),
    allTogether,
  ),
  createTokenRow(
    'wrong fields and a wrong combination',
    { ...allowlisted, headline: '', totalClaimCount: 5, contributors: ['ada', '0x12'] },
    invalidAt('/headline', '/totalClaimCount', '/contributors/1'),
    allTogether,
  ),
  rowWithFields(
    'claim',
    'three errors',
    { claimingAddress: 'x', signature: 1, identifier: 2 },
    invalidAt('/claimingAddress', '/signature', '/identifier'),
    allTogether,
  ),
  rowWithFields(
    'burn',
    'two errors',
    { burningAddress: 1, signature: 2 },
    invalidAt('/burningAddress', '/signature'),
    allTogether,
  ),
  rowWithFields(
    'addContributors',
    'two errors',
    { contributors: 5, signature: 6 },
    invalidAt('/contributors', '/signature'),
    allTogether,
  ),
  ...(['adminAirdrop', 'adminAirdropWithoutConsent'] as const).map((route) =>
    rowWithFields(
      route,
      'three errors',
      { receivingAddress: 1, adminAddress: 2, adminSignature: 3 },
      invalidAt('/receivingAddress', '/adminAddress', '/adminSignature'),
      allTogether,
    ),
  ),
];

const REASON = 'A reason has 1 to 500 characters';
const withUnknownOwner = (valid: string) => valid.replace(/owners\/0x\w{40}/, `owners/0x${'0'.repeat(39)}1`);
/** Requests of the right form that are refused: what they name does not exist, or is in another state. */
const undoRows: Row[] = [
  ...(['revoke', 'reinstate', 'move'] as const).flatMap((route) => [
    rowWithFields(
      route,
      'a reason of 501 characters',
      { reason: 'r'.repeat(501) },
      invalidAt('/reason'),
      REASON,
    ),
    rowWithFields(route, 'an empty reason', { reason: '' }, invalidAt('/reason'), REASON),
    rowWithChange(
      route,
      {
        case: 'an owner of 39 digits',
        response: '400 InvalidRequest ?address',
        why: 'An address has 40 digits',
      },
      { path: (valid) => valid.replace(/owners\/0x\w/, 'owners/0x') },
    ),
  ]),
  ...(['revoke', 'move'] as const).map((route) =>
    rowWithChange(
      route,
      {
        case: 'an address without the token',
        response: '409 TokenNotOwned',
        why: 'Only an owner can lose it',
      },
      { path: withUnknownOwner },
    ),
  ),
  rowWithChange(
    'reinstate',
    {
      case: 'an address without the token',
      response: '409 TokenNotRevoked',
      why: 'Only a revocation is undone',
    },
    { path: withUnknownOwner },
  ),
  rowWithFields(
    'removeContributors',
    'one that is not listed',
    { contributors: ['nobody@example.org'] },
    invalidAt('/contributors/0'),
    'Nothing is removed if a contributor is not listed',
  ),
];

const idRule = '1 to 64 of A-Za-z0-9_-';
const urlRule = 'An http or https URL of visible ASCII, at most 2,048 characters';
const addressWithWrongChecksum = '0x530e6DB7BdfFE3B3D537EcE6e20c0f46717D0044';

const communities: Row[] = [
  ...['a/b', 'a b', 'é', '', 'demo\n'].map((uniqId) =>
    rowWithFields(
      'createCommunity',
      `\`uniqId: ${JSON.stringify(uniqId)}\``,
      { uniqId },
      invalidAt('/uniqId'),
      idRule,
    ),
  ),
  rowWithFields(
    'createCommunity',
    'a `uniqId` of 65 letters',
    { uniqId: 'u'.repeat(65) },
    invalidAt('/uniqId'),
    idRule,
  ),
  rowWithFields(
    'createCommunity',
    'the `uniqId` of another community',
    { uniqId: 'demo' },
    '409 CommunityExists',
    'A `uniqId` is unique',
  ),
  rowWithFields(
    'createCommunity',
    'an empty `displayId` and name',
    { displayId: '', name: '' },
    invalidAt('/displayId', '/name'),
    'At least one character',
  ),
  rowWithFields(
    'createCommunity',
    'a `displayId` of 65 characters',
    { displayId: 'd'.repeat(65) },
    invalidAt('/displayId'),
    '1 to 64 characters',
  ),
  rowWithFields(
    'createCommunity',
    'a name of 201 characters',
    { name: 'n'.repeat(201) },
    invalidAt('/name'),
    '1 to 200 characters',
  ),
  rowWithFields(
    'createCommunity',
    'a description of 1,001 characters',
    { description: 'd'.repeat(1_001) },
    invalidAt('/description'),
    'At most 1,000 characters',
  ),
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com',
    '//example.com',
    'logo.png',
    'https://',
    'https://exa mple.com',
    ' https://example.com',
    'https://example.com/\u00e9',
    '',
  ].map((logoUrl) =>
    rowWithFields(
      'createCommunity',
      `\`logoUrl: ${JSON.stringify(logoUrl)}\``,
      { logoUrl },
      invalidAt('/logoUrl'),
      urlRule,
    ),
  ),
  rowWithFields(
    'createCommunity',
    'a `logoUrl` of 2,060 characters',
    { logoUrl: `https://a.b/${'c'.repeat(2_048)}` },
    invalidAt('/logoUrl'),
    urlRule,
  ),
  rowWithFields(
    'createCommunity',
    'five errors',
    { displayId: undefined, name: '', uniqId: '!', logoUrl: 'x', adminAddresses: [addressWithWrongChecksum] },
    invalidAt('/displayId', '/name', '/uniqId', '/logoUrl', '/adminAddresses/0'),
    allTogether,
  ),
  rowWithFields(
    'updateCommunity',
    'a `displayId` of null and an empty name',
    { displayId: null, name: '' },
    invalidAt('/displayId', '/name'),
    allTogether,
  ),
  rowWithFields(
    'updateCommunity',
    'a wrong `logoUrl` and a wrong admin address',
    { logoUrl: 'x', adminAddresses: [addressWithWrongChecksum] },
    invalidAt('/logoUrl', '/adminAddresses/0'),
    allTogether,
  ),
  rowWithChange(
    'updateCommunity',
    {
      case: 'an empty name, for an unknown community',
      response: invalidAt('/name'),
      why: 'The body is checked before the community',
    },
    { path: () => '/v1/communities/nobody', body: () => ({ name: '' }) },
  ),
  ...(
    [
      ['updateCommunity', '/v1/communities/nobody'],
      ['createApiKey', '/v1/communities/nobody/apiKeys'],
    ] as const
  ).map(([route, path]) =>
    rowWithChange(
      route,
      { case: 'an unknown community', response: '404 CommunityNotFound', why: 'The community must exist' },
      { path: () => path },
    ),
  ),
];

const unknownField = 'A PATCH with an unknown field would seem to change it';

const unknownFields: Row[] = [
  ...(['updateToken', 'updateCommunity'] as const).map((route) =>
    rowWithFields(route, 'an unknown field', { 'a/b~c': 1 }, invalidAt('/a~1b~0c'), unknownField),
  ),
  rowWithFields(
    'updateToken',
    'two fields of a new token',
    { headline: 'Other', tokenId: 1 },
    invalidAt('/headline', '/tokenId'),
    unknownField,
  ),
  rowWithFields(
    'updateCommunity',
    'an unknown field and an empty name',
    { Name: 'x', name: '' },
    invalidAt('/Name', '/name'),
    allTogether,
  ),
  ...['another', '', null].map((uniqId) =>
    rowWithFields(
      'updateCommunity',
      `\`"uniqId": ${JSON.stringify(uniqId)}\``,
      { uniqId },
      invalidAt('/uniqId'),
      'The id of a community never changes',
    ),
  ),
  {
    call: routes.updateCommunity,
    case: 'the `uniqId` of the path',
    response: '200',
    why: 'It changes nothing, and the community object contains it',
    // Without another field, because rows change no stored data.
    send: (fixture) => fixture.send('updateCommunity', { body: () => ({ uniqId: fixture.communityId }) }),
  },
];

export const fieldRows: Row[] = [
  ...undoRows,
  ...unknownFields,
  ...requiredFields.flatMap(([route, names]) =>
    names.flatMap((name) => [
      rowWithFields(route, `\`${name}\` absent`, { [name]: undefined }, invalidAt(`/${name}`), 'Required'),
      rowWithFields(
        route,
        `\`${name}\` null`,
        { [name]: null },
        invalidAt(`/${name}`),
        'Required; null means absent',
      ),
    ]),
  ),
  ...textFields.flatMap(([route, names]) =>
    names.flatMap((name) =>
      ['7', 'true', '["a"]', '{}'].map((literal) =>
        rowWithLiteral(route, name, literal, invalidAt(`/${name}`), noCoercion),
      ),
    ),
  ),
  ...['isSignatureRequired', 'isAllowlistRequired'].flatMap((name) =>
    ['"true"', '"false"', '""', '1', '0', '[true]', '{}'].map((literal) =>
      rowWithLiteral(
        'createToken',
        name,
        literal,
        invalidAt(`/${name}`),
        'Values are never coerced: the text `"false"` would become true in the signed message',
      ),
    ),
  ),
  ...['links', 'customAttributes'].flatMap((name) =>
    ['"a"', '1', 'true', '{}', '{"0":"a","length":1}'].map((literal) =>
      rowWithLiteral('createToken', name, literal, invalidAt(`/${name}`), noCoercion),
    ),
  ),
  ...[1, null, true, ['a'], {}].map((link) =>
    createTokenRow(
      `\`links: ["", ${JSON.stringify(link)}]\``,
      { links: ['', link] },
      invalidAt('/links/1'),
      noCoercion,
    ),
  ),
  createTokenRow(
    '51 links',
    { links: Array.from({ length: 51 }, String) },
    invalidAt('/links'),
    'At most 50 links',
  ),
  ...openOrAllowlisted,
  ...openContributors,
  ...sizes,
  ...combinations,
  ...communities,
  rowWithFields(
    'setMember',
    'an unknown role',
    { role: 'admin' },
    invalidAt('/role'),
    'There are four roles',
  ),
  rowWithFields(
    'setMember',
    'a role in upper case',
    { role: 'OWNER' },
    invalidAt('/role'),
    'Roles are exact',
  ),
  rowWithFields(
    'createApiKey',
    'an unknown role',
    { role: 'admin' },
    invalidAt('/role'),
    'There are four roles',
  ),
  rowWithFields(
    'createSignInChallenge',
    'a wrong checksum',
    { address: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D004F' },
    invalidAt('/address'),
    'The address is probably mistyped',
  ),
  rowWithFields(
    'signIn',
    'a text',
    { message: 'hello' },
    invalidAt('/message'),
    'The message follows EIP-4361',
  ),
  rowWithFields(
    'signIn',
    'a code too',
    { challengeId: '3f0f2a53-3c6e-4a4b-9d5b-0d3f6f2b8c11', code: '7K2M-9QPD' },
    invalidAt('/message', '/signature'),
    'One signs in with a wallet or with an e-mail address',
  ),
  rowWithFields(
    'signIn',
    '5,000 characters',
    { message: 'm'.repeat(5_000) },
    invalidAt('/message'),
    'A message has up to 4,096 characters',
  ),
  ...[
    ['a changed statement', /Sign in/, 'Pay'],
    ['another domain', /^\S+/, 'evil.example'],
    ['another chain', /Chain ID: \d+/, 'Chain ID: 5'],
    ['another nonce', /Nonce: \w+/, 'Nonce: 12345678'],
    ['a later expiration', /Expiration Time: \d+/, 'Expiration Time: 2999'],
  ].map(([title, pattern, text]) =>
    rowWithChange(
      'signIn',
      {
        case: `${title}`,
        response: '403 SignInRefused',
        why: 'The message must be an unchanged challenge of this service',
      },
      {
        body: ({ message, ...rest }) => ({
          ...rest,
          message: String(message).replace(pattern as RegExp, String(text)),
        }),
      },
    ),
  ),
  rowWithFields('createApiKey', 'an empty name', { name: '' }, invalidAt('/name'), '1 to 100 characters'),
  rowWithFields(
    'createApiKey',
    'a name of 101 characters',
    { name: 'n'.repeat(101) },
    invalidAt('/name'),
    '1 to 100 characters',
  ),
  rowWithFields(
    'createApiKey',
    'two errors',
    { name: null, expiresAtTimestamp: 'tomorrow' },
    invalidAt('/name', '/expiresAtTimestamp'),
    allTogether,
  ),
  ...['nobody', "demo'--"].map((communityId) =>
    signedTokenRow(
      `an unknown community \`${communityId}\``,
      { communityId },
      '404 CommunityNotFound',
      'The community must exist',
    ),
  ),
  signedTokenRow(
    'a community id in another case',
    { communityId: 'DEMO' },
    '404 CommunityNotFound',
    'Ids are case-sensitive',
  ),
  signedTokenRow(
    'an unknown NFT type',
    { nftTypeId: 'nothing' },
    '404 NftTypeNotFound',
    'The NFT type must exist',
  ),
  signedTokenRow(
    'an NFT type id in another case',
    { nftTypeId: 'defaultorangered' },
    '404 NftTypeNotFound',
    'Ids are case-sensitive',
  ),
  signedTokenRow(
    'the NFT type `__proto__`',
    { nftTypeId: '__proto__' },
    '404 NftTypeNotFound',
    'Names that JavaScript objects inherit are not NFT types',
  ),
];
