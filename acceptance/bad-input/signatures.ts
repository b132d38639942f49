import type { Body } from '../shapes.ts';
import { changed, type RouteName, routes } from './routes.ts';
import type { Row } from './row.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const rOf = (right: string) => right.slice(2, 66);
const sOf = (right: string) => right.slice(66, 130);
const vOf = (right: string) => right.slice(130);
const withV = (v: string) => (right: string) => `0x${rOf(right)}${sOf(right)}${v}`;
const withR = (r: bigint) => (right: string) => `0x${word(r)}${sOf(right)}${vOf(right)}`;
const withS = (s: bigint) => (right: string) => `0x${rOf(right)}${word(s)}${vOf(right)}`;
const highS = (right: string) =>
  `0x${rOf(right)}${word(order - BigInt(`0x${sOf(right)}`))}${vOf(right) === '1b' ? '1c' : '1b'}`;

const shape = '65 bytes in hex with 0x, or 64 after EIP-2098';
const v = 'v is 27, 28, 0 or 1';
const range = 'r and s are above 0 and below the order of the curve';
const low = 'Of the two s that a signature may have only the low one counts (EIP-2)';

const malformed: [string, string, (right: string) => string][] = [
  ['an empty text', shape, () => ''],
  ['`0x` alone', shape, () => '0x'],
  ['without `0x`', shape, (right) => right.slice(2)],
  ['63 bytes', shape, (right) => right.slice(0, 128)],
  ['64.5 bytes', shape, (right) => right.slice(0, -1)],
  ['66 bytes', shape, (right) => `${right}00`],
  ['a digit that is none', shape, (right) => `${right.slice(0, -1)}g`],
  ['a space before it', shape, (right) => ` ${right}`],
  ['a line end behind it', shape, (right) => `${right}\n`],
  ['base64', shape, (right) => Buffer.from(right.slice(2), 'hex').toString('base64')],
  ...[2, 3, 26, 29, 35, 36, 255].map((value): [string, string, (right: string) => string] => [
    `v ${value}`,
    v,
    withV(value.toString(16).padStart(2, '0')),
  ]),
  ['r 0', range, withR(0n)],
  ['r of the order', range, withR(order)],
  ['r above the order', range, withR(2n ** 256n - 1n)],
  ['s 0', range, withS(0n)],
  ['s of the order', range, withS(order)],
  ['a high s', low, highS],
  ['a high s with v 0 or 1', low, (right) => highS(right).replace(/1b$/, '00').replace(/1c$/, '01')],
];
const inEveryCall = ['without `0x`', '63 bytes', '66 bytes', 'v 29', 'r 0', 's of the order', 'a high s'];

const signed: [RouteName, string, string][] = [
  ['createToken', 'signature', '403 BadgeRegisterRequestNotSignedByCreator'],
  ['claim', 'signature', '403 NotSignedByClaimer'],
  ['burn', 'signature', '403 NotSignedByOwner'],
  ['addContributors', 'signature', '403 NotSignedByCreator'],
  ['adminAirdrop', 'adminSignature', '403 NotSignedByAdmin'],
  ['adminAirdrop', 'receiverSignature', '403 NotSignedByReceiver'],
  ['adminAirdropWithoutConsent', 'adminSignature', '403 NotSignedByAdmin'],
];

const alter = (
  route: RouteName,
  field: string,
  row: [string, string, string],
  change: (right: string) => string,
) => {
  const [title, answer, why] = row;
  return changed(
    route,
    { case: field === 'signature' ? title : `\`${field}\`: ${title}`, answer, why },
    { body: (right: Body) => ({ ...right, [field]: change(String(right[field])) }) },
  );
};

const notSigned = '403 BadgeRegisterRequestNotSignedByCreator';
const create = (title: string, why: string, send: Row['send'], answer = notSigned): Row => ({
  call: routes.createToken,
  case: title,
  answer,
  why,
  send,
});
const domainHolds = 'The domain is part of what is signed; `GET /v1/environment` tells it';
const foreign = '0x2000000000000000000000000000000000000002';
const changedAfter = (title: string, fields: Body) =>
  changed(
    'createToken',
    { case: title, answer: notSigned, why: 'What was signed is not what was sent' },
    { body: (right) => ({ ...right, ...fields }) },
  );

export const signatures: Row[] = [
  ...malformed.map(([title, why, change]) =>
    alter('createToken', 'signature', [title, '400 InvalidSignature', why], change),
  ),
  ...signed
    .slice(1)
    .flatMap(([route, field]) =>
      malformed
        .filter(([title]) => inEveryCall.includes(title))
        .map(([title, why, change]) => alter(route, field, [title, '400 InvalidSignature', why], change)),
    ),
  ...signed.map(([route, field, answer]) =>
    alter(
      route,
      field,
      ['of another message, well-formed', answer, 'It recovers another signer, or none'],
      () => `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`,
    ),
  ),
  ...signed.map(([route, field, answer]) =>
    alter(route, field, ['with the other v', answer, 'It recovers another signer'], (right) =>
      withV(vOf(right) === '1b' ? '1c' : '1b')(right),
    ),
  ),
  create('for another chain', domainHolds, (scene) => scene.createSignedFor({ chainId: 1 })),
  create('for another contract', domainHolds, (scene) =>
    scene.createSignedFor({ verifyingContract: foreign }),
  ),
  create('for the contract 0', domainHolds, (scene) =>
    scene.createSignedFor({ verifyingContract: `0x${'0'.repeat(40)}` }),
  ),
  create('with a `version` added to the domain', domainHolds, (scene) =>
    scene.createSignedFor({ version: '1' }),
  ),
  create('with a `salt` added to the domain', domainHolds, (scene) =>
    scene.createSignedFor({ salt: `0x${'0'.repeat(64)}` }),
  ),
  create('for the name in lower case', domainHolds, (scene) => scene.createSignedFor({ name: 'badge' })),
  create('without a chain', domainHolds, (scene) => scene.createSignedFor({ chainId: undefined })),
  create(
    'with `communityId` in place of `communityUniqId`',
    'The type `Badge` is signed as it is published, to the name',
    (scene) =>
      scene.createSignedFor({}, (badge) =>
        badge.map((field) => (field.name === 'communityUniqId' ? { ...field, name: 'communityId' } : field)),
      ),
  ),
  create(
    'with the fields in another order',
    'The type `Badge` is signed as it is published, to the order',
    (scene) => scene.createSignedFor({}, (badge) => badge.toReversed()),
  ),
  changed(
    'createToken',
    { case: 'by another wallet', answer: notSigned, why: 'Only the creator signs' },
    { body: (right) => ({ ...right, creator: foreign }) },
  ),
  changedAfter('with another headline', { headline: 'another' }),
  changedAfter('with a space behind the headline', { headline: 'another ' }),
  changedAfter('with another description', { description: 'another' }),
  changedAfter('with another count', { totalClaimCount: 11 }),
  changedAfter('with a flag turned', { isSignatureRequired: true }),
  changedAfter('with a link added', { links: [''] }),
  changedAfter('with a date added', { expirationTimestamp: 1 }),
  ...['claim', 'burn'].map((route) =>
    changed(
      route as RouteName,
      {
        case: 'by another wallet',
        answer: route === 'claim' ? '403 NotSignedByClaimer' : '403 NotSignedByOwner',
        why: 'A wallet speaks for itself alone',
      },
      {
        body: (right) => ({ ...right, [route === 'claim' ? 'claimingAddress' : 'burningAddress']: foreign }),
      },
    ),
  ),
  changed(
    'claim',
    {
      case: 'neither signature nor key',
      answer: '401 ApiKeyOrSignatureRequired',
      why: 'Somebody must vouch for the address',
    },
    { body: ({ signature: _signature, ...rest }) => rest },
  ),
  changed(
    'createToken',
    {
      case: 'a wrong headline beside a malformed signature',
      answer: '400 InvalidRequest /headline',
      why: 'The body comes before its signature',
    },
    { body: (right) => ({ ...right, headline: '', signature: '0x' }) },
  ),
];
