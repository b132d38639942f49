import { largeBodyRouteNames, type RouteName, routeNames } from './routes.ts';
import { type Row, rowWithChange, rowWithFields } from './row.ts';

const REJECTED = '400 InvalidRequest (body)';
const ONE_DOCUMENT = 'A body is one JSON document (RFC 8259)';

const malformed: [string, (valid: string) => string][] = [
  ['an empty body', () => ''],
  ['only white space', () => ' \n'],
  ['cut before the last brace', (valid) => valid.slice(0, -1)],
  ['cut in the middle', (valid) => valid.slice(0, valid.length / 2)],
  ['the document twice', (valid) => valid + valid],
  ['the document twice, on two lines', (valid) => `${valid}\n${valid}`],
  ['text after the document', (valid) => `${valid} x`],
  ['a trailing comma', (valid) => valid.replace(/\}$/, ',}')],
  ['single quotes', (valid) => valid.replaceAll('"', "'")],
  ['names without quotes', (valid) => valid.replaceAll(/"(\w+)":/g, '$1:')],
  ['a comment', (valid) => `/* */${valid}`],
  ['a raw line break in a string', (valid) => valid.replace(':"', ':"\n')],
  ['an invalid escape', (valid) => valid.replace(':"', ':"\\x41')],
  ['a URL-encoded form', () => 'headline=A&communityId=demo'],
  ['XML', () => '<token/>'],
];

/**
 * Returns a function that adds a field with nested values to a valid body. The body then has `depth` levels,
 * itself included.
 */
const nested = (opening: string, closing: string, depth: number) => (valid: string) =>
  `{"deep":${opening.repeat(depth - 1)}1${closing.repeat(depth - 1)},${valid.slice(1)}`;
const TOO_DEEP = 'At most 16 levels, so that parsing does not overflow the stack';
const SIZE_FIRST = 'The service checks the size (64 KiB) before the depth';
const takesLargeBodies = (route: RouteName) => largeBodyRouteNames.includes(route);

const TOO_MANY = 'At most 20,000 values; the service counts them before it parses';
/** Returns a function that adds `added` values to a valid body: one array, and zeros in it. */
const withValues = (added: number) => (valid: string) =>
  valid.replace('{', () => `{"many":[${'0,'.repeat(added - 2)}0],`);
const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, child) => sum + countValues(child), 1)
    : 1;

const ORDINARY_NAMES =
  'Names with a meaning in JavaScript are ordinary field names; unknown fields are ignored';
const LAST_WINS = 'If a name occurs twice, the last value counts, as in `JSON.parse`';

export const jsonRows: Row[] = [
  ...malformed.map(([title, text]) =>
    rowWithChange('createToken', { case: title, response: REJECTED, why: ONE_DOCUMENT }, { text }),
  ),
  ...routeNames
    .filter((route) => route !== 'createToken')
    .flatMap((route) =>
      malformed
        .filter(([title]) =>
          ['an empty body', 'cut before the last brace', 'the document twice'].includes(title),
        )
        .map(([title, text]) =>
          rowWithChange(route, { case: title, response: REJECTED, why: ONE_DOCUMENT }, { text }),
        ),
    ),
  ...routeNames.flatMap((route) =>
    ['[]', '[{}]', '"text"', 'null', 'true', '1'].map((root) =>
      rowWithChange(
        route,
        { case: `\`${root}\``, response: '400 InvalidRequest', why: 'A body is an object' },
        { text: () => root },
      ),
    ),
  ),
  ...(
    [
      ['arrays', '[', ']'],
      ['objects', '{"a":', '}'],
    ] as const
  ).flatMap(([what, opening, closing]) => [
    rowWithChange(
      'createToken',
      { case: `${what} 16 levels deep, in an unknown field`, response: '202', why: 'At most 16 levels' },
      { text: nested(opening, closing, 16) },
    ),
    rowWithChange(
      'createToken',
      { case: `${what} 17 levels deep, in an unknown field`, response: REJECTED, why: TOO_DEEP },
      { text: nested(opening, closing, 17) },
    ),
    rowWithChange(
      'createToken',
      { case: `${what} 200,000 levels deep, never closed`, response: REJECTED, why: TOO_DEEP },
      { text: () => opening.repeat(200_000) },
    ),
  ]),
  ...routeNames.map((route) =>
    rowWithChange(
      route,
      {
        case: 'arrays 200,000 levels deep',
        response: takesLargeBodies(route) ? REJECTED : '413 TooLarge',
        why: takesLargeBodies(route) ? TOO_DEEP : SIZE_FIRST,
      },
      { text: nested('[', ']', 200_000) },
    ),
  ),
  ...(
    [
      ['20,000 values', 20_000, '202'],
      ['20,001 values', 20_001, REJECTED],
    ] as const
  ).map(([title, count, response]) =>
    rowWithChange(
      'createToken',
      { case: title, response, why: TOO_MANY },
      { text: (valid) => withValues(count - countValues(JSON.parse(valid)))(valid) },
    ),
  ),
  ...(
    [
      ['a million numbers', `[${'0,'.repeat(999_999)}0]`],
      ['a million empty arrays', `[${'[],'.repeat(999_999)}[]]`],
      ['300,000 fields', `{${'"a":0,'.repeat(299_999)}"a":0}`],
      ['two million commas', ','.repeat(2_000_000)],
    ] as const
  ).flatMap(([title, text]) =>
    (['createToken', 'addContributors'] as const).map((route) =>
      rowWithChange(route, { case: title, response: REJECTED, why: TOO_MANY }, { text: () => text }),
    ),
  ),
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].map((name) =>
    rowWithChange(
      'createToken',
      { case: `a field \`${name}\``, response: '202', why: ORDINARY_NAMES },
      { text: (valid) => `{${JSON.stringify(name)}:{"isHidden":true},${valid.slice(1)}` },
    ),
  ),
  ...['__proto__', 'constructor'].map((name) =>
    rowWithChange(
      'createToken',
      {
        case: `a required field only in \`${name}\``,
        response: '400 InvalidRequest /headline',
        why: 'Inherited fields do not count',
      },
      {
        body: ({ headline, ...rest }) => ({ ...rest, inherited: { headline, prototype: { headline } } }),
        text: (valid) => valid.replace('"inherited"', `"${name}"`),
      },
    ),
  ),
  rowWithChange(
    'createToken',
    { case: 'a field twice, the last one valid', response: '202', why: LAST_WINS },
    { text: (valid) => `{"headline":"","totalClaimCount":"no",${valid.slice(1)}` },
  ),
  rowWithChange(
    'createToken',
    { case: 'a field twice, the last one invalid', response: '400 InvalidRequest /headline', why: LAST_WINS },
    { text: (valid) => valid.replace(/\}$/, ',"headline":""}') },
  ),
  rowWithChange(
    'createToken',
    {
      case: 'a field twice, the last one valid but not signed',
      response: '403 BadgeRegisterRequestNotSignedByCreator',
      why: LAST_WINS,
    },
    { text: (valid) => valid.replace(/\}$/, ',"headline":"another"}') },
  ),
  {
    call: 'POST /v1/tokens',
    case: 'a description of opening brackets, quotes and backslashes',
    response: '202',
    why: 'Brackets inside strings do not count as levels',
    send: (fixture) => fixture.create({ description: '[{"\\"'.repeat(50) }),
  },
  rowWithFields(
    'createCommunity',
    'a field `constructor` instead of the required ones',
    { displayId: undefined, name: undefined, constructor: { name: 'x' } },
    '400 InvalidRequest /displayId /name',
    ORDINARY_NAMES,
  ),
];
