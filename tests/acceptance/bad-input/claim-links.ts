import type { Body } from '../shapes.ts';
import { invalidAt, type Row, rowWithFields, rowWithLiteral } from './row.ts';

const oneForm = 'One of `identifiers`, `count` and `maxClaims`';
const roomRule =
  'A link for a room needs 2 to 1,000,000 claims, the signature of the creator, and an end in at most 90 days';
const changeRule =
  'The fields of the body are `isPaused`, `maxClaims`, `startsAtTimestamp` and `expiresAtTimestamp`';
const aboutSoon = () => Date.now() + 3_600_000;
const countRule = 'An integer from 1 to 1,000';
const identifiersRule = '1 to 1,000 identifiers: strings of 1 to 256 characters, not only of white space';
const listedRule = 'An identifier must be on the allowlist and must not have claimed';
const codeRule = 'A code must belong to a link of this token';

const linksRow = (title: string, fields: Body, response: string, why: string) =>
  rowWithFields('createClaimLinks', title, fields, response, why);

/** A row that sends a body for the allowlisted token. */
const allowlistedRow = (title: string, body: Body, response: string, why: string): Row => ({
  ...linksRow(`for an allowlisted token: ${title}`, {}, response, why),
  send: (fixture) =>
    fixture.send('createClaimLinks', {
      path: (valid) => valid.replace(/tokens\/\d+/, `tokens/${fixture.allowlistedTokenId}`),
      body: () => body,
    }),
});

const changeRow = (title: string, fields: Body, response: string, why: string) =>
  rowWithFields('updateClaimLink', title, fields, response, why);

const codeRow = (title: string, fields: Body, response: string, why: string) =>
  rowWithFields('claim', `\`claimCode\`: ${title}`, { signature: null, ...fields }, response, why);

const unknownClaimCode = '0'.repeat(26);
const unrelatedSignature = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`;

export const claimLinkRows: Row[] = [
  linksRow('neither `identifiers` nor `count`', { count: undefined }, invalidAt('(body)'), oneForm),
  linksRow(
    '`identifiers` and `count` null',
    { identifiers: null, count: null },
    invalidAt('(body)'),
    oneForm,
  ),
  linksRow('`identifiers` and `count`', { identifiers: ['ada'] }, invalidAt('/count'), oneForm),
  linksRow(
    '`identifiers` and `signature`',
    { count: null, identifiers: ['ada'], signature: '0x' },
    invalidAt('/signature'),
    oneForm,
  ),
  ...['0', '-1', '1001', '1.5', '"1"', 'true', '[1]', '{}', '1e400'].map((literal) =>
    rowWithLiteral('createClaimLinks', 'count', literal, invalidAt('/count'), countRule),
  ),
  // The valid body has a `count`, which `identifiers` excludes.
  ...['"ada"', '1', 'true', '{}', '[]'].map((literal) =>
    rowWithLiteral(
      'createClaimLinks',
      'identifiers',
      literal,
      invalidAt('/identifiers', '/count'),
      identifiersRule,
    ),
  ),
  ...(
    [
      ['1,001 identifiers', Array.from({ length: 1_001 }, String), ''],
      ['an empty identifier', ['ada', ''], '/1'],
      ['an identifier of white space', ['ada', ' \n'], '/1'],
      ['an identifier of 257 characters', ['a'.repeat(257)], '/0'],
      ['a number in the array', ['ada', 5], '/1'],
      ['null in the array', [null], '/0'],
      ['an object in the array', [{}], '/0/contributor'],
    ] as [string, unknown[], string][]
  ).map(([title, identifiers, place]) =>
    linksRow(
      `\`identifiers\`: ${title}`,
      { count: null, identifiers },
      invalidAt(`/identifiers${place}`),
      identifiersRule,
    ),
  ),
  linksRow(
    '`identifiers`: an address',
    { count: null, identifiers: ['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044'] },
    invalidAt('/identifiers/0'),
    'An address claims with its signature, so it needs no link',
  ),
  linksRow(
    '`identifiers`, for an open token',
    { count: null, identifiers: ['ada'] },
    '409 AllowlistMismatch',
    'An open token has no allowlist',
  ),
  linksRow('a malformed `signature`', { signature: '0x12' }, '400 InvalidSignature', '65 or 64 bytes in hex'),
  ...['0', '1', '1700000000000'].map((literal) =>
    rowWithLiteral(
      'createClaimLinks',
      'expiresAtTimestamp',
      literal,
      invalidAt('/expiresAtTimestamp'),
      'The expiration must be in the future',
    ),
  ),
  ...['"tomorrow"', 'true', '-1', '1.5', '8640000000000001'].map((literal) =>
    rowWithLiteral(
      'createClaimLinks',
      'expiresAtTimestamp',
      literal,
      invalidAt('/expiresAtTimestamp'),
      'A time is an integer, in milliseconds since 1970',
    ),
  ),
  allowlistedRow(
    'only `count`',
    { count: 1 },
    '409 AllowlistMismatch',
    "The token's creator must sign an addition to the allowlist",
  ),
  allowlistedRow(
    "`count`, with another wallet's signature",
    { count: 1, signature: unrelatedSignature },
    '403 NotSignedByCreator',
    "The token's creator must sign an addition to the allowlist",
  ),
  allowlistedRow(
    'an identifier that is not on the allowlist',
    { identifiers: ['nobody'] },
    invalidAt('/identifiers/0'),
    listedRule,
  ),
  ...['1', '0', '-1', '1000001', '2.5', '"2"', 'true', '[2]'].map(
    (literal): Row => ({
      ...rowWithLiteral('createClaimLinks', 'maxClaims', literal, invalidAt('/maxClaims'), roomRule),
      send: (fixture) =>
        fixture.send('createClaimLinks', {
          body: () => ({ signature: unrelatedSignature, expiresAtTimestamp: aboutSoon() }),
          text: (valid) => valid.replace('{', `{"maxClaims":${literal},`),
        }),
    }),
  ),
  linksRow(
    '`maxClaims` without `signature` and `expiresAtTimestamp`',
    { count: undefined, maxClaims: 2 },
    invalidAt('/signature', '/expiresAtTimestamp'),
    roomRule,
  ),
  linksRow('`maxClaims` and `count`', { maxClaims: 2 }, invalidAt('/maxClaims'), oneForm),
  linksRow(
    '`startsAtTimestamp` with `count`',
    { startsAtTimestamp: 1 },
    invalidAt('/startsAtTimestamp'),
    'Only a link for a room has a start',
  ),
  allowlistedRow(
    "`maxClaims`, with another wallet's signature",
    { maxClaims: 2, signature: unrelatedSignature, expiresAtTimestamp: aboutSoon() },
    '403 NotSignedByCreator',
    "The token's creator must sign an addition to the allowlist",
  ),
  allowlistedRow(
    '`maxClaims`, with an end in 91 days',
    {
      maxClaims: 2,
      signature: unrelatedSignature,
      expiresAtTimestamp: Date.now() + 91 * 86_400_000,
    },
    invalidAt('/expiresAtTimestamp'),
    roomRule,
  ),
  changeRow('an unknown field', { isPaused: undefined, code: 'x' }, invalidAt('/code'), changeRule),
  changeRow('`isPaused` null', { isPaused: null }, invalidAt('/isPaused'), changeRule),
  changeRow('`isPaused` that is text', { isPaused: 'true' }, invalidAt('/isPaused'), changeRule),
  changeRow('`maxClaims` 1', { maxClaims: 1 }, invalidAt('/maxClaims'), roomRule),
  changeRow('an end in the past', { expiresAtTimestamp: 1 }, invalidAt('/expiresAtTimestamp'), roomRule),
  changeRow(
    'a start in seconds',
    { startsAtTimestamp: 1_800_000_000 },
    invalidAt('/startsAtTimestamp'),
    'Timestamps are in milliseconds',
  ),
  changeRow(
    'a start after the end',
    { startsAtTimestamp: 8_640_000_000_000_000 },
    invalidAt('/startsAtTimestamp'),
    'The start must be before the end',
  ),
  codeRow('8 characters, unknown', { claimCode: '0000-0000' }, '403 ClaimCodeInvalid', codeRule),
  codeRow('unknown', { claimCode: unknownClaimCode }, '403 ClaimCodeInvalid', codeRule),
  codeRow('a word', { claimCode: 'secret' }, '403 ClaimCodeInvalid', codeRule),
  codeRow('emoji', { claimCode: '🎖'.repeat(64) }, '403 ClaimCodeInvalid', codeRule),
  codeRow('only hyphens', { claimCode: '---' }, '403 ClaimCodeInvalid', codeRule),
  codeRow('empty', { claimCode: '' }, invalidAt('/claimCode'), '1 to 64 characters'),
  codeRow('65 characters', { claimCode: '0'.repeat(65) }, invalidAt('/claimCode'), '1 to 64 characters'),
  codeRow(
    'with an identifier',
    { claimCode: unknownClaimCode, identifier: 'ada' },
    invalidAt('/claimCode'),
    'The link of the code names the allowlist entry',
  ),
  codeRow('null', { claimCode: null }, '401 ApiKeyOrSignatureRequired', 'Null means absent'),
  rowWithFields(
    'checkClaimCode',
    'an empty code',
    { claimCode: '' },
    invalidAt('/claimCode'),
    '1 to 64 characters',
  ),
  rowWithFields(
    'checkClaimCode',
    'a code of 65 characters',
    { claimCode: '0'.repeat(65) },
    invalidAt('/claimCode'),
    '1 to 64 characters',
  ),
  rowWithFields(
    'checkClaimCode',
    'an unknown code',
    { claimCode: unknownClaimCode },
    '200',
    'The response says in `reasons` what is wrong',
  ),
];
