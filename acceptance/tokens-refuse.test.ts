import { describe, expect, test } from 'vitest';
import { requestToken } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';
import { allowlistedRequest, openRequest, withLiteral } from './token-requests.ts';

const emoji = (count: number) => '🎖'.repeat(count);
const tooLate = 8_640_000_000_000_001;
const open = await openRequest();
const allowlisted = await allowlistedRequest();

async function expectRefused(body: Body | string, places: string[]): Promise<void> {
  expectPointers(await requestToken(body), places);
}

describe('required fields', () => {
  const required = [
    'creator',
    'headline',
    'communityId',
    'nftTypeId',
    'isSignatureRequired',
    'totalClaimCount',
    'signature',
  ];

  test.each(required)('%s may not be absent', (field) =>
    expectRefused({ ...open, [field]: undefined }, [`/${field}`]),
  );

  test.each(required)('%s may not be null', (field) =>
    expectRefused({ ...open, [field]: null }, [`/${field}`]),
  );

  test.each([undefined, null])('isAllowlistRequired may not be %s', async (value) => {
    const answer = await requestToken({ ...open, isAllowlistRequired: value });
    const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
    expect(errors.map(({ pointer }) => pointer)).toContain('/isAllowlistRequired');
  });
});

describe('nothing is coerced', () => {
  const strings = ['creator', 'headline', 'description', 'communityId', 'nftTypeId', 'signature'];
  const flags = ['isSignatureRequired'];
  const numbers = ['totalClaimCount', 'startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp'];
  const rows = [
    ...strings.flatMap((field) => [7, true, ['text'], {}].map((value) => [field, value] as const)),
    ...flags.flatMap((field) =>
      ['true', 'false', '', 1, 0, [true], {}].map((value) => [field, value] as const),
    ),
    ...numbers.flatMap((field) => ['10', '', true, false, [10], {}].map((value) => [field, value] as const)),
    ...['links', 'customAttributes'].flatMap((field) =>
      ['https://example.com', 1, true, {}, { 0: 'a', length: 1 }].map((value) => [field, value] as const),
    ),
  ].map(([field, value]) => [field, JSON.stringify(value)] as const);

  test.each(rows)('%s: %s', (field, literal) =>
    expectRefused(withLiteral(open, field, literal), [`/${field}`]),
  );

  test.each(['"true"', '"false"', '1', '0', '[false]'])('isAllowlistRequired: %s', async (literal) => {
    const answer = await requestToken(withLiteral(open, 'isAllowlistRequired', literal));
    const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
    expect(errors.map(({ pointer }) => pointer)).toContain('/isAllowlistRequired');
  });

  test.each([1, null, true, ['a'], {}])('links: [%j]', (link) =>
    expectRefused({ ...open, links: ['fine', link] }, ['/links/1']),
  );
});

describe('numbers', () => {
  const numbers = ['totalClaimCount', 'startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp'];
  const literals = ['1.5', '-1', '-1e1', '9007199254740992', '9007199254740993', '1e300', '1e400', '-1e400'];

  test.each(numbers.flatMap((field) => literals.map((literal) => [field, literal] as const)))(
    '%s: %s',
    (field, literal) => expectRefused(withLiteral(open, field, literal), [`/${field}`]),
  );

  test.each(['startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp'])(
    '%s after the last moment of a date',
    (field) => expectRefused({ ...open, [field]: tooLate }, [`/${field}`]),
  );

  test('a start after the end', async () => {
    const answer = await requestToken({ ...open, startDateTimestamp: 2, endDateTimestamp: 1 });
    const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
    expect(errors.map(({ pointer }) => pointer).join()).toMatch(/^\/(startDate|endDate)Timestamp/);
  });

  test('an open token of no claims', () =>
    expectRefused({ ...open, totalClaimCount: 0 }, ['/totalClaimCount']));

  test.each(['0', '1', '10', '"10"', '-1', 'false'])(
    'an allowlisted token of totalClaimCount %s',
    (literal) => expectRefused(withLiteral(allowlisted, 'totalClaimCount', literal), ['/totalClaimCount']),
  );
});

describe('text', () => {
  const tooLong: [string, Body, string][] = [
    ['an empty headline', { headline: '' }, '/headline'],
    ['a headline of 1,001 characters', { headline: 'h'.repeat(1001) }, '/headline'],
    ['a headline of 1,001 emoji', { headline: emoji(1001) }, '/headline'],
    ['a description of 1,001 characters', { description: 'd'.repeat(1001) }, '/description'],
    ['a description of 1,001 emoji', { description: emoji(1001) }, '/description'],
    ['51 links', { links: Array.from({ length: 51 }, String) }, '/links'],
    ['a link of 2,049 characters', { links: ['', 'l'.repeat(2049)] }, '/links/1'],
  ];

  test.each(tooLong)('%s', (_title, changes, place) => expectRefused({ ...open, ...changes }, [place]));

  const attribute = { fieldName: 'colour', type: 'string', value: 'red' };
  const places: [string, (text: string) => Body][] = [
    ['/headline', (headline) => ({ ...open, headline })],
    ['/description', (description) => ({ ...open, description })],
    ['/links/1', (link) => ({ ...open, links: ['fine', link] })],
    ['/communityId', (communityId) => ({ ...open, communityId })],
    ['/nftTypeId', (nftTypeId) => ({ ...open, nftTypeId })],
    ['/contributors/1', (contributor) => ({ ...allowlisted, contributors: ['fine', contributor] })],
    [
      '/customAttributes/0/fieldName',
      (fieldName) => ({ ...open, customAttributes: [{ ...attribute, fieldName }] }),
    ],
    ['/customAttributes/0/value', (value) => ({ ...open, customAttributes: [{ ...attribute, value }] })],
  ];
  const unstorable = ['a\u0000b', '\ud800', 'a\udc00b', '\udc00\ud800', 'x\ud83c'];

  test.each(
    places.flatMap(([place, bodyOf]) =>
      unstorable.map((text) => [place, JSON.stringify(text), bodyOf] as const),
    ),
  )('%s with NUL or a lone surrogate: %s', (place, text, bodyOf) =>
    expectRefused(bodyOf(JSON.parse(text)), [place]),
  );
});

describe('addresses', () => {
  const address = String(open.creator);
  const wrong = [
    '',
    '0x',
    'vitalik.eth',
    address.slice(2),
    address.slice(0, -1),
    `${address}0`,
    `0x${'g'.repeat(40)}`,
  ];

  test.each([...wrong, ` ${address}`, `${address}\n`])('creator %j', (creator) =>
    expectRefused({ ...open, creator }, ['/creator']),
  );
});

test('every fault is listed at once', () =>
  expectRefused(
    {
      ...open,
      creator: '0x12',
      headline: '',
      description: 5,
      startDateTimestamp: -1,
      links: ['', 1, 'l'.repeat(2049)],
      isSignatureRequired: 'true',
      totalClaimCount: 1.5,
      expirationTimestamp: tooLate,
      customAttributes: [
        { fieldName: 'fine', type: 'number', value: 1 },
        { fieldName: 'x', type: 'colour', value: 1 },
      ],
      signature: 1,
    },
    [
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
    ],
  ));

test('faults of shape and of combination are listed together', () =>
  expectRefused({ ...allowlisted, headline: '', totalClaimCount: 5, contributors: ['fine', '0x12'] }, [
    '/headline',
    '/totalClaimCount',
    '/contributors/1',
  ]));

test('an empty object names every required field', () => {
  const always = [
    'creator',
    'headline',
    'communityId',
    'nftTypeId',
    'isSignatureRequired',
    'isAllowlistRequired',
  ];
  return requestToken({}).then((answer) => {
    const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
    const pointers = errors.map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining([...always, 'signature'].map((field) => `/${field}`)));
  });
});
