import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../testing/databases.ts';
import { startTestService, type TestService } from '../testing/services.ts';

let service: TestService;
let token: string;

beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
  token = JSON.stringify(await signedToken());
});
afterAll(async () => await service.stop());

const post = (body: string, headers: Record<string, string> = {}) =>
  service.call('/v1/tokens', {
    method: 'POST',
    key: service.apiKey,
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
const nameOf = async (answer: Response) => ((await answer.json()) as { name?: string }).name;

test.each(['utf8', 'UTF-8', '"utf-8"'])('the charset %s is taken', async (charset) => {
  expect((await post(token, { 'Content-Type': `application/json; charset=${charset}` })).status).toBe(202);
});

test.each(['latin1', 'iso-8859-1', 'utf-16', 'us-ascii', ''])(
  'the charset "%s" is refused',
  async (charset) => {
    const answer = await post(token, { 'Content-Type': `application/json; charset=${charset}` });
    expect([answer.status, await nameOf(answer)]).toEqual([415, 'UnsupportedMediaType']);
  },
);

test('the encoding identity is no compression', async () => {
  expect((await post(token, { 'Content-Encoding': 'identity' })).status).toBe(202);
});

test('keys that are names of prototypes change nothing but themselves', async () => {
  const polluting = `{"__proto__":{"isHidden":true,"polluted":1},"constructor":{"prototype":{"polluted":1}},${token.slice(1)}`;
  expect((await post(polluting)).status).toBe(202);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('of a key that is sent twice the last counts, for the signature too', async () => {
  expect((await post(`{"headline":"another",${token.slice(1)}`)).status).toBe(202);
  const answer = await post(`${token.slice(0, -1)},"headline":"another"}`);
  expect([answer.status, await nameOf(answer)]).toEqual([403, 'BadgeRegisterRequestNotSignedByCreator']);
});

test('numbers are taken by their value, whatever their form', async () => {
  for (const form of ['10.0', '1e1', '100e-1', '1.0E+1']) {
    const answer = await post(token.replace('"totalClaimCount":10', `"totalClaimCount":${form}`));
    expect(answer.status, form).toBe(202);
  }
});

test.each(['1e400', '-0.5', '9007199254740993', '1.5', '-1'])('a count of %s is refused', async (form) => {
  const answer = await post(token.replace('"totalClaimCount":10', `"totalClaimCount":${form}`));
  expect([answer.status, await nameOf(answer)]).toEqual([400, 'InvalidRequest']);
});

describe('a body that does not come whole', () => {
  async function send(head: string[], body: string): Promise<string> {
    const socket = connect(service.port ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    const lines = ['POST /v1/tokens HTTP/1.1', 'Host: localhost', `X-API-Key: ${service.apiKey}`, ...head];
    socket.end([...lines, 'Content-Type: application/json', 'Connection: close', '', body].join('\r\n'));
    return await text(socket);
  }

  test.each<[string, string[], string]>([
    ['is shorter than it says', ['Content-Length: 9000'], '{}'],
    ['has two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['has a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
    ['has a chunk that is no chunk', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'],
    ['ends in the middle of a chunk', ['Transfer-Encoding: chunked'], '9\r\n{}'],
  ])('because it %s, accepts nothing', async (_title, head, body) => {
    const countOperations = async () => (await query(service.databaseUrl, 'select from operations')).length;
    const before = await countOperations();
    const answer = await send(head, body);
    expect(answer).toMatch(/^(HTTP\/1\.1 400 |$)/);
    if (answer !== '') expect(answer).toContain('"name":"InvalidRequest"');
    expect(await countOperations()).toBe(before);
  });
});
