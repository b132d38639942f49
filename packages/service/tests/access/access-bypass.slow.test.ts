import { expect, test } from 'vitest';
import { accessBypassFixture } from '../../src/testing/access-bypass-fixture.ts';
import { hashData } from '../../src/testing/hash-data.ts';

const bypass = accessBypassFixture();
const { call } = bypass;

const HOSTILE_TEXTS = [
  "'",
  "' or '1'='1",
  "1'; drop table tokens; --",
  '1 union select key_hash from api_keys',
  '$1',
  '{"$ne":null}',
  '["a"]',
  '%',
  '_',
  '../../../etc/passwd',
  '\0',
  '\ud83d\ude00',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '-1',
  '1e3',
  '0x1',
  'NaN',
  '9'.repeat(400),
  '{{7*7}}',
  '<script>',
  'a\r\nX-Injected: yes',
];

/**
 * Returns an entry for each path parameter of the GET and DELETE routes, and for each query parameter of the
 * GET routes, documented or hostile. `pathWith` returns a path in which the parameter has the given value.
 */
function listParameters(): { method: string; pathWith: (text: string) => string }[] {
  return bypass.routes
    .filter(({ method }) => method === 'GET' || method === 'DELETE')
    .flatMap(({ method, url, parameters: documented }) => {
      const validPath = url
        .replace(':communityId', 'demo')
        .replace(':address', bypass.fixture.creator.address)
        .replaceAll(/:\w+/g, String(bypass.fixture.openTokenId));
      const names = [...documented, '__proto__', 'constructor', 'hasOwnProperty', 'a[b]'];
      const inPath = [...url.matchAll(/:\w+/g)].map(
        ([parameter]) =>
          (text: string) =>
            url
              .replace(parameter, () => text)
              .replace(':communityId', 'demo')
              .replaceAll(/:\w+/g, '1'),
      );
      const inQuery = names.map(
        (name) => (text: string) => `${validPath}?${encodeURIComponent(name)}=${text}`,
      );
      return [...inPath, ...(method === 'GET' ? inQuery : [])].map((pathWith) => ({ method, pathWith }));
    });
}

test('no text in a path or query parameter causes an internal error, adds a header or changes data', {
  timeout: 120_000,
}, async () => {
  // The first read makes the keys of the community.
  expect((await call('/v1/communities/demo/issuerKeys')).status).toBe(200);
  const before = await hashData(bypass.fixture.service.databaseUrl);
  const parameters = listParameters();
  expect(parameters.length).toBeGreaterThan(100);
  for (const { method, pathWith } of parameters) {
    const sent = HOSTILE_TEXTS.map(async (text) => {
      // `encodeURIComponent` does not encode an apostrophe.
      const path = pathWith(encodeURIComponent(text).replaceAll("'", '%27'));
      const { status, headers } = await call(path, {
        method,
        headers: { 'X-API-Key': bypass.fixture.keys.operator },
      });
      expect([path, status < 500, headers['x-injected']]).toEqual([path, true, undefined]);
    });
    await Promise.all(sent);
  }
  expect(await hashData(bypass.fixture.service.databaseUrl)).toBe(before);
});
