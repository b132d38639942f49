import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { findViolation } from './generated/violations.ts';
import { createOpenApiValidator, type ReceivedResponse } from './openapi-validator.ts';
import { findResponseViolation } from './response-violations.ts';

const validator = createOpenApiValidator(inject('openApi'));
const requestId = randomUUID();
const problem = {
  type: 'http://localhost/docs/errors#InvalidRequest',
  title: 'Invalid request',
  status: 400,
  detail: 'limit must be integer',
  instance: `urn:uuid:${requestId}`,
  name: 'InvalidRequest',
  error: 'limit must be integer',
  errors: [{ parameter: 'limit', detail: 'must be integer' }],
};
const environment = inject('environment');

function received(
  body: unknown,
  changes: Partial<ReceivedResponse> & { contentType?: string } = {},
): ReceivedResponse {
  const { contentType = 'application/problem+json', ...others } = changes;
  const headers = new Headers({ 'Content-Type': contentType, 'X-Request-Id': requestId });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'GET', pathname: '/v1/tokens', status: 400, headers, text, ...others };
}

const environmentResponse = (body: unknown) =>
  received(body, { pathname: '/v1/environment', status: 200, contentType: 'application/json' });

test('valid responses have no violation', () => {
  expect(findResponseViolation(validator, received(problem))).toBeUndefined();
  expect(findResponseViolation(validator, environmentResponse(environment))).toBeUndefined();
  expect(findResponseViolation(validator, { ...environmentResponse(''), method: 'HEAD' })).toBeUndefined();
});

const withDetail = (detail: string) => received({ ...problem, detail, error: detail });
const { detail: _detail, ...withoutDetail } = problem;
const { errors: _errors, ...withoutErrors } = problem;

test.each<[string, ReceivedResponse, RegExp]>([
  ['a 500', received({ ...problem, status: 500 }, { status: 500 }), /^status 500/],
  ['a 503', received({ ...problem, status: 503 }, { status: 503 }), /^status 503/],
  [
    'an undocumented status',
    received({ ...problem, status: 418 }, { status: 418 }),
    /does not document status 418/,
  ],
  ['a response without a request id', received(problem, { headers: new Headers() }), /no X-Request-Id/],
  [
    'a problem with the id of another request',
    received({ ...problem, instance: 'urn:uuid:1' }),
    /another request id/,
  ],
  [
    'an error that is not problem+json',
    received(problem, { contentType: 'text/html' }),
    /a 400 has content type text\/html/,
  ],
  [
    'a problem whose content type has a charset',
    received(problem, { contentType: 'application/problem+json; charset=utf-8' }),
    /a 400 has content type application\/problem\+json; charset/,
  ],
  ['a problem without a detail', received(withoutDetail), /not a problem object/],
  ['a problem with an unknown field', received({ ...problem, cause: 'x' }), /not a problem object/],
  ['an unknown error name', received({ ...problem, name: 'Oops' }), /not a problem object/],
  [
    'an error name that only other calls return',
    received({ ...withoutErrors, name: 'TokenNotFound' }),
    /TokenNotFound is not documented/,
  ],
  [
    'a body with another status than the response',
    received({ ...problem, status: 404 }),
    /a 400 has status 404 in its body/,
  ],
  ['an InvalidRequest without a list of errors', received(withoutErrors), /it has errors, or lacks them/],
  [
    'an invalid pointer',
    received({ ...problem, errors: [{ pointer: 'a', detail: 'b' }] }),
    /not a problem object/,
  ],
  ['a stack trace', withDetail('x\n    at run (server:1:2)'), /is an implementation detail/],
  ['a path on the server', withDetail('see /home/badge/data'), /is an implementation detail/],
  ['SQL', withDetail('insert into tokens values (1)'), /is an implementation detail/],
  ['a table name', withDetail('relation "tokens" does not exist'), /is an implementation detail/],
  ['a constraint name', withDetail('duplicate key violates tokens_pkey'), /is an implementation detail/],
  ['an error of Node', withDetail('connect ECONNREFUSED 10.0.0.1:5432'), /is an implementation detail/],
  ['an undocumented field', environmentResponse({ ...environment, secret: 1 }), /additional properties/],
  [
    'a field of the wrong type',
    environmentResponse({ ...environment, environment: 1 }),
    /does not match its schema/,
  ],
  ['a body in the response to HEAD', { ...environmentResponse(environment), method: 'HEAD' }, /has a body/],
  [
    'a 202 without Location',
    received({}, { method: 'POST', status: 202, contentType: 'application/json' }),
    /has no Location/,
  ],
])('%s is a violation', (_title, response, violation) => {
  expect(findResponseViolation(validator, response)).toMatch(violation);
});

const responseWith = (status: number, text: string, contentType = 'application/json') => ({
  status,
  headers: new Headers({ 'Content-Type': contentType, 'X-Request-Id': requestId, Location: '/' }),
  text,
});
const accepted = responseWith(202, '{}');
const page = responseWith(200, '{"limit":50,"offset":0,"data":[]}');
const jsonHeader = { 'Content-Type': 'application/json' };
const post = { method: 'POST', path: '/v1/tokens', headers: { ...jsonHeader, 'X-API-Key': 'valid' } };
const get = (path: string) => ({ method: 'GET', path, headers: {}, body: null });

test.each([
  [
    'a body that violates its schema',
    { ...post, body: Buffer.from('{}') },
    accepted,
    /must have required property/,
  ],
  ['a body that is not JSON', { ...post, body: Buffer.from('{') }, accepted, /not JSON/],
  ['a request without a body', { ...post, body: null }, accepted, /no body/],
  [
    'a body with another content type than JSON',
    { ...post, headers: { ...post.headers, 'Content-Type': 'text/plain' }, body: Buffer.from('{}') },
    accepted,
    /content type/,
  ],
  [
    'a request without a key',
    { ...post, headers: jsonHeader, body: Buffer.from('{}') },
    accepted,
    /no valid key/,
  ],
  ['a parameter out of range', get('/v1/tokens?limit=1001'), page, /limit .*<= 1000/],
  ['a parameter given twice', get('/v1/tokens?limit=1&limit=1'), page, /twice/],
  ['an unknown path', get('/v1/nothing'), page, /NotFound is expected/],
  ['a wrong method', { ...get('/v1/tokens'), method: 'PUT' }, page, /MethodNotAllowed is expected/],
])('accepting %s is a violation', async (_title, request, response, violation) => {
  const exchange = { kind: 'changed' as const, request, response };
  expect(await findViolation(validator, exchange, ['valid'])).toMatch(violation);
});

test('rejecting a request is a violation if it was generated as valid, but not if it was changed', async () => {
  const headers = { Authorization: 'Bearer valid' };
  const request = { ...get('/v1/tokens?limit=1'), headers };
  const response = responseWith(400, JSON.stringify(problem), 'application/problem+json');
  expect(await findViolation(validator, { kind: 'valid', request, response }, [])).toMatch(
    /valid request is rejected/,
  );
  expect(await findViolation(validator, { kind: 'changed', request, response }, [])).toBeUndefined();
});
