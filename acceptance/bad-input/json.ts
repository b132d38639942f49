import { changed, type RouteName, routeNames, withFields } from './routes.ts';
import type { Row } from './row.ts';

const notJson = '400 InvalidRequest (body)';
const oneDocument = 'A body is one JSON document, by the letter of RFC 8259';

const broken: [string, (right: string) => string][] = [
  ['nothing', () => ''],
  ['white space', () => ' \n'],
  ['cut before the last bracket', (right) => right.slice(0, -1)],
  ['cut in the middle', (right) => right.slice(0, right.length / 2)],
  ['two documents', (right) => right + right],
  ['two documents on two lines', (right) => `${right}\n${right}`],
  ['text behind it', (right) => `${right} x`],
  ['a comma before the last bracket', (right) => right.replace(/\}$/, ',}')],
  ['single quotes', (right) => right.replaceAll('"', "'")],
  ['names without quotes', (right) => right.replaceAll(/"(\w+)":/g, '$1:')],
  ['a comment', (right) => `/* */${right}`],
  ['a line end within a text', (right) => right.replace(':"', ':"\n')],
  ['an escape that is none', (right) => right.replace(':"', ':"\\x41')],
  ['a form', () => 'headline=A&communityId=demo'],
  ['XML', () => '<token/>'],
];

const wrongRoots = ['[]', '[{}]', '"text"', 'null', 'true', '1'];

const deep = (opening: string, closing: string, depth: number) => (right: string) =>
  `{"deep":${opening.repeat(depth)}1${closing.repeat(depth)},${right.slice(1)}`;
const tooDeep = 'Depth is bounded at 16, so that no reader of a body runs out of stack';
const boundedBySize = 'These calls take 64 KiB, less than such a depth needs';
const isLarge = (route: RouteName) => route === 'createToken' || route === 'addContributors';

const own = 'A name that JavaScript gives a meaning is a field like any other, and unknown ones are ignored';

export const json: Row[] = [
  ...broken.map(([title, text]) =>
    changed('createToken', { case: title, answer: notJson, why: oneDocument }, { text }),
  ),
  ...routeNames
    .filter((route) => route !== 'createToken')
    .flatMap((route) =>
      broken
        .filter(([title]) => ['nothing', 'cut before the last bracket', 'two documents'].includes(title))
        .map(([title, text]) => changed(route, { case: title, answer: notJson, why: oneDocument }, { text })),
    ),
  ...routeNames.flatMap((route) =>
    wrongRoots
      .filter((root) => route === 'createToken' || root === '[]' || root === 'null')
      .map((root) =>
        changed(
          route,
          { case: `\`${root}\``, answer: '400 InvalidRequest', why: 'A body is an object' },
          { text: () => root },
        ),
      ),
  ),
  ...(
    [
      ['lists', '[', ']'],
      ['objects', '{"a":', '}'],
    ] as const
  ).flatMap(([what, opening, closing]) => [
    changed(
      'createToken',
      { case: `${what} 16 deep, in a field that is unknown`, answer: '202', why: 'Depth is bounded at 16' },
      { text: deep(opening, closing, 15) },
    ),
    changed(
      'createToken',
      { case: `${what} 17 deep, in a field that is unknown`, answer: notJson, why: tooDeep },
      { text: deep(opening, closing, 16) },
    ),
    changed(
      'createToken',
      { case: `${what} 200,000 deep, never closed`, answer: notJson, why: tooDeep },
      { text: () => opening.repeat(200_000) },
    ),
  ]),
  ...routeNames.map((route) =>
    changed(
      route,
      {
        case: 'lists 200,000 deep',
        answer: isLarge(route) ? notJson : '413 TooLarge',
        why: isLarge(route) ? tooDeep : boundedBySize,
      },
      { text: deep('[', ']', 200_000) },
    ),
  ),
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].map((name) =>
    changed(
      'createToken',
      { case: `a field \`${name}\``, answer: '202', why: own },
      { text: (right) => `{${JSON.stringify(name)}:{"isHidden":true},${right.slice(1)}` },
    ),
  ),
  changed(
    'createToken',
    {
      case: 'a required field in `__proto__` alone',
      answer: '400 InvalidRequest /headline',
      why: 'What is inherited is not sent',
    },
    {
      body: ({ headline, ...rest }) => ({ ...rest, inherited: { headline } }),
      text: (right) => right.replace('"inherited"', '"__proto__"'),
    },
  ),
  changed(
    'createToken',
    {
      case: 'a field twice, the last one right',
      answer: '202',
      why: 'Of two equal names the last counts, as in every JavaScript',
    },
    { text: (right) => `{"headline":"","totalClaimCount":"no",${right.slice(1)}` },
  ),
  changed(
    'createToken',
    {
      case: 'a field twice, the last one wrong',
      answer: '400 InvalidRequest /headline',
      why: 'Of two equal names the last counts, as in every JavaScript',
    },
    { text: (right) => right.replace(/\}$/, ',"headline":""}') },
  ),
  {
    call: 'POST /v1/tokens',
    case: 'a description of 50 opening brackets, quotes and backslashes',
    answer: '202',
    why: 'Brackets within text are no levels',
    send: (scene) => scene.create({ description: '[{"\\"'.repeat(50) }),
  },
  withFields(
    'createCommunity',
    'fields `constructor` and `__proto__` in place of the required ones',
    { displayId: undefined, name: undefined, constructor: { name: 'x' } },
    '400 InvalidRequest /displayId /name',
    own,
  ),
];
