import type { RouteName } from './routes.ts';
import { type Row, rowWithChange, rowWithFields } from './row.ts';

const valid = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const mistyped = valid.replace('E', 'e');
const addressRule = 'An address is 0x and 40 hex digits';
const checksumRule =
  'A mixed-case address must have a correct EIP-55 checksum: a badge sent to a mistyped address is lost';

const malformed: [string, string][] = [
  ['39 digits', valid.slice(0, -1)],
  ['41 digits', `${valid}0`],
  ['no `0x`', valid.slice(2)],
  ['`0X`', valid.replace('0x', '0X')],
  ['only `0x`', '0x'],
  ['a letter that is not a hex digit', `${valid.slice(0, -1)}g`],
  ['a full-width digit', `${valid.slice(0, -1)}４`],
  ['a leading space', ` ${valid}`],
  ['a trailing space', `${valid} `],
  ['a trailing line break', `${valid}\n`],
  ['a trailing NUL', `${valid}\0`],
  ['a trailing quote', `${valid}'`],
  ['an ENS name', 'vitalik.eth'],
  ['2,000 letters', 'a'.repeat(2_000)],
  ['empty', ''],
];

const addressFields: [RouteName, string][] = [
  ['createToken', 'creator'],
  ['claim', 'claimingAddress'],
  ['burn', 'burningAddress'],
  ['move', 'toAddress'],
  ['airdrop', 'address'],
  ['adminAirdrop', 'receivingAddress'],
  ['adminAirdrop', 'adminAddress'],
  ['adminAirdropWithoutConsent', 'receivingAddress'],
  ['adminAirdropWithoutConsent', 'adminAddress'],
];
/** The fields among `addressFields` whose checksum is always checked. */
const checksumFields: [RouteName, string][] = [
  ['move', 'toAddress'],
  ['airdrop', 'address'],
  ['adminAirdrop', 'receivingAddress'],
  ['adminAirdropWithoutConsent', 'receivingAddress'],
];
const readRow = (
  call: string,
  path: (tokenId: number) => string,
  title: string,
  response: string,
  why: string,
): Row => ({
  call,
  case: title,
  response,
  why,
  send: (fixture) => fixture.call(path(fixture.openTokenId)),
});
const walletTokensCall = 'GET /v1/wallets/:address/tokens';
const eligibilityCall = 'GET /v1/tokens/:tokenId/eligibility';

const contributorRows = (title: string, sent: unknown, places: string[], why: string): Row[] => {
  const response = `400 InvalidRequest ${places.map((place) => `/contributors${place}`).join(' ')}`;
  const allowlisted = { isAllowlistRequired: true, totalClaimCount: null, contributors: sent };
  return [
    rowWithFields('addContributors', title, { contributors: sent }, response, why),
    rowWithFields('removeContributors', title, { contributors: sent }, response, why),
    rowWithFields('createToken', `allowlisted, with ${title}`, allowlisted, response, why),
  ];
};
const without0x = '40 hex digits are an address without `0x`, not a handle';
const startsWith0x = 'A contributor that starts with 0x must be an address';
const identifierLength = '1 to 256 characters';
const noCoercion = 'Values are never coerced';
const identifierRow = (title: string, value: string, why: string) =>
  rowWithFields(
    'claim',
    `\`identifier\`: ${title}`,
    { identifier: value },
    '400 InvalidRequest /identifier',
    why,
  );
const adminAddressesRow = (route: RouteName, title: string, sent: unknown, places: string[], why: string) =>
  rowWithFields(
    route,
    `\`adminAddresses\`: ${title}`,
    { adminAddresses: sent },
    `400 InvalidRequest ${places.map((place) => `/adminAddresses${place}`).join(' ')}`,
    why,
  );

export const addressRows: Row[] = [
  ...addressFields.flatMap(([route, field]) =>
    malformed.map(([title, address]) =>
      rowWithFields(
        route,
        `\`${field}\`: ${title}`,
        { [field]: address },
        `400 InvalidRequest /${field}`,
        address.includes('\0') ? 'NUL is not allowed in text' : addressRule,
      ),
    ),
  ),
  ...checksumFields.map(([route, field]) =>
    rowWithFields(
      route,
      `\`${field}\`: a wrong checksum`,
      { [field]: mistyped },
      `400 InvalidRequest /${field}`,
      checksumRule,
    ),
  ),
  rowWithChange(
    'claim',
    {
      case: '`claimingAddress`: a wrong checksum, without a signature',
      response: '400 InvalidRequest /claimingAddress',
      why: checksumRule,
    },
    { body: () => ({ claimingAddress: mistyped }) },
  ),
  rowWithFields(
    'claim',
    '`claimingAddress`: a wrong checksum, with `signature` null',
    { claimingAddress: mistyped, signature: null },
    '400 InvalidRequest /claimingAddress',
    checksumRule,
  ),
  rowWithFields(
    'claim',
    '`claimingAddress`: a wrong checksum, with the signature of another address',
    { claimingAddress: mistyped },
    '403 NotSignedByClaimer',
    'A signature must be by the address itself, so the checksum is not checked',
  ),
  adminAddressesRow('createCommunity', 'a wrong checksum', [valid, mistyped], ['/1'], checksumRule),
  adminAddressesRow('updateCommunity', '41 digits', [`${valid}0`], ['/0'], addressRule),
  adminAddressesRow(
    'createCommunity',
    '101 addresses',
    Array(101).fill(valid),
    [''],
    'At most 100 addresses',
  ),
  adminAddressesRow('createCommunity', 'one address instead of an array', valid, [''], noCoercion),
  adminAddressesRow(
    'createCommunity',
    'a wrong checksum, a short address and null',
    [valid, mistyped, '0x1', null],
    ['/1', '/2', '/3'],
    'All errors are listed together',
  ),
  ...contributorRows('an address of 39 digits', ['ada', valid.slice(0, -1)], ['/1'], startsWith0x),
  ...contributorRows('an address of 41 digits', [`${valid}0`], ['/0'], startsWith0x),
  ...contributorRows('an address with a letter `g`', [`${valid.slice(0, -1)}g`], ['/0'], startsWith0x),
  ...contributorRows('a wrong checksum', ['ada', mistyped], ['/1'], checksumRule),
  ...contributorRows('the contributor `0x`', ['0x'], ['/0'], startsWith0x),
  ...contributorRows('`0X` and 40 digits', [valid.replace('0x', '0X')], ['/0'], startsWith0x),
  ...contributorRows('40 hex digits without `0x`', ['ada', valid.slice(2)], ['/1'], without0x),
  ...contributorRows(
    '40 lower-case hex digits with surrounding spaces',
    [` ${valid.slice(2).toLowerCase()} `],
    ['/0'],
    without0x,
  ),
  ...contributorRows('40 zeros', ['0'.repeat(40)], ['/0'], without0x),
  ...contributorRows('an ENS name that starts with `0x`', ['0xada.eth'], ['/0'], startsWith0x),
  ...contributorRows('an empty contributor', ['ada', ''], ['/1'], identifierLength),
  ...contributorRows(
    'a contributor of white space',
    [' \t\u3000'],
    ['/0'],
    'A contributor must not be empty after trimming',
  ),
  ...contributorRows('a contributor of 257 letters', ['i'.repeat(257)], ['/0'], identifierLength),
  ...contributorRows('a contributor of 257 emoji', ['🎖'.repeat(257)], ['/0'], identifierLength),
  ...contributorRows('a number', ['ada', 7], ['/1'], noCoercion),
  ...contributorRows('null in the array', [null], ['/0'], noCoercion),
  ...contributorRows('an array in the array', [['ada']], ['/0'], noCoercion),
  ...contributorRows('a string instead of the array', 'ada', [''], noCoercion),
  ...contributorRows('an object instead of the array', { 0: 'ada', length: 1 }, [''], noCoercion),
  ...contributorRows(
    'several wrong contributors',
    ['0x1', 'ada', 2, mistyped, ''],
    ['/0', '/2', '/3', '/4'],
    'All errors are listed together',
  ),
  ...contributorRows(
    '10,001 contributors',
    Array.from({ length: 10_001 }, (_, index) => `n${index}`),
    [''],
    'At most 10,000 in one call',
  ),
  rowWithFields(
    'addContributors',
    'no contributors',
    { contributors: [] },
    '400 InvalidRequest /contributors',
    'At least one contributor is required',
  ),
  identifierRow('empty', '', identifierLength),
  identifierRow('white space', ' \t', 'At least one character that is not white space'),
  identifierRow('257 letters', 'i'.repeat(257), identifierLength),
  identifierRow('an address', valid, 'An address is sent as `claimingAddress`, not as an identifier'),
  // A path with an empty address is an unknown path, not a malformed address.
  ...malformed
    .filter(([, address]) => address !== '')
    .flatMap(([title, address]) => [
      readRow(
        walletTokensCall,
        () => `/v1/wallets/${encodeURIComponent(address)}/tokens`,
        title,
        '400 InvalidRequest ?address',
        addressRule,
      ),
      readRow(
        eligibilityCall,
        (tokenId) => `/v1/tokens/${tokenId}/eligibility?address=${encodeURIComponent(address)}`,
        title,
        '400 InvalidRequest ?address',
        addressRule,
      ),
    ]),
  readRow(
    walletTokensCall,
    () => `/v1/wallets/0x${'0'.repeat(39)}7/tokens`,
    'an unknown wallet',
    '200 empty',
    'A wallet without tokens has an empty list',
  ),
  readRow(
    walletTokensCall,
    () => `/v1/wallets/${mistyped}/tokens`,
    'a wrong checksum',
    '200',
    'Reads do not verify checksums, because nothing is lost',
  ),
  readRow(
    walletTokensCall,
    () => `/v1/wallets/${valid}/tokens?communityId=nobody`,
    'an unknown community',
    '200 empty',
    'A filter without matches returns an empty list',
  ),
  readRow(
    eligibilityCall,
    (tokenId) => `/v1/tokens/${tokenId}/eligibility`,
    'no address',
    '400 InvalidRequest ?address',
    'Required',
  ),
  readRow(
    eligibilityCall,
    (tokenId) => `/v1/tokens/${tokenId}/eligibility?address=`,
    'an empty address',
    '400 InvalidRequest ?address',
    'Required',
  ),
  readRow(
    eligibilityCall,
    (tokenId) => `/v1/tokens/${tokenId}/eligibility?address=${valid}&address=${valid}`,
    'the address twice',
    '400 InvalidRequest ?address',
    'A parameter may be given only once',
  ),
];
