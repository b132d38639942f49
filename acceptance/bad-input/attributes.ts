import { withFields, withLiteral } from './routes.ts';
import type { Row } from './row.ts';

const noCoercion = 'Nothing is coerced';
const at = (place: string) => `400 InvalidRequest /customAttributes${place}`;
const colour = { fieldName: 'colour', type: 'string', value: 'red' };
const attributes = (title: string, customAttributes: unknown, place: string, why: string) =>
  withFields('createToken', title, { customAttributes }, at(place), why);
const reserved = [
  ...['creator', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links', 'communityId'],
  ...['nftTypeId', 'isSignatureRequired', 'isAllowlistRequired', 'contributors', 'totalClaimCount'],
  ...['expirationTimestamp', 'customAttributes', 'signature', 'tokenId', 'createdByAddress'],
  ...['createdAtTimestamp', 'imageUrl', 'claimabilityAttributes', 'isHidden', 'limit', 'offset', 'order'],
  ...['HEADLINE', 'tokenid', 'ishidden'],
];
const mismatches: [string, unknown[]][] = [
  ['string', [1, true, ['red'], {}]],
  ['number', ['1', '', true, [1]]],
  ['boolean', ['true', 1, 0]],
  ['date', [true, '', 'yesterday', '1700000000000', '2024-13-01', '2023-02-29', '2024-05-01T25:00:00Z', 1.5]],
];

export const attributeRows: Row[] = [
  ...reserved.map((fieldName) =>
    attributes(
      `an attribute named \`${fieldName}\``,
      [colour, { ...colour, fieldName }],
      '/1/fieldName',
      'Names of default fields are reserved, without case: they would hide them',
    ),
  ),
  attributes(
    'an attribute name twice',
    [colour, { ...colour, value: 'blue' }],
    '/1/fieldName',
    'A filter by it would not know which is meant',
  ),
  attributes(
    '51 attributes',
    Array.from({ length: 51 }, (_, index) => ({ ...colour, fieldName: `n${index}` })),
    '',
    'At most 50',
  ),
  attributes(
    'an attribute without a name',
    [{ ...colour, fieldName: '' }],
    '/0/fieldName',
    '1 to 64 characters',
  ),
  attributes(
    'an attribute name of 65 emoji',
    [{ ...colour, fieldName: '🎖'.repeat(65) }],
    '/0/fieldName',
    '1 to 64 characters',
  ),
  attributes('an attribute name that is a number', [{ ...colour, fieldName: 1 }], '/0/fieldName', noCoercion),
  attributes(
    'an attribute of an unknown type',
    [{ ...colour, type: 'text' }],
    '/0/type',
    'Types are string, number, date and boolean',
  ),
  attributes(
    'an attribute type in capitals',
    [{ ...colour, type: 'String' }],
    '/0/type',
    'Types are told with case',
  ),
  attributes(
    'an attribute value of 2,049 characters',
    [{ ...colour, value: 'v'.repeat(2_049) }],
    '/0/value',
    'At most 2,048 characters',
  ),
  ...['fieldName', 'type', 'value'].map((name) =>
    attributes(
      `an attribute without \`${name}\``,
      [{ ...colour, [name]: undefined }],
      `/0/${name}`,
      'All three fields are required',
    ),
  ),
  attributes(
    'an attribute value null',
    [{ ...colour, value: null }],
    '/0/value',
    'All three fields are required',
  ),
  ...[null, 'colour', ['colour', 'string', 'red']].map((attribute) =>
    attributes(
      `an attribute that is \`${JSON.stringify(attribute)}\``,
      [attribute],
      '/0',
      'An attribute is an object',
    ),
  ),
  ...mismatches.flatMap(([type, values]) =>
    values.map((value) =>
      attributes(
        `a value \`${JSON.stringify(value)}\` of type ${type}`,
        [{ fieldName: 'x', type, value }],
        '/0/value',
        'A value is what its type says',
      ),
    ),
  ),
  ...['number', 'date'].map((type) =>
    withLiteral(
      'createToken',
      'customAttributes',
      `[{"fieldName":"x","type":"${type}","value":1e400}]`,
      at('/0/value'),
      'It is larger than every double',
    ),
  ),
];
