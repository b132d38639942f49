import type { Body } from '../shapes.ts';
import { type RouteName, routes } from './routes.ts';
import { type Fixture, type Row, rowWithChange, type WrongSignature } from './row.ts';

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const toHexWord = (value: bigint) => value.toString(16).padStart(64, '0');
const rOf = (valid: string) => valid.slice(2, 66);
const sOf = (valid: string) => valid.slice(66, 130);
const vOf = (valid: string) => valid.slice(130);
const withV = (v: string) => (valid: string) => `0x${rOf(valid)}${sOf(valid)}${v}`;
const withR = (r: bigint) => (valid: string) => `0x${toHexWord(r)}${sOf(valid)}${vOf(valid)}`;
const withS = (s: bigint) => (valid: string) => `0x${rOf(valid)}${toHexWord(s)}${vOf(valid)}`;
// In hex, 1b and 1c are 27 and 28.
const otherV = (valid: string) => (vOf(valid) === '1b' ? '1c' : '1b');
/**
 * The other form of a signature, in which s is the order of the curve minus the valid s. It recovers the same
 * signer.
 */
const highS = (valid: string) =>
  `0x${rOf(valid)}${toHexWord(curveOrder - BigInt(`0x${sOf(valid)}`))}${otherV(valid)}`;

const lengthRule =
  '65 bytes in hex with 0x, or 64 bytes in the compact form of EIP-2098. Up to 8 KiB if the service can ask contract wallets';
const vRule = 'v is 27, 28, 0 or 1';
const rangeRule = 'r and s are above 0 and below the order of the curve';
const lowSRule = 'Only the lower of the two possible values of s is valid (EIP-2)';

type Malformation = [title: string, why: string, change: (valid: string) => string];

const malformations: Malformation[] = [
  ['empty', lengthRule, () => ''],
  ['only `0x`', lengthRule, () => '0x'],
  ['two bytes', lengthRule, () => '0x1234'],
  ['no `0x`', lengthRule, (valid) => valid.slice(2)],
  ['63 bytes', lengthRule, (valid) => valid.slice(0, 128)],
  ['64.5 bytes', lengthRule, (valid) => valid.slice(0, -1)],
  ['66 bytes', lengthRule, (valid) => `${valid}00`],
  ['8 KiB and one byte', lengthRule, () => `0x${'11'.repeat(8 * 1024 + 1)}`],
  ['a letter that is not a hex digit', lengthRule, (valid) => `${valid.slice(0, -1)}g`],
  ['a leading space', lengthRule, (valid) => ` ${valid}`],
  ['a trailing line break', lengthRule, (valid) => `${valid}\n`],
  ['base64', lengthRule, (valid) => Buffer.from(valid.slice(2), 'hex').toString('base64')],
  ...[2, 3, 26, 29, 35, 36, 255].map(
    (value): Malformation => [`v ${value}`, vRule, withV(value.toString(16).padStart(2, '0'))],
  ),
  ['r 0', rangeRule, withR(0n)],
  ['r equal to the order', rangeRule, withR(curveOrder)],
  ['r above the order', rangeRule, withR(2n ** 256n - 1n)],
  ['s 0', rangeRule, withS(0n)],
  ['s equal to the order', rangeRule, withS(curveOrder)],
  ['a high s', lowSRule, highS],
  ['a high s with v 0 or 1', lowSRule, (valid) => highS(valid).replace(/1b$/, '00').replace(/1c$/, '01')],
];
/**
 * The titles of the malformations that are tested with the `tokenIdSignatures` too, not only with
 * `createToken`.
 */
const titlesForTokenIdSignatures = [
  'only `0x`',
  'two bytes',
  'no `0x`',
  '63 bytes',
  '66 bytes',
  'a letter that is not a hex digit',
  'v 2',
  'v 29',
  'r 0',
  'r equal to the order',
  's 0',
  's equal to the order',
  'a high s',
];

interface SignedField {
  route: RouteName;
  field: string;
  primaryType: string;
  /** The response to a signature that recovers another signer. */
  response: string;
}

const creation: SignedField = {
  route: 'createToken',
  field: 'signature',
  primaryType: 'Badge',
  response: '403 BadgeRegisterRequestNotSignedByCreator',
};
const tokenIdSignatures: SignedField[] = [
  { route: 'claim', field: 'signature', primaryType: 'Claim', response: '403 NotSignedByClaimer' },
  { route: 'burn', field: 'signature', primaryType: 'Burn', response: '403 NotSignedByOwner' },
  {
    route: 'addContributors',
    field: 'signature',
    primaryType: 'AllowlistedAddress',
    response: '403 NotSignedByCreator',
  },
  {
    route: 'adminAirdrop',
    field: 'adminSignature',
    primaryType: 'CommunityAdminAirdrop',
    response: '403 NotSignedByAdmin',
  },
  {
    route: 'adminAirdrop',
    field: 'receiverSignature',
    primaryType: 'CommunityAdminAirdropReceiverConsent',
    response: '403 NotSignedByReceiver',
  },
  {
    route: 'adminAirdropWithoutConsent',
    field: 'adminSignature',
    primaryType: 'CommunityAdminAirdrop',
    response: '403 NotSignedByAdmin',
  },
];

const titleOf = ({ field }: SignedField, title: string) =>
  field === 'signature' ? title : `\`${field}\`: ${title}`;
const alteredRow = (
  signed: SignedField,
  [title, response, why]: [string, string, string],
  change: (valid: string) => string,
): Row =>
  rowWithChange(
    signed.route,
    { case: titleOf(signed, title), response, why },
    { body: (valid) => ({ ...valid, [signed.field]: change(String(valid[signed.field])) }) },
  );

const otherSigner = 'The signature recovers another signer, or none';
const domainCounts = 'The signing domain is part of the signature; `GET /v1/environment` returns it';
const anotherAddress = '0x2000000000000000000000000000000000000002';

const tokenIdTypes = [...new Set(tokenIdSignatures.map(({ primaryType }) => primaryType))];
/** The wrong messages that the right wallet can sign: the title, the reason and what to sign. */
const wrongMessagesOf = ({ primaryType }: SignedField): [string, string, Omit<WrongSignature, 'field'>][] => [
  ['for another token', 'The signature covers the token id', { isForNextToken: true }],
  ...tokenIdTypes
    .filter((type) => type !== primaryType)
    .map((type): [string, string, Omit<WrongSignature, 'field'>] => [
      `of the type \`${type}\``,
      'The signature must be of the type that this field requires',
      { primaryType: type },
    ]),
  ['for another chain', domainCounts, { domain: { chainId: 1 } }],
  ['for another contract', domainCounts, { domain: { verifyingContract: anotherAddress } }],
  ['for the name in lower case', domainCounts, { domain: { name: 'badge' } }],
  ['with a `version` added to the domain', domainCounts, { domain: { version: '1' } }],
  ['of a plain message', 'Only EIP-712 signatures are accepted', { isPlainMessage: true }],
];

const wrongMessageRows = tokenIdSignatures.flatMap((signed) =>
  wrongMessagesOf(signed).map(([title, why, wrong]) =>
    rowWithChange(
      signed.route,
      { case: titleOf(signed, title), response: signed.response, why },
      { wrongSignature: { field: signed.field, ...wrong } },
    ),
  ),
);

/** A claim with the community's key and a wrong signature. */
const claimWithKeyRow = (title: string, response: string, signature: string): Row => ({
  call: routes.claim,
  case: title,
  response,
  why: 'A signature is checked even if the key alone would be enough',
  send: (fixture) =>
    fixture.send('claim', {
      headers: (valid) => ({ ...valid, 'X-API-Key': fixture.key }),
      body: (valid) => ({ ...valid, signature }),
    }),
});

const creationRow = (
  title: string,
  why: string,
  send: (fixture: Fixture) => ReturnType<Row['send']>,
): Row => ({
  call: routes.createToken,
  case: title,
  response: creation.response,
  why,
  send,
});
const otherValues = 'The signature covers other values';
const changedAfterSigning = (title: string, fields: Body) =>
  rowWithChange(
    'createToken',
    { case: title, response: creation.response, why: otherValues },
    { body: (valid) => ({ ...valid, ...fields }) },
  );
const unrelatedSignature = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`;
const exactType = 'The type `Badge` must be signed exactly as published';

export const signatureRows: Row[] = [
  ...malformations.map(([title, why, change]) =>
    alteredRow(creation, [title, '400 InvalidSignature', why], change),
  ),
  ...tokenIdSignatures.flatMap((signed) =>
    malformations
      .filter(([title]) => titlesForTokenIdSignatures.includes(title))
      .map(([title, why, change]) => alteredRow(signed, [title, '400 InvalidSignature', why], change)),
  ),
  ...[creation, ...tokenIdSignatures].flatMap((signed) => [
    alteredRow(
      signed,
      ['well-formed, but of another message', signed.response, otherSigner],
      () => unrelatedSignature,
    ),
    alteredRow(signed, ['with the other v', signed.response, otherSigner], (valid) =>
      withV(otherV(valid))(valid),
    ),
  ]),
  ...wrongMessageRows,
  claimWithKeyRow('a wrong signature and a valid key', '403 NotSignedByClaimer', unrelatedSignature),
  claimWithKeyRow('a malformed signature and a valid key', '400 InvalidSignature', '0x'),
  creationRow('for another chain', domainCounts, (fixture) => fixture.createSignedFor({ chainId: 1 })),
  creationRow('for another contract', domainCounts, (fixture) =>
    fixture.createSignedFor({ verifyingContract: anotherAddress }),
  ),
  creationRow('for the contract 0', domainCounts, (fixture) =>
    fixture.createSignedFor({ verifyingContract: `0x${'0'.repeat(40)}` }),
  ),
  creationRow('with a `version` added to the domain', domainCounts, (fixture) =>
    fixture.createSignedFor({ version: '1' }),
  ),
  creationRow('with a `salt` added to the domain', domainCounts, (fixture) =>
    fixture.createSignedFor({ salt: `0x${'0'.repeat(64)}` }),
  ),
  creationRow('for the name in lower case', domainCounts, (fixture) =>
    fixture.createSignedFor({ name: 'badge' }),
  ),
  creationRow('without a chain', domainCounts, (fixture) => fixture.createSignedFor({ chainId: undefined })),
  creationRow('with `communityId` instead of `communityUniqId`', exactType, (fixture) =>
    fixture.createSignedFor({}, (badge) =>
      badge.map((field) => (field.name === 'communityUniqId' ? { ...field, name: 'communityId' } : field)),
    ),
  ),
  creationRow('with the fields in another order', exactType, (fixture) =>
    fixture.createSignedFor({}, (badge) => badge.toReversed()),
  ),
  rowWithChange(
    'createToken',
    { case: 'by another wallet', response: creation.response, why: 'The creator must sign' },
    { body: (valid) => ({ ...valid, creator: anotherAddress }) },
  ),
  changedAfterSigning('with another headline', { headline: 'another' }),
  rowWithChange(
    'createToken',
    { case: 'with a space after the headline', response: creation.response, why: otherValues },
    { body: (valid) => ({ ...valid, headline: `${valid.headline} ` }) },
  ),
  changedAfterSigning('with another description', { description: 'another' }),
  changedAfterSigning('with another count', { totalClaimCount: 11 }),
  changedAfterSigning('with a flag changed', { isSignatureRequired: true }),
  changedAfterSigning('changed from open to allowlisted', {
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['ada'],
  }),
  changedAfterSigning('with a link added', { links: [''] }),
  changedAfterSigning('with a start added', { startDateTimestamp: 5 }),
  changedAfterSigning('with an end added', { endDateTimestamp: 5 }),
  changedAfterSigning('with an expiration added', { expirationTimestamp: 1 }),
  ...(
    [
      ['claim', 'claimingAddress', '403 NotSignedByClaimer'],
      ['burn', 'burningAddress', '403 NotSignedByOwner'],
    ] as const
  ).map(([route, field, response]) =>
    rowWithChange(
      route,
      { case: 'by another wallet', response, why: 'A wallet can sign only for itself' },
      { body: (valid) => ({ ...valid, [field]: anotherAddress }) },
    ),
  ),
  ...[undefined, null].map((signature) =>
    rowWithChange(
      'claim',
      {
        case: `no key, and a signature that is ${signature === null ? 'null' : 'absent'}`,
        response: '401 ApiKeyOrSignatureRequired',
        why: 'The wallet, the community or a claim code must confirm the claim',
      },
      { body: (valid) => ({ ...valid, signature }) },
    ),
  ),
  rowWithChange(
    'createToken',
    {
      case: 'a wrong headline and a malformed signature',
      response: '400 InvalidRequest /headline',
      why: 'The body is checked before its signature',
    },
    { body: (valid) => ({ ...valid, headline: '', signature: '0x' }) },
  ),
  rowWithChange(
    'createToken',
    {
      case: 'a wrong headline, an unknown community and NFT type, and a wrong signature',
      response: '400 InvalidRequest /headline',
      why: 'The body is checked before the ids in it',
    },
    {
      body: (valid) => ({
        ...valid,
        headline: '',
        communityId: 'nobody',
        nftTypeId: 'nothing',
        signature: unrelatedSignature,
      }),
    },
  ),
  ...(
    [
      ['an unknown community', { communityId: 'nobody' }, '404 CommunityNotFound'],
      ['an unknown NFT type', { nftTypeId: 'nothing' }, '404 NftTypeNotFound'],
    ] as const
  ).flatMap(([title, fields, response]) =>
    [
      ['a malformed', '0x'],
      ['a wrong', unrelatedSignature],
    ].map(([which, signature]) =>
      rowWithChange(
        'createToken',
        {
          case: `${title} and ${which} signature`,
          response,
          why: 'The ids in a body are checked before its signature',
        },
        { body: (valid) => ({ ...valid, ...fields, signature }) },
      ),
    ),
  ),
];
