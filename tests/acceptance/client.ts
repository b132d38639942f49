import { expect, inject } from 'vitest';
import { createOpenApiValidator } from './openapi-validator.ts';
import { findResponseViolation } from './response-violations.ts';
import type { Body, Operation, Page, Token } from './shapes.ts';

export const baseUrl = inject('baseUrl');
export const apiKey = inject('apiKey');
/** The community of the API key. */
export const demoCommunityId = 'demo';
/** The headers that send the demo community's API key. */
export const withDemoKey: Record<string, string> = { 'X-API-Key': apiKey };
export const asJson = { 'Content-Type': 'application/json' };
export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const operationLocation = new RegExp(`^/v1/operations/${uuid.source}$`);

const validator = createOpenApiValidator(inject('openApi'));
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const isText = (contentType: string | null) => /^text\/|json/.test(contentType ?? '');

/** A response whose body has been read. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** The body as text; empty if the content type is neither text nor JSON. */
  text: string;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  /**
   * True for what the OpenAPI document does not contain: unknown routes and methods, preflights, /docs and
   * /openapi.json.
   */
  isUndocumented?: boolean;
}

/** Calls the service. Fails if the response violates the rules of `findResponseViolation`. */
export async function call(pathOrUrl: string, { isUndocumented, ...init }: Call = {}): Promise<ApiResponse> {
  const url = new URL(pathOrUrl.startsWith('/') ? `${baseUrl}${pathOrUrl}` : pathOrUrl);
  const fetched = await fetch(url, { redirect: 'manual', duplex: 'half', ...init });
  const bytes = await fetched.bytes();
  const text = isText(fetched.headers.get('content-type')) ? utf8.decode(bytes) : '';
  const response = { status: fetched.status, headers: fetched.headers, bytes, text };
  const title = `${init.method ?? 'GET'} ${pathOrUrl} → ${response.status}`;

  const received = { ...response, method: init.method ?? 'GET', pathname: url.pathname, isUndocumented };
  expect(findResponseViolation(validator, received), title).toBeUndefined();
  return response;
}

/**
 * Fails if the response is a 5xx, has no request id, or is an error but not a problem object. Also fails if
 * the problem object contains implementation details.
 */
export function expectWellFormedResponse(response: ApiResponse, title: string): void {
  const received = { ...response, method: 'GET', pathname: '/', isUndocumented: true };
  expect(findResponseViolation(validator, received), title).toBeUndefined();
}

/** Reads a path, checks that it returns 200, and returns its JSON body. */
export async function read<Value>(path: string, headers: Record<string, string> = {}): Promise<Value> {
  return parseOk<Value>(await call(path, { headers }));
}

/** Checks that a response has the status 200 and JSON, and returns its body. */
export function parseOk<Value>(response: ApiResponse): Value {
  expect(response.status, response.text).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  return JSON.parse(response.text) as Value;
}

/** Posts this body to /v1/tokens, with the demo key unless other headers are given. */
export function requestToken(
  body: Body | string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { ...asJson, ...withDemoKey },
): Promise<ApiResponse> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return call('/v1/tokens', { method: 'POST', headers, body: isRaw ? body : JSON.stringify(body) });
}

/** Checks that a response has the status 202 and an operation, and returns the operation's path. */
export function expectAccepted(response: ApiResponse): string {
  expect(response.status, response.text).toBe(202);
  expect(response.text).toBe('{}');
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  const location = response.headers.get('location') ?? '';
  expect(location).toMatch(operationLocation);
  return location;
}

/** Waits until the operation has succeeded, and returns the token's id. */
export async function expectSuccess(location: string): Promise<number> {
  const operation = await read<Operation>(`${location}?wait=30`);
  expect(operation).toMatchObject({ status: 'success', error: null, resourceId: expect.any(Number) });
  return Number(operation.resourceId);
}

export async function createToken(body: Body | string): Promise<Token> {
  const tokenId = await expectSuccess(expectAccepted(await requestToken(body)));
  return read<Token>(`/v1/tokens/${tokenId}`);
}

const PAGE_TOKENS = 1_000;
// Pages overlap, because other tests may hide tokens between two reads, which moves later tokens to the page
// before.
const OVERLAP_TOKENS = 100;

/**
 * Reads every token that is not hidden, page by page, from the tested service or from the one at `origin`.
 */
export async function walkTokens(origin = ''): Promise<Token[]> {
  const tokens = new Map<number, Token>();
  for (let offset = 0; ; offset += PAGE_TOKENS - OVERLAP_TOKENS) {
    const { data } = await read<Page<Token>>(`${origin}/v1/tokens?limit=${PAGE_TOKENS}&offset=${offset}`);
    for (const token of data) tokens.set(token.tokenId, token);
    if (data.length < PAGE_TOKENS) return [...tokens.values()];
  }
}
