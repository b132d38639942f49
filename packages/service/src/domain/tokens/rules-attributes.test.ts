import { describe, expect, test } from 'vitest';
import { findCreationErrors } from './rules.ts';

const findErrors = (customAttributes: unknown) =>
  findCreationErrors({ isAllowlistRequired: false, totalClaimCount: 1, customAttributes });
const attributesNamed = (...names: unknown[]) =>
  names.map((fieldName) => ({ fieldName, type: 'string', value: 'x' }));

describe('the names of attributes', () => {
  test.each([
    ...['creator', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links'],
    ...['communityId', 'nftTypeId', 'isSignatureRequired', 'isAllowlistRequired', 'contributors'],
    ...['totalClaimCount', 'expirationTimestamp', 'customAttributes', 'signature'],
    ...['tokenId', 'createdByAddress', 'createdAtTimestamp', 'imageUrl', 'claimabilityAttributes'],
    ...['remainingClaimCount', 'badgeTokenId', 'assetUrl', 'createdAt', 'claimStatus'],
    ...['isHidden', 'limit', 'offset', 'order'],
  ])('%s is reserved, in upper and lower case and with white space around', (name) => {
    for (const fieldName of [name, name.toLowerCase(), name.toUpperCase(), ` ${name}\u00a0`]) {
      expect(findErrors(attributesNamed('colour', fieldName))).toEqual([
        { pointer: '/customAttributes/1/fieldName', detail: `"${fieldName.trim()}" is reserved` },
      ]);
    }
  });

  test.each([
    'head line',
    'headlines',
    'fieldName',
    'type',
    'value',
    'communityUniqId',
    '__proto__',
    'constructor',
    'ﬁeld',
  ])('%s is allowed', (name) => expect(findErrors(attributesNamed(name))).toEqual([]));

  test('a repeated name of 64 characters is reported, even if it has 128 UTF-16 units', () => {
    const name = '🎖'.repeat(64);
    expect(findErrors(attributesNamed(name, name))).toEqual([
      { pointer: '/customAttributes/1/fieldName', detail: `"${name}" is given twice` },
    ]);
  });

  test('a name cannot be given twice', () => {
    expect(findErrors(attributesNamed('a', 'b', 'a', 'b', 'c', 'a'))).toEqual(
      [
        [2, 'a'],
        [3, 'b'],
        [5, 'a'],
      ].map(([index, name]) => ({
        pointer: `/customAttributes/${index}/fieldName`,
        detail: `"${name}" is given twice`,
      })),
    );
  });
});

describe('the value of an attribute of the type', () => {
  const valuesOf = (type: string, ...values: unknown[]) =>
    values.map((value): [string, unknown] => [type, value]);

  test.each([
    ...valuesOf('string', '', 'x'.repeat(2_048), '🎖'.repeat(2_048)),
    ...valuesOf('number', 0, -1.5, Number.MAX_VALUE),
    ...valuesOf('boolean', true, false),
    ...valuesOf(
      'date',
      0,
      -1,
      1_735_689_600_000,
      8.64e15,
      '2024-02-29',
      '2000-02-29',
      '0000-01-01',
      '9999-12-31',
    ),
    ...valuesOf('date', '2024-01-01T00:00', '2024-01-01T23:59:59', '2024-01-01T00:00:00.123456789Z'),
    ...valuesOf('date', '2024-01-01T00:00+23:59', '2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00.1+14:00'),
  ])('%s can be %j', (type, value) => {
    expect(findErrors([{ fieldName: 'colour', type, value }])).toEqual([]);
  });

  test.each([
    ...valuesOf('string', 1, true, 'x'.repeat(2_049), 'a\0b', '\udfff'),
    ...valuesOf('number', '1', true, Number.POSITIVE_INFINITY, Number.NaN),
    ...valuesOf('boolean', 'true', 0),
    ...valuesOf(
      'date',
      true,
      1.5,
      8.64e15 + 1,
      -8.64e15 - 1,
      '',
      'today',
      '1735689600000',
      '2024',
      '2024-01',
    ),
    ...valuesOf('date', '2024-02-30', '2023-02-29', '1900-02-29', '2024-13-01', '2024-00-10', '2024-04-31'),
    ...valuesOf('date', '2024-01-00', '20240101', '24-01-01', '+002024-01-01', '2024-1-1', ' 2024-01-01'),
    ...valuesOf('date', '２024-01-01', '2024-01-01Z', '2024-01-01T', '2024-01-01 00:00', '2024-01-01T24:00'),
    ...valuesOf(
      'date',
      '2024-01-01T00:60',
      '2024-01-01T00:00:60',
      '2024-01-01T00:00:00.',
      '2024-01-01T00:00Z\n',
    ),
    ...valuesOf('date', '2024-01-01T00:00+24:00', '2024-01-01T00:00+1:00', '2024-01-01T00:00+0100'),
  ])('%s cannot be %j', (type, value) => {
    expect(findErrors([{ fieldName: 'colour', type, value }])).toEqual([
      { pointer: '/customAttributes/0/value', detail: expect.stringMatching(/^must /) },
    ]);
  });
});

test.each([undefined, null])('%j as customAttributes is allowed', (customAttributes) =>
  expect(findErrors(customAttributes)).toEqual([]),
);

test.each(['x', {}, [null], [1], ['x'], [[]], [{}], [{ fieldName: 1, type: 2, value: {} }]])(
  '%j as customAttributes has no error here, because the schema rejects it',
  (customAttributes) => expect(findErrors(customAttributes)).toEqual([]),
);
