import { expect, inject } from 'vitest';
import { findAnswerFault } from './answer-judge.ts';
import { OpenApiJudge } from './openapi-judge.ts';
import type { Body, Operation, Page, Token } from './shapes.ts';

export const baseUrl = inject('baseUrl');
export const apiKey = inject('apiKey');
export const demo = 'demo';
export const withKey: Record<string, string> = { 'X-API-Key': apiKey };
export const asJson = { 'Content-Type': 'application/json' };
export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const operationLocation = new RegExp(`^/v1/operations/${uuid.source}$`);

const judge = new OpenApiJudge(inject('openApi'));
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const isText = (contentType: string | null) => /^text\/|json/.test(contentType ?? '');

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  text: string;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  /** For what no document announces: unknown routes, wrong methods, preflights, /docs and /openapi.json. */
  isUndocumented?: boolean;
}

/** Calls the service and fails on any answer that its OpenAPI document or the error contract does not allow. */
export async function call(pathOrUrl: string, { isUndocumented, ...init }: Call = {}): Promise<Answer> {
  const url = new URL(pathOrUrl.startsWith('/') ? `${baseUrl}${pathOrUrl}` : pathOrUrl);
  const response = await fetch(url, { redirect: 'manual', duplex: 'half', ...init });
  const bytes = await response.bytes();
  const contentType = response.headers.get('content-type');
  const text = isText(contentType) ? utf8.decode(bytes) : '';
  const answer = { status: response.status, headers: response.headers, bytes, text };
  const title = `${init.method ?? 'GET'} ${pathOrUrl} → ${response.status}`;

  const judged = { ...answer, method: init.method ?? 'GET', pathname: url.pathname, isUndocumented };
  expect(findAnswerFault(judge, judged), title).toBeUndefined();
  return answer;
}

/** Fails on what no answer may be: a fault of the service, one without a request id, a "no" that is no problem object. */
export function expectContract(answer: Answer, title: string): void {
  const judged = { ...answer, method: 'GET', pathname: '/', isUndocumented: true };
  expect(findAnswerFault(judge, judged), title).toBeUndefined();
}

/** The body of a 200 as JSON. */
export async function read<Value>(path: string, headers: Record<string, string> = {}): Promise<Value> {
  return parse<Value>(await call(path, { headers }));
}

export function parse<Value>(answer: Answer): Value {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  return JSON.parse(answer.text) as Value;
}

/** Posts a creation request as it is, with the demo key unless other headers are given. */
export function requestToken(
  body: Body | string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { ...asJson, ...withKey },
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return call('/v1/tokens', { method: 'POST', headers, body: isRaw ? body : JSON.stringify(body) });
}

/** The operation's location, after checking the announcement of spec 4.1. */
export function expectAccepted(answer: Answer): string {
  expect(answer.status, answer.text).toBe(202);
  expect(answer.text).toBe('{}');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  const location = answer.headers.get('location') ?? '';
  expect(location).toMatch(operationLocation);
  return location;
}

/** Waits for the operation's success and answers the token's id. */
export async function expectSuccess(location: string, waitSeconds = 30): Promise<number> {
  const operation = await read<Operation>(`${location}?wait=${waitSeconds}`);
  expect(operation).toMatchObject({ status: 'success', error: null, resourceId: expect.any(Number) });
  return Number(operation.resourceId);
}

export async function createToken(body: Body | string): Promise<Token> {
  const tokenId = await expectSuccess(expectAccepted(await requestToken(body)));
  return read<Token>(`/v1/tokens/${tokenId}`);
}

/** Reads every token, page by page, in ascending order. */
export async function walkTokens(limit = 1000, offset = 0, origin = ''): Promise<Token[]> {
  const { data } = await read<Page<Token>>(`${origin}/v1/tokens?limit=${limit}&offset=${offset}`);
  return data.length < limit ? data : [...data, ...(await walkTokens(limit, offset + limit, origin))];
}
