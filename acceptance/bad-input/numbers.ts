import { withFields, withLiteral } from './routes.ts';
import type { Row } from './row.ts';

const notJson: [string, string][] = [
  ['NaN', 'JSON has no NaN'],
  ['Infinity', 'JSON has no Infinity'],
  ['-Infinity', 'JSON has no Infinity'],
  ['01', 'JSON has no leading zeros'],
  ['+10', 'JSON has no plus sign'],
  ['0x10', 'JSON has no hexadecimal numbers'],
  ['.5', 'JSON wants a digit before the point'],
  ['1.', 'JSON wants a digit behind the point'],
  ['1_000', 'JSON has no separators'],
  ['10n', 'JSON has no big integers'],
  ['undefined', 'JSON has no undefined'],
];

const notInteger: [string, string][] = [
  ['1.5', 'Counts and times are whole'],
  ['-1', 'Counts and times are not negative'],
  ['-1e1', 'Counts and times are not negative'],
  ['1e400', 'It is larger than every double'],
  ['-1e400', 'It is larger than every double'],
  ['1e-400', 'It reads as 0, and an open token has at least one claim'],
  ['1e300', 'Beyond 2^53 - 1 doubles skip integers, so another number would be signed'],
  ['9007199254740992', 'Beyond 2^53 - 1 doubles skip integers, so another number would be signed'],
  ['9007199254740993', '2^53 + 1 reads as 2^53, so another number would be signed'],
  ['18446744073709551616', '2^64 is no safe integer'],
];
const counts = 'totalClaimCount';
const times = ['startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp'];
const refused = (field: string) => `400 InvalidRequest /${field}`;
const noCoercion = 'Nothing is coerced: a text, a flag or a list is no number';

export const numbers: Row[] = [
  ...notJson.map(([literal, why]) =>
    withLiteral('createToken', counts, literal, '400 InvalidRequest (body)', why),
  ),
  ...notInteger.map(([literal, why]) => withLiteral('createToken', counts, literal, refused(counts), why)),
  ...times.flatMap((field) =>
    notInteger
      .filter(([literal]) => literal !== '1e-400')
      .map(([literal, why]) => withLiteral('createToken', field, literal, refused(field), why)),
  ),
  ...[counts, ...times].flatMap((field) =>
    ['"10"', '""', 'true', '[10]', '{}'].map((literal) =>
      withLiteral('createToken', field, literal, refused(field), noCoercion),
    ),
  ),
  ...times.map((field) =>
    withLiteral(
      'createToken',
      field,
      '8640000000000001',
      refused(field),
      'A millisecond past the last moment of a date (ECMAScript)',
    ),
  ),
  ...['10.0', '1e1', '1E+1', '1000e-2', '10.000'].map((literal) =>
    withLiteral('createToken', counts, literal, '202', 'It is the integer 10, written another way'),
  ),
  ...times.flatMap((field) =>
    ['0', '-0', '0.0', '0e9', 'null'].map((literal) =>
      withLiteral('createToken', field, literal, '202', '0 and null mean that there is none, and sign as 0'),
    ),
  ),
  ...['0', '-0', 'null'].map((literal) =>
    withLiteral('createToken', counts, literal, refused(counts), 'An open token has at least one claim'),
  ),
  ...['"9999999999999"', '1.5', '-1', '1e400', '9007199254740993', 'true'].map((literal) =>
    withLiteral(
      'createApiKey',
      'expiresAtTimestamp',
      literal,
      refused('expiresAtTimestamp'),
      'UTC milliseconds, a whole number',
    ),
  ),
  ...['0', '1', '1577836800000'].map((literal) =>
    withLiteral(
      'createApiKey',
      'expiresAtTimestamp',
      literal,
      refused('expiresAtTimestamp'),
      'A key that is made expired opens nothing',
    ),
  ),
  ...['"true"', '"false"', '0', '1', 'null', '[]', '{}'].map((literal) =>
    withLiteral(
      'hideToken',
      'isHidden',
      literal,
      refused('isHidden'),
      'Nothing is coerced: only true and false are flags',
    ),
  ),
  withFields(
    'hideToken',
    'no `isHidden`',
    { isHidden: undefined },
    refused('isHidden'),
    'There would be nothing to change',
  ),
];
