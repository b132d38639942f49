import fc, { type Arbitrary } from 'fast-check';
import type { ApiOperation, UnencodedRequest } from './encode-request.ts';
import type { GeneratedRequest } from './send.ts';
import { naughtyTexts } from './values.ts';

/** A change to a valid request before it is encoded. The result can be invalid, or only unusual. */
export type FieldMutation = (unencoded: UnencodedRequest) => UnencodedRequest;
/** A change to an encoded request. */
export type EncodedMutation = (request: GeneratedRequest) => GeneratedRequest;

/** The keys and indexes that lead to a value in a body. */
type Place = (string | number)[];

const unusualValues = [
  null,
  true,
  false,
  '',
  '0',
  'text',
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  -1,
  -0,
  0,
  0.5,
  1,
  1e21,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1.7e308,
  8_640_000_000_000_001,
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  'x'.repeat(70_000),
  '🎖'.repeat(1_001),
  'x'.repeat(2_049),
  '0x',
  `0x${'0'.repeat(40)}`,
  `0x${'aB'.repeat(20)}`,
  `0x${'11'.repeat(65)}`,
  `0x${'g'.repeat(40)}`,
  ...naughtyTexts,
];
const unusualNumbers = ['-1', '-0', '00', '+1', '1001', '1e2', '0x10', '1.0', '1.5', 'abc', 'null'];
const unusualParameters = [
  ...unusualNumbers,
  '',
  ' ',
  '9007199254740992',
  '9'.repeat(30),
  '\0',
  ...naughtyTexts,
];
const mediaTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;',
  'multipart/form-data',
];

const unusual: Arbitrary<unknown> = fc.oneof(fc.constantFrom(...unusualValues), fc.jsonValue());
const headerText = fc.string({ maxLength: 300 }).map((text) => text.replace(/[^\x20-\x7e]/g, '~'));

const bodyChange: Arbitrary<FieldMutation> = fc
  .record({
    at: fc.nat(),
    // `replace` is the most frequent change.
    how: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'rename', 'wrap', 'text', 'add'),
    value: unusual,
    name: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'id', '', 'a/b~c')),
  })
  .map((change) => (unencoded: UnencodedRequest) => ({
    ...unencoded,
    body: changeField(unencoded.body, change),
  }));

/** Sets or adds a query parameter. */
const queryChange: Arbitrary<FieldMutation> = fc
  .record({ at: fc.nat(), value: fc.constantFrom(...unusualParameters), isTwice: fc.boolean() })
  .map(({ at, value, isTwice }) => (unencoded: UnencodedRequest) => {
    const declared = unencoded.operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
    // One of the declared parameters, or an unknown one.
    const name = declared[at % (declared.length + 1)]?.name ?? 'unknown';
    const others = unencoded.query.filter((pair) => isTwice || pair[0] !== name);
    return { ...unencoded, query: [...others, [name, value] as [string, string]] };
  });

const pathChange: Arbitrary<FieldMutation> = fc
  .record({ at: fc.nat(), value: fc.constantFrom(...unusualParameters) })
  .map(({ at, value }) => (unencoded: UnencodedRequest) => {
    const name = Object.keys(unencoded.params)[at % Object.keys(unencoded.params).length];
    return name === undefined
      ? unencoded
      : { ...unencoded, params: { ...unencoded.params, [name]: value.toWellFormed() } };
  });

/**
 * Changes to one field, anywhere in the body, or to one parameter. Without a body, a parameter changes more
 * often.
 */
export const fieldMutationsOf = ({ bodySchema }: ApiOperation): Arbitrary<FieldMutation> =>
  fc.oneof({ weight: bodySchema === null ? 1 : 6, arbitrary: bodyChange }, queryChange, pathChange);

/** A change to one value of a body. */
interface Change {
  /** A random number, which chooses the value to change. */
  at: number;
  how: string;
  /** The new value, for some of the changes. */
  value: unknown;
  /** What is added to a field's name, or the name of an added field. */
  name: string;
}

function changeField(body: unknown, change: Change): unknown {
  const places = placesIn(body);
  const place = places[change.at % places.length] ?? [];
  return changeAt(body, place, change);
}

/**
 * Returns the places of a value and of the values in it. Of a long list or object, only the first 60 values
 * count.
 */
function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [place];
  const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [place, ...children.slice(0, 60).flatMap(([key, child]) => placesIn(child, [...place, key]))];
}

function changeAt(value: unknown, [key, ...rest]: Place, change: Change): unknown {
  if (key === undefined) return changeValue(value, change);
  if (Array.isArray(value)) {
    return value.map((child, index) => (index === key ? changeAt(child, rest, change) : child));
  }
  const entries = Object.entries(value as object).flatMap(([name, child]): [string, unknown][] => {
    if (name !== key) return [[name, child]];
    if (rest.length > 0) return [[name, changeAt(child, rest, change)]];
    if (change.how === 'drop') return [];
    if (change.how === 'rename') return [[`${name}${change.name}`, child]];
    return [[name, changeValue(child, change)]];
  });
  return Object.fromEntries(entries);
}

function changeValue(value: unknown, { how, value: other, name }: Change): unknown {
  if (how === 'wrap') return [value];
  if (how === 'text') return String(value);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (how === 'add' && isObject) return Object.fromEntries([...Object.entries(value), [name, other]]);
  // `replace`, or a change that does not apply to this value.
  return other;
}

/** A change to the bytes of a body. */
interface ByteChange {
  /** A random number, which chooses the position of the change. */
  at: number;
  /** The bytes to insert or append, for some of the changes. */
  bytes: Buffer;
}
const positionIn = (body: Buffer, at: number) => at % (body.length + 1);

const byteChanges: ((body: Buffer, change: ByteChange) => Buffer)[] = [
  // Cuts the body.
  (body, { at }) => body.subarray(0, positionIn(body, at)),
  // Flips one bit.
  (body, { at }) =>
    Buffer.from(body.map((byte, index) => (index === at % body.length ? byte ^ (1 << (at % 8)) : byte))),
  // Inserts bytes.
  (body, { at, bytes }) =>
    Buffer.concat([body.subarray(0, positionIn(body, at)), bytes, body.subarray(positionIn(body, at))]),
  // Adds a byte order mark.
  (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  // Appends bytes.
  (body, { bytes }) => Buffer.concat([body, bytes]),
  // Encodes the body as UTF-16.
  (body) => Buffer.from(body.toString(), 'utf16le'),
  // Sends the body twice.
  (body) => Buffer.concat([body, body]),
  // Sends the first field twice, the second time with the valid value. The last value counts.
  (body) => Buffer.from(body.toString().replace(/^\{"(\w+)":/, '{"$1":[],"$1":')),
  // Sends the first field twice, the second time with the value 17.
  (body) => Buffer.from(body.toString().replace(/^\{"(\w+)":(.*)\}$/s, '{"$1":$2,"$1":17}')),
  // Writes the first number in an unusual way.
  (body, { at }) =>
    Buffer.from(body.toString().replace(/\b\d+\b/, ['1e400', '01', '-0', '1.0', '0x1'][at % 5] ?? '')),
  // Sends an empty body.
  () => Buffer.alloc(0),
];

const insertedBytes = fc.oneof(
  fc.constantFrom([0], [0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0x22], [0x7b], [0x2c]).map(Buffer.from),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
);

const unusualHeaders: Arbitrary<[string, string | string[]]> = fc.oneof(
  fc.tuple(fc.constant('Content-Type'), fc.oneof(fc.constantFrom(...mediaTypes), headerText)),
  fc.tuple(fc.constant('Content-Encoding'), fc.constantFrom('gzip', 'br', 'identity', 'x', '')),
  fc.tuple(
    fc.constant('Idempotency-Key'),
    fc.oneof(fc.constantFrom('', 'a', ' a b', 'é', 'k'.repeat(256)), fc.uuid()),
  ),
  fc.tuple(
    fc.constant('Range'),
    fc.constantFrom(
      'bytes=0-0',
      'bytes=-1',
      'bytes=-0',
      'bytes=9-1',
      'bytes=999999999-',
      'bytes=0-0,2-3',
      'x',
      '',
    ),
  ),
  fc.tuple(
    fc.constantFrom('If-None-Match', 'If-Range', 'If-Match'),
    fc.constantFrom('*', '"a"', 'W/"a", "b"', ''),
  ),
  fc.tuple(
    fc.constantFrom('Authorization', 'X-API-Key'),
    fc.oneof(fc.constantFrom('Basic', 'Bearer', 'Basic Og==', 'Digest a=b', ''), headerText),
  ),
  fc.tuple(
    fc.constantFrom(
      'Accept',
      'Accept-Encoding',
      'Origin',
      'Referer',
      'Cookie',
      'Forwarded',
      'X-Forwarded-For',
    ),
    headerText,
  ),
  fc.tuple(fc.constantFrom('Host', 'X-Forwarded-Host', 'X-HTTP-Method-Override', 'X-Request-Id'), headerText),
  fc.constant(['Expect', '100-continue'] as [string, string]),
  fc.constant(['Expect', 'something-else'] as [string, string]),
  fc.constant(['Upgrade', 'websocket'] as [string, string]),
  fc.constant(['X-Huge', 'x'.repeat(20_000)] as [string, string]),
);

/** Changes to the encoded body, headers and path. */
export const encodedMutations: Arbitrary<EncodedMutation> = fc.oneof(
  // Changes the bytes of the body.
  {
    weight: 3,
    arbitrary: fc
      .record({ changeBytes: fc.constantFrom(...byteChanges), at: fc.nat(), bytes: insertedBytes })
      .map(({ changeBytes, ...change }) => (request: GeneratedRequest) => ({
        ...request,
        body: request.body === null ? null : changeBytes(request.body, change),
      })),
  },
  // Sets a header.
  {
    weight: 3,
    arbitrary: unusualHeaders.map((pair) => (request: GeneratedRequest) => ({
      ...request,
      headers: withHeader(request, pair),
    })),
  },
  // Drops a header.
  fc.constantFrom('Content-Type', 'X-API-Key', 'Authorization').map((name) => (request: GeneratedRequest) => {
    const { [name]: _dropped, ...rest } = request.headers;
    return { ...request, headers: rest };
  }),
  // Inserts a piece into the path or query.
  fc
    .record({
      at: fc.nat(),
      piece: fc.constantFrom(
        '/',
        '//',
        '/.',
        '/..',
        '%00',
        '%ff',
        '%',
        '%2e%2e',
        '%2F',
        ';',
        '#',
        '?',
        '&',
        '=',
      ),
    })
    .map(({ at, piece }) => (request: GeneratedRequest) => {
      const index = 1 + (at % request.path.length);
      return {
        ...request,
        path: toAsciiPath(request.path.slice(0, index) + piece + request.path.slice(index)),
      };
    }),
  // Drops the query, and makes the path long or upper case, or ends it with a slash.
  fc.constantFrom('long', 'case', 'slash').map((how) => (request: GeneratedRequest) => {
    const path = request.path.replace(/\?.*/s, '');
    if (how === 'case') return { ...request, path: path.toUpperCase() };
    return { ...request, path: path + (how === 'slash' ? '/' : 'x'.repeat(5_000)) };
  }),
);

function withHeader({ headers }: GeneratedRequest, [name, value]: [string, string | string[]]) {
  const others = Object.entries(headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return Object.fromEntries([...others, [name, value]]);
}

/** Percent-encodes what is not visible ASCII in a path, because Node refuses to send most of it. */
export function toAsciiPath(path: string): string {
  return path.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
}
