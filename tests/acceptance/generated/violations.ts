import { isUtf8 } from 'node:buffer';
import { type FoundOperation, type OpenApiValidator, pointerTo } from '../openapi-validator.ts';
import { findResponseViolation } from '../response-violations.ts';
import type { DocumentedOperation, Problem, Schema } from '../shapes.ts';
import type { Kind } from './requests.ts';
import type { GeneratedRequest, GeneratedResponse } from './send.ts';

// Node rejects a request whose request line and headers have more than 16 KiB. The size is only estimated
// here, so a rejection is accepted from 15 KiB on.
const REJECTED_HEAD_BYTES = 15 * 1024;
/** The expected error of an undocumented request, by the reason why it is undocumented. */
const EXPECTED_ERRORS = {
  unreadablePath: 'InvalidRequest',
  unknownPath: 'NotFound',
  unknownMethod: 'MethodNotAllowed',
};
type Reason = keyof typeof EXPECTED_ERRORS;

export interface Exchange {
  kind: Kind;
  request: GeneratedRequest;
  response: GeneratedResponse;
}

/**
 * Describes how a response to a generated request violates the document. `validKeys` are the values of
 * `X-API-Key` and `Authorization` that contain a valid key.
 */
export async function findViolation(
  validator: OpenApiValidator,
  exchange: Exchange,
  validKeys: string[],
): Promise<string | undefined> {
  const { request, response } = exchange;
  const pathname = readPathname(request.path);
  const found = pathname === null ? undefined : validator.findOperation(request.method, pathname);
  const isTooLong = response.status === 431 && countHeadBytes(request) > REJECTED_HEAD_BYTES;
  const isUndocumented = found?.operation === undefined || isTooLong;
  const received = { ...response, method: request.method, pathname: pathname ?? '', isUndocumented };
  const violation = findResponseViolation(validator, received);
  if (violation !== undefined || isTooLong) return violation;
  if (found?.operation === undefined) {
    return findUndocumentedViolation(exchange, reasonOf(pathname, found));
  }
  return exchange.kind === 'valid'
    ? findWrongRejection(exchange)
    : await findWrongAcceptance(validator, exchange, found, validKeys);
}

function reasonOf(pathname: string | null, found: FoundOperation | undefined): Reason {
  if (pathname === null) return 'unreadablePath';
  return found === undefined ? 'unknownPath' : 'unknownMethod';
}

/** Decodes a path as the service's router does; null if it cannot be decoded. */
function readPathname(path: string): string | null {
  try {
    return decodeURI(path.replace(/[?#].*/s, ''));
  } catch {
    return null;
  }
}

function countHeadBytes({ path, headers }: GeneratedRequest): number {
  return path.length + JSON.stringify(headers).length;
}

function findUndocumentedViolation({ request, response }: Exchange, reason: Reason): string | undefined {
  const { method } = request;
  if (method === 'OPTIONS' && response.status === 204) return undefined;
  if (method === 'HEAD') return response.status < 400 ? `HEAD returns ${response.status}` : undefined;
  const name = response.status < 400 ? undefined : (JSON.parse(response.text) as Problem).name;
  // The service supports OPTIONS only below `/v1`. Elsewhere, the error is NotFound even if the path exists.
  const isOptionsElsewhere = method === 'OPTIONS' && name === EXPECTED_ERRORS.unknownPath;
  if (name !== EXPECTED_ERRORS[reason] && !isOptionsElsewhere)
    return `${EXPECTED_ERRORS[reason]} is expected, not: ${response.text}`;
  return name === 'MethodNotAllowed' && !response.headers.get('allow') ? 'a 405 has no Allow' : undefined;
}

/**
 * Describes a wrong rejection of a valid request. Some rejections are right: the request can conflict with an
 * earlier one, exceed a rate limit, or need the operator's key, which is the only key that is sent as
 * `Bearer`.
 */
function findWrongRejection({ request, response }: Exchange): string | undefined {
  const hasOperatorKey = String(request.headers.Authorization).startsWith('Bearer ');
  const allowed = hasOperatorKey ? [409, 422, 429] : [403, 409, 422, 429];
  if (response.status < 300 || allowed.includes(response.status)) return undefined;
  return `a valid request is rejected with ${response.status}: ${response.text}`;
}

/** Describes how an accepted request violates the document: its key, parameters, content type or body. */
async function findWrongAcceptance(
  validator: OpenApiValidator,
  { request, response }: Exchange,
  { method, template, operation }: FoundOperation,
  validKeys: string[],
): Promise<string | undefined> {
  // A replayed response belongs to an earlier request, which is not checked again.
  if (response.status >= 300 || operation === undefined || response.headers.has('idempotency-replayed'))
    return undefined;
  const operationKeys = ['paths', template, method];
  const [contentType] = Object.keys(operation.requestBody?.content ?? {});
  const violations = [
    needsKey(operation) && !hasValidKey(request, validKeys) ? 'it has no valid key' : undefined,
    ...findParameterViolations(validator, operation, request, pointerTo(...operationKeys, 'parameters')),
    contentType === undefined
      ? undefined
      : await findBodyViolation(
          validator,
          request,
          pointerTo(...operationKeys, 'requestBody', 'content', contentType, 'schema'),
        ),
  ];
  const violation = violations.find((found) => found !== undefined);
  return violation && `${response.status} for a request that the document forbids: ${violation}`;
}

// An empty item in `security` means that a request needs no key.
const needsKey = ({ security = [] }: DocumentedOperation) =>
  security.length > 0 && !security.some((way) => Object.keys(way).length === 0);

/** True if the request has one valid key. A non-empty `X-API-Key` takes precedence over `Authorization`. */
function hasValidKey({ headers }: GeneratedRequest, validKeys: string[]): boolean {
  const valuesOf = (header: string) =>
    Object.entries(headers).flatMap(([name, values]) => (name.toLowerCase() === header ? values : []));
  const values = [valuesOf('x-api-key'), valuesOf('authorization')];
  const [key = ''] = values.flat().filter((value) => value.trim() !== '');
  return values.every(({ length }) => length <= 1) && validKeys.includes(key.trim());
}

function findParameterViolations(
  validator: OpenApiValidator,
  { parameters = [] }: DocumentedOperation,
  { path, headers }: GeneratedRequest,
  pointer: string,
): (string | undefined)[] {
  const query = new URLSearchParams(path.replace(/#.*/s, '').replace(/^[^?]*/, ''));
  return parameters.map(({ in: place, name, required, schema }, index) => {
    if (place === 'path') return undefined;
    const values = place === 'query' ? query.getAll(name) : [headers[name] ?? []].flat();
    if (values.length > 1) return `${name} is given twice`;
    const [value] = values;
    // An empty query parameter means its default, as documented.
    if (value === undefined || (place === 'query' && value === ''))
      return required ? `no ${name}` : undefined;
    const violation = validator.findSchemaViolation(
      `${pointer}/${index}/schema`,
      readParameter(value, schema),
      'open',
    );
    return violation && `${name} ${violation}`;
  });
}

const readParameter = (value: string, { type }: Schema) =>
  type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;

async function findBodyViolation(
  validator: OpenApiValidator,
  request: GeneratedRequest,
  pointer: string,
): Promise<string | undefined> {
  const { headers, body } = request;
  const header = (name: string) =>
    Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  const contentType = String(header('content-type') ?? '');
  if (body === null) return 'it has no body';
  if (!['identity', ''].includes(String(header('content-encoding') ?? ''))) return 'its body is encoded';
  if (/^multipart\/form-data/i.test(contentType))
    return await findFormViolation(validator, contentType, body, pointer);
  if (!/^application\/json\s*(;|$)/i.test(contentType)) return `its content type is "${contentType}"`;
  if (!isUtf8(body)) return 'its body is not UTF-8';
  try {
    return validator.findSchemaViolation(pointer, JSON.parse(body.toString()), 'open');
  } catch {
    return 'its body is not JSON';
  }
}

async function findFormViolation(
  validator: OpenApiValidator,
  contentType: string,
  body: Buffer,
  pointer: string,
) {
  const headers = { 'Content-Type': contentType };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => null);
  // The document does not say which malformed forms are accepted.
  if (form === null) return undefined;
  const parts = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : 'a file']);
  return validator.findSchemaViolation(pointer, Object.fromEntries(parts), 'open');
}
