import { invalidAt, type Row, rowWithFields, rowWithLiteral } from './row.ts';

const noCoercion = 'Values are never coerced';
const invalidAttributesAt = (place: string) => invalidAt(`/customAttributes${place}`);
const colour = { fieldName: 'colour', type: 'string', value: 'red' };
const attributesRow = (title: string, customAttributes: unknown, place: string, why: string) =>
  rowWithFields('createToken', title, { customAttributes }, invalidAttributesAt(place), why);
const reservedSpellings = [
  'creator',
  'headline',
  'description',
  'startDateTimestamp',
  'endDateTimestamp',
  'links',
  'communityId',
  'nftTypeId',
  'isSignatureRequired',
  'isAllowlistRequired',
  'contributors',
  'totalClaimCount',
  'expirationTimestamp',
  'customAttributes',
  'criteria',
  'claimableFromTimestamp',
  'validUntilTimestamp',
  'validityDays',
  'signature',
  'tokenId',
  'createdByAddress',
  'createdAtTimestamp',
  'imageUrl',
  'claimabilityAttributes',
  'isHidden',
  'limit',
  'offset',
  'order',
  'remainingClaimCount',
  'badgeTokenId',
  'assetUrl',
  'createdAt',
  'claimStatus',
  'isExpired',
].flatMap((name) => [name, name.toUpperCase(), name.toLowerCase(), ` ${name} `]);
const mismatches: [type: string, values: unknown[]][] = [
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
      '2023-02-29',
      '2024-02-30',
      '2024-05-01T25:00:00Z',
      1.5,
      ['2024-05-01'],
      {},
      8_640_000_000_000_001,
    ],
  ],
];
const allRequired = 'All three fields are required';

export const attributeRows: Row[] = [
  ...[...new Set(reservedSpellings)].map((fieldName) =>
    attributesRow(
      `an attribute named \`${fieldName}\``,
      [colour, { ...colour, fieldName }],
      '/1/fieldName',
      'Names of fields and of list parameters are reserved, in upper or lower case and with any surrounding white space',
    ),
  ),
  attributesRow(
    'two attributes of the same name',
    [colour, { ...colour, value: 'blue' }],
    '/1/fieldName',
    'A filter by this name would be ambiguous',
  ),
  attributesRow(
    '51 attributes',
    Array.from({ length: 51 }, (_, index) => ({ ...colour, fieldName: `n${index}` })),
    '',
    'At most 50 attributes',
  ),
  attributesRow(
    'an empty attribute name',
    [{ ...colour, fieldName: '' }],
    '/0/fieldName',
    '1 to 64 characters',
  ),
  attributesRow(
    'an attribute name of 65 letters',
    [{ ...colour, fieldName: 'f'.repeat(65) }],
    '/0/fieldName',
    '1 to 64 characters',
  ),
  attributesRow(
    'an attribute name of 65 emoji',
    [{ ...colour, fieldName: '🎖'.repeat(65) }],
    '/0/fieldName',
    '1 to 64 characters',
  ),
  attributesRow('a number as attribute name', [{ ...colour, fieldName: 1 }], '/0/fieldName', noCoercion),
  attributesRow(
    'an unknown attribute type',
    [{ ...colour, type: 'text' }],
    '/0/type',
    'Types are string, number, date and boolean',
  ),
  attributesRow(
    'a capitalized attribute type',
    [{ ...colour, type: 'String' }],
    '/0/type',
    'Types are case-sensitive',
  ),
  attributesRow(
    'an attribute value of 2,049 characters',
    [{ ...colour, value: 'v'.repeat(2_049) }],
    '/0/value',
    'At most 2,048 characters',
  ),
  ...['fieldName', 'type', 'value'].flatMap((name) => [
    attributesRow(
      `an attribute without \`${name}\``,
      [{ ...colour, [name]: undefined }],
      `/0/${name}`,
      allRequired,
    ),
    attributesRow(
      `an attribute with \`${name}\` null`,
      [{ ...colour, [name]: null }],
      `/0/${name}`,
      allRequired,
    ),
  ]),
  ...[null, 'colour', ['colour', 'string', 'red']].map((attribute) =>
    attributesRow(
      `\`${JSON.stringify(attribute)}\` as an attribute`,
      [attribute],
      '/0',
      'An attribute is an object',
    ),
  ),
  ...mismatches.flatMap(([type, values]) =>
    values.map((value) =>
      attributesRow(
        `the value \`${JSON.stringify(value)}\` of type ${type}`,
        [{ fieldName: 'x', type, value }],
        '/0/value',
        'A value must match its type',
      ),
    ),
  ),
  ...['number', 'date'].map((type) =>
    rowWithLiteral(
      'createToken',
      'customAttributes',
      `[{"fieldName":"x","type":"${type}","value":1e400}]`,
      invalidAttributesAt('/0/value'),
      'Larger than any double',
    ),
  ),
];
