import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { largeBodyRouteNames, type RouteName, routeNames } from './routes.ts';
import { type Row, rowWithChange } from './row.ts';

const unsupported = '415 UnsupportedMediaType';
const onlyJson =
  'Only `application/json` is accepted: browsers send some other types across origins without a preflight';

const rowWithContentType = (route: RouteName, contentType: string, response: string, why = onlyJson): Row =>
  rowWithChange(
    route,
    { case: `\`Content-Type: ${contentType}\``, response, why },
    { headers: (valid) => ({ ...valid, 'Content-Type': contentType }) },
  );

const rowWithoutContentType = (route: RouteName): Row =>
  rowWithChange(
    route,
    { case: 'no `Content-Type`', response: unsupported, why: 'The content type is required' },
    {
      headers: ({ 'Content-Type': _type, ...rest }) => rest,
      // For a body of text, fetch adds a content type.
      text: (valid) => new Uint8Array(Buffer.from(valid)),
    },
  );

const noCompression = 'Compressed bodies are rejected: 165 bytes of Brotli decompress to 100 MiB';
const rowWithContentEncoding = (route: RouteName, name: string, encode: (valid: string) => Buffer): Row =>
  rowWithChange(
    route,
    { case: `\`Content-Encoding: ${name}\``, response: unsupported, why: noCompression },
    {
      headers: (valid) => ({ ...valid, 'Content-Encoding': name }),
      text: (valid) => new Uint8Array(encode(valid)),
    },
  );

const largeBytes = 4 * 1024 * 1024;
const smallBytes = 64 * 1024;
const maxBytes = (route: RouteName) => (largeBodyRouteNames.includes(route) ? largeBytes : smallBytes);
const maxSizeText = (route: RouteName) => (maxBytes(route) === largeBytes ? '4 MiB' : '64 KiB');

/** Returns a function that pads a valid body to this size, with an unknown field. */
const padded = (sizeBytes: number) => (valid: string) => {
  const [start, end] = ['{"padding":"', `",${valid.slice(1)}`];
  return start + 'p'.repeat(sizeBytes - Buffer.byteLength(start + end)) + end;
};

const sizeRows = (route: RouteName): Row[] => [
  rowWithChange(
    route,
    {
      case: `one byte over ${maxSizeText(route)}`,
      response: '413 TooLarge',
      why: `A body is at most ${maxSizeText(route)}`,
    },
    { text: padded(maxBytes(route) + 1) },
  ),
  rowWithChange(
    route,
    {
      case: `one byte over ${maxSizeText(route)}, chunked, without \`Content-Length\``,
      response: '413 TooLarge',
      why: 'Bytes are counted as they arrive',
    },
    { text: (valid) => new Blob([padded(maxBytes(route) + 1)(valid)]).stream() },
  ),
];

const compressedHundredMebibytes = brotliCompressSync(Buffer.alloc(100 * 1024 * 1024, ' '), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
});

export const bodyRows: Row[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json-patch+json',
    'application/problem+json',
    'text/json',
    'json',
    '*/*',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset=latin1',
    'application/json; charset=us-ascii',
    'application/json; charset=',
  ].map((contentType) => rowWithContentType('createToken', contentType, unsupported)),
  ...[
    'application/json; charset=utf-8',
    'application/json; charset=utf8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/json ; x=y',
  ].map((contentType) =>
    rowWithContentType(
      'createToken',
      contentType,
      '202',
      'Types are case-insensitive; parameters other than `charset` are ignored',
    ),
  ),
  ...routeNames
    .filter((route) => route !== 'createToken')
    .map((route) => rowWithContentType(route, 'text/plain', unsupported)),
  ...routeNames.map(rowWithoutContentType),
  rowWithContentEncoding('createToken', 'gzip', (valid) => gzipSync(valid)),
  rowWithContentEncoding('createToken', 'br', () => compressedHundredMebibytes),
  rowWithContentEncoding('createToken', 'deflate', (valid) => Buffer.from(valid)),
  rowWithContentEncoding('createToken', 'gzip, identity', (valid) => gzipSync(valid)),
  rowWithContentEncoding('createToken', 'unknown', (valid) => Buffer.from(valid)),
  ...(
    ['claim', 'burn', 'airdrop', 'addContributors', 'createCommunity', 'updateToken', 'createApiKey'] as const
  ).map((route) => rowWithContentEncoding(route, 'gzip', (valid) => gzipSync(valid))),
  rowWithChange(
    'createToken',
    { case: '`Content-Encoding: identity`', response: '202', why: '`identity` means no compression' },
    { headers: (valid) => ({ ...valid, 'Content-Encoding': 'identity' }) },
  ),
  rowWithChange(
    'createToken',
    { case: '4 MiB, padded in an unknown field', response: '202', why: 'A body is at most 4 MiB' },
    { text: padded(largeBytes) },
  ),
  ...routeNames.flatMap(sizeRows),
];
