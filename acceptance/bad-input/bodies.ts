import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { changed, type RouteName, routeNames } from './routes.ts';
import type { Row } from './row.ts';

const wrongType = '415 UnsupportedMediaType';
const onlyJson = 'Only `application/json` is JSON: a browser sends the others without asking the user first';

const type = (route: RouteName, contentType: string, answer: string, why = onlyJson): Row =>
  changed(
    route,
    { case: `\`Content-Type: ${contentType}\``, answer, why },
    { headers: (right) => ({ ...right, 'Content-Type': contentType }) },
  );

const withoutType = (route: RouteName): Row =>
  changed(
    route,
    { case: 'no `Content-Type`', answer: wrongType, why: 'What is not said is not guessed' },
    {
      headers: ({ 'Content-Type': _type, ...rest }) => rest,
      text: (right) => new Uint8Array(Buffer.from(right)),
    },
  );

const compressed = 'A body is sent as it is: 165 bytes of Brotli unpack to 100 MiB';
const encoding = (route: RouteName, name: string, pack: (right: string) => Buffer): Row =>
  changed(
    route,
    { case: `\`Content-Encoding: ${name}\``, answer: wrongType, why: compressed },
    {
      headers: (right) => ({ ...right, 'Content-Encoding': name }),
      text: (right) => new Uint8Array(pack(right)),
    },
  );

const large = 4 * 1024 * 1024;
const small = 64 * 1024;
const maxBytes = (route: RouteName) =>
  route === 'createToken' || route === 'addContributors' ? large : small;
const sizeOf = (route: RouteName) => (maxBytes(route) === large ? '4 MiB' : '64 KiB');

const padded = (sizeBytes: number) => (right: string) => {
  const frame = `{"padding":"",${right.slice(1)}`;
  const padding = 'p'.repeat(sizeBytes - Buffer.byteLength(frame));
  return frame.replace('"padding":""', () => `"padding":"${padding}"`);
};

const sizeRows = (route: RouteName): Row[] => [
  changed(
    route,
    {
      case: `a byte more than ${sizeOf(route)}`,
      answer: '413 TooLarge',
      why: `This call takes ${sizeOf(route)}`,
    },
    { text: padded(maxBytes(route) + 1) },
  ),
  changed(
    route,
    {
      case: `a byte more than ${sizeOf(route)}, in chunks and without a length`,
      answer: '413 TooLarge',
      why: 'The bytes are counted as they come',
    },
    { text: (right) => new Blob([padded(maxBytes(route) + 1)(right)]).stream() },
  ),
];

const hundredMebibytes = brotliCompressSync(Buffer.alloc(100 * 1024 * 1024, ' '), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
});

export const bodies: Row[] = [
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
  ].map((contentType) => type('createToken', contentType, wrongType)),
  ...['application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"', 'application/json ; x=y'].map(
    (contentType) =>
      type(
        'createToken',
        contentType,
        '202',
        'Types are compared without case, and other parameters are ignored',
      ),
  ),
  ...routeNames
    .filter((route) => route !== 'createToken')
    .map((route) => type(route, 'text/plain', wrongType)),
  ...routeNames.map(withoutType),
  encoding('createToken', 'gzip', (right) => gzipSync(right)),
  encoding('createToken', 'br', () => hundredMebibytes),
  encoding('createToken', 'deflate', (right) => Buffer.from(right)),
  encoding('createToken', 'gzip, identity', (right) => gzipSync(right)),
  encoding('createToken', 'unknown', (right) => Buffer.from(right)),
  ...(
    ['claim', 'burn', 'airdrop', 'addContributors', 'createCommunity', 'hideToken', 'createApiKey'] as const
  ).map((route) => encoding(route, 'gzip', (right) => gzipSync(right))),
  changed(
    'createToken',
    { case: '`Content-Encoding: identity`', answer: '202', why: 'It means that there is none' },
    { headers: (right) => ({ ...right, 'Content-Encoding': 'identity' }) },
  ),
  changed(
    'createToken',
    { case: '4 MiB, with a field that is unknown', answer: '202', why: 'This call takes 4 MiB' },
    { text: padded(large) },
  ),
  ...routeNames.flatMap(sizeRows),
];
