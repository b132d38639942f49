import type { Body } from '../shapes.ts';
import type { RouteName } from './routes.ts';
import { type Row, rowWithChange, rowWithFields } from './row.ts';

const placeholder = '@bytes@';
const notUtf8 =
  'Bytes that are not UTF-8 are rejected, because repaired text would differ from the signed text';

const wrongBytes: [string, number[]][] = [
  ['a lone byte `FF`', [0xff]],
  ['Latin-1', [0x63, 0x61, 0x66, 0xe9]],
  ['a lone continuation byte `80`', [0x80]],
  ['an overlong slash `C0 AF`', [0xc0, 0xaf]],
  ['an overlong NUL `C0 80`', [0xc0, 0x80]],
  ['an overlong euro sign of four bytes', [0xf0, 0x82, 0x82, 0xac]],
  ['a character cut after three of its four bytes', [0xf0, 0x9f, 0x8e]],
  ['a surrogate in UTF-8 (CESU-8)', [0xed, 0xa0, 0x80]],
  ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
];

/** Puts these bytes where the placeholder is. */
function splice(valid: string, bytes: number[]): Uint8Array<ArrayBuffer> {
  const [before = '', after = ''] = valid.split(placeholder);
  return new Uint8Array(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]));
}

function rowWithBytes(route: RouteName, field: string, [title, bytes]: [string, number[]]): Row {
  return rowWithChange(
    route,
    { case: `\`${field}\` contains ${title}`, response: '400 InvalidRequest (body)', why: notUtf8 },
    { body: (valid) => ({ ...valid, [field]: placeholder }), text: (valid) => splice(valid, bytes) },
  );
}

const encodedRow = (title: string, encode: (valid: string) => Buffer): Row =>
  rowWithChange(
    'createToken',
    {
      case: title,
      response: '400 InvalidRequest (body)',
      why: 'JSON is UTF-8 without a byte order mark (RFC 8259)',
    },
    { text: (valid) => new Uint8Array(encode(valid)) },
  );

const unstorable: [string, string][] = [
  ['NUL', 'a\u0000b'],
  ['a lone high surrogate', 'x\ud83c'],
  ['a lone low surrogate', 'a\udc00b'],
  ['surrogates in the wrong order', '\udc00\ud800'],
];
const attribute = { fieldName: 'colour', type: 'string', value: 'red' };
const allowlisted = { isAllowlistRequired: true, totalClaimCount: null };
/** Text fields: the route, the pointer, and a function that returns fields of a body with a text there. */
const textPlaces: [RouteName, string, (text: string) => Body][] = [
  ['createToken', '/headline', (headline) => ({ headline })],
  ['createToken', '/description', (description) => ({ description })],
  ['createToken', '/criteria', (criteria) => ({ criteria })],
  ['updateToken', '/criteria', (criteria) => ({ criteria })],
  ['createToken', '/links/1', (link) => ({ links: ['', link] })],
  ['createToken', '/communityId', (communityId) => ({ communityId })],
  ['createToken', '/nftTypeId', (nftTypeId) => ({ nftTypeId })],
  [
    'createToken',
    '/customAttributes/0/fieldName',
    (fieldName) => ({ customAttributes: [{ ...attribute, fieldName }] }),
  ],
  ['createToken', '/customAttributes/0/value', (value) => ({ customAttributes: [{ ...attribute, value }] })],
  [
    'createToken',
    '/contributors/1',
    (contributor) => ({ ...allowlisted, contributors: ['ada', contributor] }),
  ],
  ['createClaimLinks', '/identifiers/1', (identifier) => ({ count: null, identifiers: ['ada', identifier] })],
  ['checkClaimCode', '/claimCode', (claimCode) => ({ claimCode })],
  ['revoke', '/reason', (reason) => ({ reason })],
  ['reinstate', '/reason', (reason) => ({ reason })],
  ['move', '/reason', (reason) => ({ reason })],
  ['removeContributors', '/contributors/1', (contributor) => ({ contributors: ['ada', contributor] })],
  ['addContributors', '/contributors/1', (contributor) => ({ contributors: ['ada', contributor] })],
  ['claim', '/identifier', (identifier) => ({ identifier })],
  ['createCommunity', '/displayId', (displayId) => ({ displayId })],
  ['createCommunity', '/name', (name) => ({ name })],
  ['createCommunity', '/description', (description) => ({ description })],
  ['updateCommunity', '/name', (name) => ({ name })],
  ['createApiKey', '/name', (name) => ({ name })],
];
const cannotStore =
  'PostgreSQL cannot store NUL; signing replaces every lone surrogate by U+FFFD, so different texts would have the same signature';

const emoji = (count: number) => '🎖'.repeat(count);
const counted = 'Characters are Unicode code points, not bytes or UTF-16 units';
const family = '👩‍👩‍👧‍👦';

const storedRow = (title: string, fields: Body, why: string): Row => ({
  call: 'POST /v1/tokens',
  case: title,
  response: '202',
  why,
  send: (fixture) => fixture.create(fields),
});
const rejectedRow = (title: string, fields: Body, place: string, why: string) =>
  rowWithFields('createToken', title, fields, `400 InvalidRequest ${place}`, why);

export const textRows: Row[] = [
  ...wrongBytes.map((wrong) => rowWithBytes('createToken', 'headline', wrong)),
  ...(
    ['claim', 'burn', 'addContributors', 'airdrop', 'updateToken', 'createCommunity', 'createApiKey'] as const
  ).map((route) => rowWithBytes(route, 'note', ['a lone byte `FF`', [0xff]])),
  rowWithBytes('createToken', 'note', ['a lone byte `FF`, in an unknown field', [0xff]]),
  encodedRow('UTF-8 with a byte order mark', (valid) => Buffer.from(`\ufeff${valid}`)),
  encodedRow('UTF-16', (valid) => Buffer.from(valid, 'utf16le')),
  encodedRow('UTF-16 with a byte order mark', (valid) => Buffer.from(`\ufeff${valid}`, 'utf16le')),
  encodedRow('big-endian UTF-16', (valid) => Buffer.from(valid, 'utf16le').swap16()),
  encodedRow('UTF-32', (valid) =>
    Buffer.concat([...valid].map((character) => Buffer.from([character.charCodeAt(0), 0, 0, 0]))),
  ),
  ...textPlaces.flatMap(([route, place, fieldsOf]) =>
    unstorable.map(([title, value]) =>
      rowWithFields(
        route,
        `${title} in \`${place}\``,
        fieldsOf(value),
        `400 InvalidRequest ${place}`,
        cannotStore,
      ),
    ),
  ),
  storedRow('a headline of 1,000 emoji (4,000 bytes)', { headline: emoji(1_000) }, counted),
  rejectedRow('a headline of 1,001 emoji', { headline: emoji(1_001) }, '/headline', counted),
  rejectedRow(
    'a headline of 1,001 letters',
    { headline: 'h'.repeat(1_001) },
    '/headline',
    'At most 1,000 characters',
  ),
  rejectedRow('an empty headline', { headline: '' }, '/headline', 'At least one character'),
  storedRow('criteria of 1,000 emoji', { criteria: emoji(1_000) }, counted),
  rejectedRow('criteria of 1,001 emoji', { criteria: emoji(1_001) }, '/criteria', counted),
  rejectedRow(
    'empty criteria',
    { criteria: '' },
    '/criteria',
    'Without criteria, the field is null or absent',
  ),
  storedRow('a description of 1,000 emoji', { description: emoji(1_000) }, counted),
  rejectedRow('a description of 1,001 emoji', { description: emoji(1_001) }, '/description', counted),
  rejectedRow(
    'a description of 1,001 letters',
    { description: 'd'.repeat(1_001) },
    '/description',
    'At most 1,000 characters',
  ),
  storedRow('a link of 2,048 emoji', { links: [emoji(2_048)] }, counted),
  rejectedRow(
    'a link of 2,049 letters',
    { links: ['', 'l'.repeat(2_049)] },
    '/links/1',
    'At most 2,048 characters',
  ),
  rejectedRow(
    'a headline of 144 family emoji of seven code points each',
    { headline: family.repeat(144) },
    '/headline',
    counted,
  ),
  storedRow('a headline of white space', { headline: ' \t\n\u3000' }, 'Text is not trimmed'),
  storedRow('a headline in NFD', { headline: `Zoe\u0308 ${'\u0301'.repeat(50)}` }, 'Text is not normalized'),
  storedRow(
    'a headline of right-to-left text and control characters',
    { headline: '\u202eאבג\u0001\u007f\u200b\ufeff' },
    'Every character except NUL is stored',
  ),
  storedRow(
    'a headline of noncharacters',
    { headline: '\ufffe\uffff\u{10ffff}\ufffd' },
    'U+FFFD and noncharacters are valid characters',
  ),
  storedRow(
    'a description with SQL, HTML and template code',
    { description: `'); drop table tokens; -- <script>alert(1)</script> \${7*7} {{7*7}} %s %00 ../` },
    'Text is never interpreted',
  ),
];
