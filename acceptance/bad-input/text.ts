import type { Body } from '../shapes.ts';
import { changed, type RouteName, withFields } from './routes.ts';
import type { Row } from './row.ts';

const mark = '@bytes@';
const notUtf8 =
  'Bytes that are not UTF-8 are refused: repaired, other bytes would be stored than were signed';

const wrongBytes: [string, number[]][] = [
  ['a lone byte `FF`', [0xff]],
  ['Latin-1', [0x63, 0x61, 0x66, 0xe9]],
  ['a lone continuation `80`', [0x80]],
  ['an overlong slash `C0 AF`', [0xc0, 0xaf]],
  ['an overlong NUL `C0 80`', [0xc0, 0x80]],
  ['an overlong euro sign in four bytes', [0xf0, 0x82, 0x82, 0xac]],
  ['a character cut after three bytes of four', [0xf0, 0x9f, 0x8e]],
  ['a surrogate in UTF-8 (CESU-8)', [0xed, 0xa0, 0x80]],
  ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
];

/** The text with these bytes where the mark stands. */
function splice(right: string, bytes: number[]): Uint8Array<ArrayBuffer> {
  const [before = '', after = ''] = right.split(mark);
  return new Uint8Array(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]));
}

function withBytes(route: RouteName, field: string, [title, bytes]: [string, number[]]): Row {
  return changed(
    route,
    { case: `\`${field}\` holds ${title}`, answer: '400 InvalidRequest (body)', why: notUtf8 },
    { body: (right) => ({ ...right, [field]: mark }), text: (right) => splice(right, bytes) },
  );
}

const encoded = (title: string, encode: (right: string) => Buffer): Row =>
  changed(
    'createToken',
    {
      case: title,
      answer: '400 InvalidRequest (body)',
      why: 'JSON is sent in UTF-8, without a mark (RFC 8259)',
    },
    { text: (right) => new Uint8Array(encode(right)) },
  );

const unstorable: [string, string][] = [
  ['NUL', 'a\u0000b'],
  ['a lone high surrogate', 'x\ud83c'],
  ['a lone low surrogate', 'a\udc00b'],
  ['surrogates in the wrong order', '\udc00\ud800'],
];
const attribute = { fieldName: 'colour', type: 'string', value: 'red' };
const places: [RouteName, string, (text: string) => Body][] = [
  ['createToken', '/headline', (headline) => ({ headline })],
  ['createToken', '/description', (description) => ({ description })],
  ['createToken', '/links/1', (link) => ({ links: ['', link] })],
  ['createToken', '/communityId', (communityId) => ({ communityId })],
  ['createToken', '/nftTypeId', (nftTypeId) => ({ nftTypeId })],
  [
    'createToken',
    '/customAttributes/0/fieldName',
    (fieldName) => ({ customAttributes: [{ ...attribute, fieldName }] }),
  ],
  ['createToken', '/customAttributes/0/value', (value) => ({ customAttributes: [{ ...attribute, value }] })],
  ['addContributors', '/contributors/1', (contributor) => ({ contributors: ['fine', contributor] })],
  ['claim', '/identifier', (identifier) => ({ identifier })],
  ['createCommunity', '/displayId', (displayId) => ({ displayId })],
  ['createCommunity', '/name', (name) => ({ name })],
  ['createCommunity', '/description', (description) => ({ description })],
  ['updateCommunity', '/name', (name) => ({ name })],
  ['createApiKey', '/name', (name) => ({ name })],
];
const cannotHold = 'PostgreSQL holds no NUL, and lone surrogates are signed alike (all become U+FFFD)';

const emoji = (count: number) => '🎖'.repeat(count);
const counted = 'Characters are Unicode code points, however many bytes or UTF-16 units they take';
const family = '👩‍👩‍👧‍👦';

const stored = (title: string, changes: Body, why: string): Row => ({
  call: 'POST /v1/tokens',
  case: title,
  answer: '202',
  why,
  send: (scene) => scene.create(changes),
});

export const text: Row[] = [
  ...wrongBytes.map((wrong) => withBytes('createToken', 'headline', wrong)),
  ...(
    ['claim', 'burn', 'addContributors', 'airdrop', 'hideToken', 'createCommunity', 'createApiKey'] as const
  ).map((route) => withBytes(route, 'note', ['a lone byte `FF`', [0xff]])),
  withBytes('createToken', 'note', ['a lone byte `FF`, in a field that is unknown', [0xff]]),
  encoded('UTF-8 with a byte order mark', (right) => Buffer.from(`\ufeff${right}`)),
  encoded('UTF-16', (right) => Buffer.from(right, 'utf16le')),
  encoded('UTF-16 with a byte order mark', (right) => Buffer.from(`\ufeff${right}`, 'utf16le')),
  encoded('UTF-16, the high byte first', (right) => Buffer.from(right, 'utf16le').swap16()),
  encoded('UTF-32', (right) =>
    Buffer.concat([...right].map((one) => Buffer.from([one.charCodeAt(0), 0, 0, 0]))),
  ),
  ...places.flatMap(([route, place, fieldsOf]) =>
    unstorable
      .filter(([title]) => place === '/headline' || title === 'NUL' || title === 'a lone high surrogate')
      .map(([title, value]) =>
        withFields(
          route,
          `${title} in \`${place}\``,
          fieldsOf(value),
          `400 InvalidRequest ${place}`,
          cannotHold,
        ),
      ),
  ),
  stored('a headline of 1,000 emoji (4,000 bytes)', { headline: emoji(1_000) }, counted),
  withFields(
    'createToken',
    'a headline of 1,001 emoji',
    { headline: emoji(1_001) },
    '400 InvalidRequest /headline',
    counted,
  ),
  withFields(
    'createToken',
    'a headline of 1,001 letters',
    { headline: 'h'.repeat(1_001) },
    '400 InvalidRequest /headline',
    'At most 1,000 characters',
  ),
  withFields(
    'createToken',
    'an empty headline',
    { headline: '' },
    '400 InvalidRequest /headline',
    'At least one character',
  ),
  stored('a description of 1,000 emoji', { description: emoji(1_000) }, counted),
  withFields(
    'createToken',
    'a description of 1,001 emoji',
    { description: emoji(1_001) },
    '400 InvalidRequest /description',
    counted,
  ),
  stored('a link of 2,048 emoji', { links: [emoji(2_048)] }, counted),
  withFields(
    'createToken',
    'a link of 2,049 letters',
    { links: ['', 'l'.repeat(2_049)] },
    '400 InvalidRequest /links/1',
    'At most 2,048 characters',
  ),
  withFields(
    'createToken',
    'a headline of 143 families of seven code points',
    { headline: family.repeat(144) },
    '400 InvalidRequest /headline',
    counted,
  ),
  stored('a headline of white space', { headline: ' \t\n\u3000' }, 'Nothing is trimmed'),
  stored('a headline in NFD', { headline: `Zoe\u0308 ${'\u0301'.repeat(50)}` }, 'Nothing is normalised'),
  stored(
    'a headline from right to left, with control characters',
    { headline: '\u202eאבג\u0001\u007f\u200b\ufeff' },
    'Every character but NUL is kept',
  ),
  stored(
    'a headline of noncharacters',
    { headline: '\ufffe\uffff\u{10ffff}\ufffd' },
    'U+FFFD and noncharacters are characters that can be sent',
  ),
  stored(
    'a description with SQL, HTML and a template in it',
    { description: `'); drop table tokens; -- <script>alert(1)</script> \${7*7} {{7*7}} %s %00 ../` },
    'Text is text',
  ),
];
