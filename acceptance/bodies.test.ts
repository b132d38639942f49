import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { asJson, call, createToken, expectAccepted, requestToken, withKey } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';
import { openRequest } from './token-requests.ts';

const maxBodyBytes = 4 * 1024 * 1024;
const request = await openRequest();
const text = JSON.stringify(request);
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );
const [beforeHeadline = '', afterHeadline = ''] = text.split(String(request.headline));

describe('what is not JSON is refused', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a truncated object', text.slice(0, -1)],
    ['half of it', text.slice(0, text.length / 2)],
    ['two documents', `${text}${text}`],
    ['two documents on two lines', `${text}\n${text}`],
    ['text after it', `${text} x`],
    ['a trailing comma', text.replace(/\}$/, ',}')],
    ['single quotes', text.replaceAll('"', "'")],
    ['a comment', `/* */${text}`],
    ['NaN', text.replace(/"totalClaimCount":10/, '"totalClaimCount":NaN')],
    ['Infinity', text.replace(/"totalClaimCount":10/, '"totalClaimCount":Infinity')],
    ['a leading zero', text.replace(/"totalClaimCount":10/, '"totalClaimCount":01')],
    ['a plus sign', text.replace(/"totalClaimCount":10/, '"totalClaimCount":+10')],
    ['a hexadecimal number', text.replace(/"totalClaimCount":10/, '"totalClaimCount":0x10')],
    ['a line end within a string', `${beforeHeadline}\n${afterHeadline}`],
    ['form data', 'headline=A&communityId=demo'],
    ['UTF-16', new Uint8Array(Buffer.from(text, 'utf16le'))],
    ['UTF-16 with a mark', bytes([0xff, 0xfe], [...Buffer.from(text, 'utf16le')])],
  ])('%s', async (_title, body) => {
    const { errors } = expectProblem(await requestToken(body), 400, 'InvalidRequest');
    expect(errors).toHaveLength(1);
  });
});

describe('a body that is no object is refused', () => {
  test.each(['[]', `[${text}]`, '"text"', JSON.stringify(text), 'null', 'true', '1'])('%s', async (body) => {
    expectPointers(await requestToken(body), ['']);
  });
});

describe('bytes that are not UTF-8 are refused, not repaired', () => {
  test.each([
    ['a lone byte', [0xff]],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9]],
    ['a cut character', [0xf0, 0x9f, 0x8e]],
    ['a lone continuation', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point above all', [0xf4, 0x90, 0x80, 0x80]],
  ])('%s', async (_title, wrong) => {
    expectProblem(await requestToken(bytes(beforeHeadline, wrong, afterHeadline)), 400, 'InvalidRequest');
    const unknownField = bytes('{"note":"', wrong, '",', text.slice(1));
    expectProblem(await requestToken(unknownField), 400, 'InvalidRequest');
  });
});

test('a byte order mark is refused or ignored, never part of the request', async () => {
  const fresh = await openRequest();
  const answer = await requestToken(bytes([0xef, 0xbb, 0xbf], JSON.stringify(fresh)));
  if (answer.status === 400) expectProblem(answer, 400, 'InvalidRequest');
  else expect(expectAccepted(await requestToken(fresh))).toBe(expectAccepted(answer));
});

describe('depth', () => {
  const nested = (depth: number, [opening, closing]: [string, string], core = '1') =>
    `{"deep":${opening.repeat(depth - 1)}${core}${closing.repeat(depth - 1)},${text.slice(1)}`;
  const kinds: [string, [string, string]][] = [
    ['lists', ['[', ']']],
    ['objects', ['{"a":', '}']],
  ];

  test.each(kinds)('16 levels of %s are accepted', async (_title, brackets) => {
    expectAccepted(await requestToken(nested(16, brackets)));
  });

  test.each(kinds)('17 levels of %s are refused', async (_title, brackets) => {
    expectProblem(await requestToken(nested(17, brackets)), 400, 'InvalidRequest');
  });

  test.each(kinds)('200,000 levels of %s are refused', async (_title, brackets) => {
    expectProblem(await requestToken(nested(200_000, brackets)), 400, 'InvalidRequest');
    expectProblem(await requestToken(brackets[0].repeat(200_000)), 400, 'InvalidRequest');
  });

  test('brackets within text are no levels', async () => {
    const token = await createToken(await openRequest({ description: '[{"\\"'.repeat(50) }));
    expect(token.description).toBe('[{"\\"'.repeat(50));
  });
});

describe('content type', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"'])(
    '%s is taken',
    async (contentType) => {
      expectAccepted(await requestToken(text, { ...withKey, 'Content-Type': contentType }));
    },
  );

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'text/json',
    'json',
    '*/*',
  ])('%s is refused', async (contentType) => {
    const answer = await requestToken(text, { ...withKey, 'Content-Type': contentType });
    expectProblem(answer, 415, 'UnsupportedMediaType');
  });

  test('none is refused', async () => {
    expectProblem(await requestToken(bytes(text), withKey), 415, 'UnsupportedMediaType');
  });

  test.each(['gzip', 'br', 'deflate', 'unknown'])('the encoding %s is refused', async (encoding) => {
    const body = encoding === 'gzip' ? new Uint8Array(gzipSync(text)) : text;
    const answer = await requestToken(body, { ...withKey, ...asJson, 'Content-Encoding': encoding });
    expectProblem(answer, 415, 'UnsupportedMediaType');
  });
});

describe('size', () => {
  const padded = (sizeBytes: number) => {
    const frame = `{"padding":"",${text.slice(1)}`;
    const padding = 'p'.repeat(sizeBytes - Buffer.byteLength(frame));
    return frame.replace('"padding":""', () => `"padding":"${padding}"`);
  };

  test('4 MiB are taken', async () => {
    expectAccepted(await requestToken(padded(maxBodyBytes)));
  });

  test('a byte more is too large', async () => {
    expectProblem(await requestToken(padded(maxBodyBytes + 1)), 413, 'TooLarge');
  });

  test('a byte more without a length is too large', async () => {
    const chunks = new Blob([padded(maxBodyBytes + 1)]).stream();
    const answer = await call('/v1/tokens', {
      method: 'POST',
      headers: { ...asJson, ...withKey },
      body: chunks,
    });
    expectProblem(answer, 413, 'TooLarge');
  });
});
