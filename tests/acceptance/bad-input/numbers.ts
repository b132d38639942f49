import { invalidAt, type Row, rowWithFields, rowWithLiteral } from './row.ts';

const notJson: [string, string][] = [
  ['NaN', 'JSON has no NaN'],
  ['Infinity', 'JSON has no Infinity'],
  ['-Infinity', 'JSON has no Infinity'],
  ['01', 'JSON has no leading zeros'],
  ['+10', 'JSON has no plus sign'],
  ['0x10', 'JSON has no hexadecimal numbers'],
  ['.5', 'JSON requires a digit before the decimal point'],
  ['1.', 'JSON requires a digit after the decimal point'],
  ['1_000', 'JSON has no digit separators'],
  ['10n', 'JSON has no big integers'],
  ['undefined', 'JSON has no undefined'],
];

const invalidIntegers: [string, string][] = [
  ['1.5', 'Counts and times are integers'],
  ['-1', 'Counts and times are not negative'],
  ['-1e1', 'Counts and times are not negative'],
  ['1e400', 'Larger than any double'],
  ['-1e400', 'Less than any double'],
  ['1e-400', 'Parsed as 0, and an open token needs at least one claim'],
  ['1e300', 'Doubles above 2^53 - 1 skip integers, so another number would be signed'],
  ['9007199254740992', 'Doubles above 2^53 - 1 skip integers, so another number would be signed'],
  ['9007199254740993', '2^53 + 1 is parsed as 2^53, so another number would be signed'],
  ['18446744073709551616', '2^64 is not a safe integer'],
];
const countField = 'totalClaimCount';
const timeFields = [
  'startDateTimestamp',
  'endDateTimestamp',
  'expirationTimestamp',
  'claimableFromTimestamp',
];
const noCoercion = 'Values are never coerced to numbers';

export const numberRows: Row[] = [
  ...notJson.map(([literal, why]) =>
    rowWithLiteral('createToken', countField, literal, '400 InvalidRequest (body)', why),
  ),
  ...invalidIntegers.map(([literal, why]) =>
    rowWithLiteral('createToken', countField, literal, invalidAt(`/${countField}`), why),
  ),
  ...timeFields.flatMap((field) =>
    invalidIntegers
      // A time may be 0.
      .filter(([literal]) => literal !== '1e-400')
      .map(([literal, why]) => rowWithLiteral('createToken', field, literal, invalidAt(`/${field}`), why)),
  ),
  ...[countField, ...timeFields].flatMap((field) =>
    ['"10"', '""', 'true', 'false', '[10]', '{}'].map((literal) =>
      rowWithLiteral('createToken', field, literal, invalidAt(`/${field}`), noCoercion),
    ),
  ),
  ...timeFields.map((field) =>
    rowWithLiteral(
      'createToken',
      field,
      '8640000000000001',
      invalidAt(`/${field}`),
      'One millisecond after the last ECMAScript date',
    ),
  ),
  ...['10.0', '1e1', '1E+1', '1000e-2', '10.000'].map((literal) =>
    rowWithLiteral('createToken', countField, literal, '202', 'Another way to write the integer 10'),
  ),
  ...timeFields.flatMap((field) =>
    ['0', '-0', '0.0', '0e9', 'null'].map((literal) =>
      rowWithLiteral('createToken', field, literal, '202', '0 and null mean none, and are signed as 0'),
    ),
  ),
  ...['0', '-0', 'null'].map((literal) =>
    rowWithLiteral(
      'createToken',
      countField,
      literal,
      invalidAt(`/${countField}`),
      'An open token needs at least one claim',
    ),
  ),
  ...['"9999999999999"', '1.5', '-1', '1e400', '9007199254740993', '8640000000000001', 'true'].map(
    (literal) =>
      rowWithLiteral(
        'createApiKey',
        'expiresAtTimestamp',
        literal,
        invalidAt('/expiresAtTimestamp'),
        'A time is an integer, in milliseconds since 1970',
      ),
  ),
  ...['0', '1', '1577836800000'].map((literal) =>
    rowWithLiteral(
      'createApiKey',
      'expiresAtTimestamp',
      literal,
      invalidAt('/expiresAtTimestamp'),
      'A new key must not be expired',
    ),
  ),
  ...['"true"', '"false"', '0', '1', 'null', '[]', '{}'].map((literal) =>
    rowWithLiteral(
      'updateToken',
      'isHidden',
      literal,
      invalidAt('/isHidden'),
      'Values are never coerced to booleans',
    ),
  ),
  rowWithFields(
    'updateToken',
    'no field',
    { isHidden: undefined },
    '400 InvalidRequest',
    'A change must change something',
  ),
];
