import { describe, expect, test } from 'vitest';
import { createToken } from './client.ts';
import { expectedToken, openRequest } from './token-requests.ts';

const colour = { fieldName: 'colour', type: 'string', value: 'red' };
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...colour, fieldName: `field ${index}` }));

describe('a token is created with these custom attributes', () => {
  test.each([
    ['an empty string', [{ ...colour, value: '' }]],
    ['a string of 2,048 characters', [{ ...colour, value: 'v'.repeat(2048) }]],
    ['a field name of 1 character', [{ ...colour, fieldName: 'c' }]],
    ['a field name of 64 characters', [{ ...colour, fieldName: 'f'.repeat(64) }]],
    [
      "attributes named like an attribute's own fields",
      ['fieldName', 'type', 'value'].map((fieldName) => ({ ...colour, fieldName })),
    ],
    [
      'attributes named like properties of JavaScript objects',
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

  test('an attribute with an unknown field, which is not stored', async () => {
    const customAttributes = [{ ...colour, note: 'ignored' }];
    const token = await createToken({ ...(await openRequest()), customAttributes });
    expect(token.customAttributes).toStrictEqual([colour]);
  });
});
