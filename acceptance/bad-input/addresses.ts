import { type RouteName, withFields } from './routes.ts';
import type { Row } from './row.ts';

const right = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const mistyped = right.replace('E', 'e');
const shape = 'An address is 0x and 40 hex digits';
const checksum = 'In mixed case the EIP-55 checksum must be right: a typing error would lose a badge';

const malformed: [string, string][] = [
  ['39 digits', right.slice(0, -1)],
  ['41 digits', `${right}0`],
  ['no `0x`', right.slice(2)],
  ['`0X`', right.replace('0x', '0X')],
  ['a digit that is none', `${right.slice(0, -1)}g`],
  ['a full-width digit', `${right.slice(0, -1)}４`],
  ['a space before it', ` ${right}`],
  ['a line end behind it', `${right}\n`],
  ['an ENS name', 'vitalik.eth'],
  ['nothing', ''],
];
const fewer = ['39 digits', '41 digits', 'no `0x`'];

const inBodies: [RouteName, string][] = [
  ['createToken', 'creator'],
  ['claim', 'claimingAddress'],
  ['burn', 'burningAddress'],
  ['airdrop', 'address'],
  ['adminAirdrop', 'receivingAddress'],
  ['adminAirdrop', 'adminAddress'],
  ['adminAirdropWithoutConsent', 'receivingAddress'],
];
const checked: [RouteName, string][] = [
  ['airdrop', 'address'],
  ['adminAirdrop', 'receivingAddress'],
  ['adminAirdropWithoutConsent', 'receivingAddress'],
];
const read = (
  call: string,
  path: (tokenId: number) => string,
  [title, answer, why]: [string, string, string],
): Row => ({
  call,
  case: title,
  answer,
  why,
  send: (scene) => scene.call(path(scene.openTokenId)),
});
const wallet = 'GET /v1/wallets/:address/tokens';
const eligibility = 'GET /v1/tokens/:tokenId/eligibility';

const contributors = (title: string, sent: unknown, place: string, why: string): Row[] => [
  withFields(
    'addContributors',
    title,
    { contributors: sent },
    `400 InvalidRequest /contributors${place}`,
    why,
  ),
  withFields(
    'createToken',
    `allowlisted, with ${title}`,
    { isAllowlistRequired: true, totalClaimCount: null, contributors: sent },
    `400 InvalidRequest /contributors${place}`,
    why,
  ),
];
const begins = 'What begins with 0x is meant as an address';

export const addresses: Row[] = [
  ...inBodies.flatMap(([route, field]) =>
    malformed
      .filter(([title]) => route === 'createToken' || fewer.includes(title))
      .map(([title, address]) =>
        withFields(
          route,
          `\`${field}\`: ${title}`,
          { [field]: address },
          `400 InvalidRequest /${field}`,
          shape,
        ),
      ),
  ),
  ...checked.map(([route, field]) =>
    withFields(
      route,
      `\`${field}\`: a wrong checksum`,
      { [field]: mistyped },
      `400 InvalidRequest /${field}`,
      checksum,
    ),
  ),
  withFields(
    'createCommunity',
    '`adminAddresses`: a wrong checksum',
    { adminAddresses: [right, mistyped] },
    '400 InvalidRequest /adminAddresses/1',
    checksum,
  ),
  withFields(
    'updateCommunity',
    '`adminAddresses`: 41 digits',
    { adminAddresses: [`${right}0`] },
    '400 InvalidRequest /adminAddresses/0',
    shape,
  ),
  withFields(
    'createCommunity',
    '101 `adminAddresses`',
    { adminAddresses: Array(101).fill(right) },
    '400 InvalidRequest /adminAddresses',
    'At most 100',
  ),
  ...contributors('an address of 39 digits', ['ada', right.slice(0, -1)], '/1', begins),
  ...contributors('an address of 41 digits', [`${right}0`], '/0', begins),
  ...contributors('a wrong checksum', ['ada', mistyped], '/1', checksum),
  ...contributors('`0x` alone', ['0x'], '/0', begins),
  ...contributors('`0X` and 40 digits', [right.replace('0x', '0X')], '/0', begins),
  ...contributors('an empty one', ['ada', ''], '/1', '1 to 256 characters'),
  ...contributors(
    'one of white space',
    [' \t\u3000'],
    '/0',
    'Equal ones are found by their trimmed form, and this is none',
  ),
  ...contributors('one of 257 emoji', ['🎖'.repeat(257)], '/0', '1 to 256 characters'),
  ...contributors('a number', ['ada', 7], '/1', 'Nothing is coerced'),
  ...contributors('null', [null], '/0', 'Nothing is coerced'),
  ...contributors('a list in the list', [['ada']], '/0', 'Nothing is coerced'),
  ...contributors('a text in place of the list', 'ada', '', 'Nothing is coerced'),
  ...contributors('an object in place of the list', { 0: 'ada', length: 1 }, '', 'Nothing is coerced'),
  ...contributors(
    '10,001 of them',
    Array.from({ length: 10_001 }, (_, index) => `n${index}`),
    '',
    'At most 10,000 in a call',
  ),
  withFields(
    'claim',
    '`identifier`: nothing',
    { identifier: '' },
    '400 InvalidRequest /identifier',
    '1 to 256 characters',
  ),
  withFields(
    'claim',
    '`identifier`: 257 letters',
    { identifier: 'i'.repeat(257) },
    '400 InvalidRequest /identifier',
    '1 to 256 characters',
  ),
  withFields(
    'claim',
    '`identifier`: an address',
    { identifier: right },
    '400 InvalidRequest /identifier',
    'An address claims for itself',
  ),
  ...malformed
    .filter(([title]) => title !== 'nothing')
    .flatMap(([title, address]) => [
      read(wallet, () => `/v1/wallets/${encodeURIComponent(address)}/tokens`, [
        title,
        '400 InvalidRequest ?address',
        shape,
      ]),
      read(
        eligibility,
        (tokenId) => `/v1/tokens/${tokenId}/eligibility?address=${encodeURIComponent(address)}`,
        [title, '400 InvalidRequest ?address', shape],
      ),
    ]),
  read(wallet, () => `/v1/wallets/0x${'0'.repeat(39)}7/tokens`, [
    'a wallet that nobody knows',
    '200 empty',
    'A wallet that holds nothing is an empty list',
  ]),
  read(wallet, () => `/v1/wallets/${mistyped}/tokens`, [
    'a wrong checksum',
    '200',
    'Nothing is lost by reading: addresses are compared without case',
  ]),
  read(wallet, () => `/v1/wallets/${right}/tokens?communityId=nobody`, [
    'a community that is unknown',
    '200 empty',
    'A filter that nothing fits is an empty list',
  ]),
  read(eligibility, (tokenId) => `/v1/tokens/${tokenId}/eligibility`, [
    'no address',
    '400 InvalidRequest ?address',
    'It is required',
  ]),
  read(eligibility, (tokenId) => `/v1/tokens/${tokenId}/eligibility?address=`, [
    'an empty address',
    '400 InvalidRequest ?address',
    'It is required',
  ]),
  read(eligibility, (tokenId) => `/v1/tokens/${tokenId}/eligibility?address=${right}&address=${right}`, [
    'the address twice',
    '400 InvalidRequest ?address',
    'Which of them is meant is not guessed',
  ]),
];
