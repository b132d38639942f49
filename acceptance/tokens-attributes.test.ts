import { describe, expect, test } from 'vitest';
import { createToken, requestToken } from './client.ts';
import { expectPointers } from './problems.ts';
import { expectedToken, openRequest, withLiteral } from './token-requests.ts';

const open = await openRequest();
const colour = { fieldName: 'colour', type: 'string', value: 'red' };
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...colour, fieldName: `field ${index}` }));

describe('accepted', () => {
  test.each([
    ['an empty string', [{ ...colour, value: '' }]],
    ['a string of 2,048 characters', [{ ...colour, value: 'v'.repeat(2048) }]],
    ['a field name of 1 character', [{ ...colour, fieldName: 'c' }]],
    ['a field name of 64 characters', [{ ...colour, fieldName: 'f'.repeat(64) }]],
    ['a field name that is no top-level name', [{ ...colour, fieldName: 'remainingClaimCount' }]],
    [
      'field names known to JavaScript',
      ['__proto__', 'constructor'].map((fieldName) => ({ ...colour, fieldName })),
    ],
    ['50 attributes', numbered(50)],
    ['the same value twice', numbered(2)],
    ['numbers', [0, -1, 12.5, 1e21].map((value) => ({ fieldName: `n${value}`, type: 'number', value }))],
    ['booleans', [true, false].map((value) => ({ fieldName: `b${value}`, type: 'boolean', value }))],
    ['a date in milliseconds', [{ fieldName: 'when', type: 'date', value: 1_700_000_000_000 }]],
    ['a date', [{ fieldName: 'when', type: 'date', value: '2024-02-29' }]],
    ['a date-time in UTC', [{ fieldName: 'when', type: 'date', value: '2024-05-01T10:00:00Z' }]],
    [
      'a date-time with milliseconds',
      [{ fieldName: 'when', type: 'date', value: '2024-05-01T10:00:00.123Z' }],
    ],
    ['a date-time with an offset', [{ fieldName: 'when', type: 'date', value: '2024-05-01T10:00:00+02:00' }]],
  ])('%s', async (_title, customAttributes) => {
    const request = { ...(await openRequest()), customAttributes };
    const token = await createToken(request);
    expect(token).toStrictEqual(expectedToken(request, token.tokenId));
  });

  test('an attribute keeps its three fields and no other', async () => {
    const customAttributes = [{ ...colour, note: 'ignored' }];
    const token = await createToken({ ...(await openRequest()), customAttributes });
    expect(token.customAttributes).toStrictEqual([colour]);
  });
});

describe('refused', () => {
  const reserved = [
    ...[
      'creator',
      'headline',
      'description',
      'startDateTimestamp',
      'endDateTimestamp',
      'links',
      'communityId',
    ],
    ...['nftTypeId', 'isSignatureRequired', 'isAllowlistRequired', 'contributors', 'totalClaimCount'],
    ...['expirationTimestamp', 'customAttributes', 'signature', 'tokenId', 'createdByAddress'],
    ...['createdAtTimestamp', 'imageUrl', 'claimabilityAttributes', 'isHidden', 'limit', 'offset', 'order'],
  ];

  test.each(reserved.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]))(
    'the reserved name %s',
    async (fieldName) => {
      const answer = await requestToken({ ...open, customAttributes: [colour, { ...colour, fieldName }] });
      expectPointers(answer, ['/customAttributes/1/fieldName']);
    },
  );

  test.each(['fieldName', 'type', 'value'])('an attribute with %s absent or null', async (field) => {
    for (const value of [undefined, null]) {
      const answer = await requestToken({ ...open, customAttributes: [{ ...colour, [field]: value }] });
      expectPointers(answer, [`/customAttributes/0/${field}`]);
    }
  });

  test.each([
    ['a name twice', [colour, { ...colour, value: 'blue' }], '/customAttributes/1'],
    ['51 attributes', numbered(51), '/customAttributes'],
    ['an empty name', [{ ...colour, fieldName: '' }], '/customAttributes/0/fieldName'],
    ['a name of 65 characters', [{ ...colour, fieldName: 'f'.repeat(65) }], '/customAttributes/0/fieldName'],
    ['a name that is a number', [{ ...colour, fieldName: 1 }], '/customAttributes/0/fieldName'],
    ['an unknown type', [{ ...colour, type: 'text' }], '/customAttributes/0/type'],
    ['a type in capitals', [{ ...colour, type: 'String' }], '/customAttributes/0/type'],
    ['a string of 2,049 characters', [{ ...colour, value: 'v'.repeat(2049) }], '/customAttributes/0/value'],
    ['an attribute that is null', [null], '/customAttributes/0'],
    ['an attribute that is a string', ['colour'], '/customAttributes/0'],
    ['an attribute that is a list', [['colour', 'string', 'red']], '/customAttributes/0'],
  ])('%s', async (_title, customAttributes, place) => {
    expectPointers(await requestToken({ ...open, customAttributes }), [place]);
  });

  test.each([
    ['string', [1, true, ['red'], {}]],
    ['number', ['1', '', true, [1], {}]],
    ['boolean', ['true', 'false', 1, 0, [true], {}]],
    [
      'date',
      [
        true,
        '',
        'yesterday',
        '1700000000000',
        '2024-13-01',
        '2024-02-30',
        '2024-05-01T25:00:00Z',
        ['2024-05-01'],
        {},
      ],
    ],
  ])('a value that is no %s', async (type, values) => {
    for (const value of values) {
      const answer = await requestToken({ ...open, customAttributes: [{ fieldName: 'x', type, value }] });
      expectPointers(answer, ['/customAttributes/0/value']);
    }
  });

  test.each(['number', 'date'])('a %s beyond every double', async (type) => {
    const literal = `[{"fieldName":"x","type":"${type}","value":1e400}]`;
    expectPointers(await requestToken(withLiteral(open, 'customAttributes', literal)), [
      '/customAttributes/0/value',
    ]);
  });

  test('a date beyond the last moment', async () => {
    const customAttributes = [{ fieldName: 'x', type: 'date', value: 8_640_000_000_000_001 }];
    expectPointers(await requestToken({ ...open, customAttributes }), ['/customAttributes/0/value']);
  });
});
