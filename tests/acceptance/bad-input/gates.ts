import { randomBytes } from 'node:crypto';
import { invalidAt, type Row, rowWithFields, rowWithLiteral } from './row.ts';

// Without a library, so that the page of all cases can be written where only the service is installed.
const newAddress = () => `0x${randomBytes(20).toString('hex')}`;

const addressesRule = '1 to 1,000 addresses: 0x and 40 hex digits';
const tokensRule = '1 to 100 token ids: integers from 1';
const namedRule = '1 to 100 addresses: 0x and 40 hex digits';
const votersRule = 'Up to 10,000 addresses: 0x and 40 hex digits';
const unknownRule = 'A gate for a token that does not exist would stay closed without a reason';

const checkRow = (title: string, fields: Record<string, unknown>, response: string, why: string) =>
  rowWithFields('checkOwners', title, fields, response, why);

export const gateRows: Row[] = [
  ...['"0x"', '1', 'true', '{}', '[]'].map((literal) =>
    rowWithLiteral('checkOwners', 'addresses', literal, invalidAt('/addresses'), addressesRule),
  ),
  ...['1', '"1"', 'true', '{}', '[]'].map((literal) =>
    rowWithLiteral('checkOwners', 'tokenIds', literal, invalidAt('/tokenIds'), tokensRule),
  ),
  ...['["0x"]', '[null]', '[1]', '["ada.eth"]'].map((literal) =>
    rowWithLiteral('checkOwners', 'addresses', literal, invalidAt('/addresses/0'), addressesRule),
  ),
  ...['["1"]', '[0]', '[-1]', '[1.5]', '[null]', '[1e400]', '[9007199254740993]'].map((literal) =>
    rowWithLiteral('checkOwners', 'tokenIds', literal, invalidAt('/tokenIds/0'), tokensRule),
  ),
  checkRow(
    '1,001 addresses',
    { addresses: Array.from({ length: 1_001 }, newAddress) },
    invalidAt('/addresses'),
    addressesRule,
  ),
  checkRow(
    '101 token ids',
    { tokenIds: Array.from({ length: 101 }, (_, index) => index + 1) },
    invalidAt('/tokenIds'),
    tokensRule,
  ),
  checkRow('an unknown token', { tokenIds: [999_999_999] }, '404 TokenNotFound', unknownRule),
  checkRow('the largest id', { tokenIds: [Number.MAX_SAFE_INTEGER] }, '404 TokenNotFound', unknownRule),
  ...['"0x"', '{}', '[]', 'null'].map((literal) =>
    rowWithLiteral('ensNames', 'addresses', literal, invalidAt('/addresses'), namedRule),
  ),
  rowWithFields(
    'ensNames',
    '101 addresses',
    { addresses: Array.from({ length: 101 }, newAddress) },
    invalidAt('/addresses'),
    namedRule,
  ),
  rowWithFields('ensNames', 'a name', { addresses: ['ada.eth'] }, invalidAt('/addresses/0'), namedRule),
  ...['"0x"', '{}', 'null'].map((literal) =>
    rowWithLiteral('snapshotScores', 'addresses', literal, invalidAt('/addresses'), votersRule),
  ),
  rowWithFields(
    'snapshotScores',
    '10,001 addresses',
    { addresses: Array.from({ length: 10_001 }, newAddress) },
    invalidAt('/addresses'),
    votersRule,
  ),
  rowWithFields(
    'snapshotScores',
    'a malformed address',
    { addresses: [newAddress(), 'ada.eth'] },
    invalidAt('/addresses/1'),
    votersRule,
  ),
];
