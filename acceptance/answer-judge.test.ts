import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { findAnswerFault } from './answer-judge.ts';
import { findFault } from './generated/judge.ts';
import { type Judged, OpenApiJudge } from './openapi-judge.ts';

const judge = new OpenApiJudge(inject('openApi'));
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

function judged(body: unknown, changes: Partial<Judged> & { contentType?: string } = {}): Judged {
  const { contentType = 'application/problem+json', ...others } = changes;
  const headers = new Headers({ 'Content-Type': contentType, 'X-Request-Id': requestId });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'GET', pathname: '/v1/tokens', status: 400, headers, text, ...others };
}

const read = (body: unknown) =>
  judged(body, { pathname: '/v1/environment', status: 200, contentType: 'application/json' });

test('right answers have no fault', () => {
  expect(findAnswerFault(judge, judged(problem))).toBeUndefined();
  expect(findAnswerFault(judge, read(environment))).toBeUndefined();
  expect(findAnswerFault(judge, { ...read(''), method: 'HEAD' })).toBeUndefined();
});

const withDetail = (detail: string) => judged({ ...problem, detail, error: detail });
const { detail: _detail, ...withoutDetail } = problem;
const { errors: _errors, ...withoutErrors } = problem;

test.each<[string, Judged, RegExp]>([
  ['a 500', judged({ ...problem, status: 500 }, { status: 500 }), /fault of the service, 500/],
  ['a 503', judged({ ...problem, status: 503 }, { status: 503 }), /fault of the service, 503/],
  [
    'a status not listed',
    judged({ ...problem, status: 418 }, { status: 418 }),
    /does not document status 418/,
  ],
  ['no request id', judged(problem, { headers: new Headers() }), /no X-Request-Id/],
  ['another request id', judged({ ...problem, instance: 'urn:uuid:1' }), /another request id/],
  ['a problem that is no JSON type', judged(problem, { contentType: 'text/html' }), /a 400 is text\/html/],
  [
    'a problem with a charset',
    judged(problem, { contentType: 'application/problem+json; charset=utf-8' }),
    /a 400 is application\/problem\+json; charset/,
  ],
  ['a problem without a detail', judged(withoutDetail), /no problem object/],
  ['a problem with a field more', judged({ ...problem, cause: 'x' }), /no problem object/],
  ['a name that is no error', judged({ ...problem, name: 'Oops' }), /no problem object/],
  [
    'a name of another call',
    judged({ ...problem, name: 'TokenNotFound' }),
    /errors or no errors|not documented/,
  ],
  ['another status within', judged({ ...problem, status: 404 }), /a 400 says 404/],
  ['no list of faults', judged(withoutErrors), /errors or no errors/],
  [
    'a pointer that is none',
    judged({ ...problem, errors: [{ pointer: 'a', detail: 'b' }] }),
    /no problem object/,
  ],
  ['a stack', withDetail('x\n    at run (server:1:2)'), /tells of the inside/],
  ['a file', withDetail('see /home/badge/data'), /tells of the inside/],
  ['SQL', withDetail('insert into tokens values (1)'), /tells of the inside/],
  ['a table', withDetail('relation "tokens" does not exist'), /tells of the inside/],
  ['a constraint', withDetail('duplicate key violates tokens_pkey'), /tells of the inside/],
  ['a host', withDetail('connect ECONNREFUSED 10.0.0.1:5432'), /tells of the inside/],
  ['a field that is not documented', read({ ...environment, secret: 1 }), /additional properties/],
  ['a field of another type', read({ ...environment, environment: 1 }), /does not fit its schema/],
  ['a body after HEAD', { ...read(environment), method: 'HEAD' }, /answered with a body/],
  [
    'a 202 without its Location',
    judged({}, { method: 'POST', status: 202, contentType: 'application/json' }),
    /has no Location/,
  ],
])('%s is a fault', (_title, answer, fault) => {
  expect(findAnswerFault(judge, answer)).toMatch(fault);
});

const answered = (status: number, text: string, contentType = 'application/json') => ({
  status,
  headers: new Headers({ 'Content-Type': contentType, 'X-Request-Id': requestId, Location: '/' }),
  text,
});
const created = answered(202, '{}');
const page = answered(200, '{"limit":50,"offset":0,"data":[]}');
const post = { method: 'POST', path: '/v1/tokens', headers: { 'Content-Type': 'application/json' } };
const get = (path: string) => ({ method: 'GET', path, headers: {}, body: null });

test.each([
  [
    'a body that breaks its schema',
    { ...post, body: Buffer.from('{}') },
    created,
    /must have required property/,
  ],
  ['a body that is no JSON', { ...post, body: Buffer.from('{') }, created, /no JSON/],
  ['no body', { ...post, body: null }, created, /no body/],
  [
    'another content type',
    { ...post, headers: { 'Content-Type': 'text/plain' }, body: Buffer.from('{}') },
    created,
    /content type/,
  ],
  ['no key', { ...post, headers: {}, body: Buffer.from('{}') }, created, /no right key/],
  ['a parameter out of range', get('/v1/tokens?limit=1001'), page, /limit .*<= 1000/],
  ['a parameter given twice', get('/v1/tokens?limit=1&limit=1'), page, /twice/],
  ['an unknown path', get('/v1/nothing'), page, /NotFound is due/],
  ['a wrong method', { ...get('/v1/tokens'), method: 'PUT' }, page, /MethodNotAllowed is due/],
])('accepting %s is a fault', async (title, request, answer, fault) => {
  const headers = title === 'no key' ? {} : { 'X-API-Key': 'right' };
  const sent = {
    kind: 'changed' as const,
    request: { ...request, headers: { ...request.headers, ...headers } },
    answer,
  };
  expect(await findFault(judge, sent, ['right'])).toMatch(fault);
});

test('refusing a right request is a fault', async () => {
  const headers = { Authorization: 'Bearer right' };
  const request = { ...get('/v1/tokens?limit=1'), headers };
  const answer = answered(400, JSON.stringify(problem), 'application/problem+json');
  expect(await findFault(judge, { kind: 'right', request, answer }, [])).toMatch(/right request is refused/);
  expect(await findFault(judge, { kind: 'changed', request, answer }, [])).toBeUndefined();
});
