import { isUtf8 } from 'node:buffer';
import { findAnswerFault } from '../answer-judge.ts';
import { type FoundOperation, type OpenApiJudge, pointerTo } from '../openapi-judge.ts';
import type { DocumentedOperation, Problem, Schema } from '../shapes.ts';
import type { Kind } from './requests.ts';
import type { GeneratedAnswer, GeneratedRequest } from './send.ts';

// Node reads the request line and the headers up to here; what is near it may be answered either way.
const headBytes = 15 * 1024;
/** What the document does not say of an operation, since it is no operation's answer. */
const general = { unreadable: 'InvalidRequest', unknown: 'NotFound', method: 'MethodNotAllowed' };

export interface Sent {
  kind: Kind;
  request: GeneratedRequest;
  answer: GeneratedAnswer;
}

/** The fault of an answer to a generated request, or undefined; `rightKeys` are keys as headers carry them. */
export async function findFault(
  judge: OpenApiJudge,
  sent: Sent,
  rightKeys: string[],
): Promise<string | undefined> {
  const { request, answer } = sent;
  const pathname = readPathname(request.path);
  const found = pathname === null ? undefined : judge.findOperation(request.method, pathname);
  const isTooLong = answer.status === 431 && sizeOfHead(request) > headBytes;
  const isUndocumented = found?.operation === undefined || isTooLong;
  const judged = { ...answer, method: request.method, pathname: pathname ?? '', isUndocumented };
  const fault = findAnswerFault(judge, judged);
  if (fault !== undefined || isTooLong) return fault;
  if (found?.operation === undefined)
    return findGeneralFault(sent, pathname === null ? 'unreadable' : found ? 'method' : 'unknown');
  return sent.kind === 'right' ? findRefusal(sent) : await findAcceptance(judge, sent, found, rightKeys);
}

// As the service's router reads a path: up to the query, decoded but for what would change its parts.
function readPathname(path: string): string | null {
  try {
    return decodeURI(path.replace(/[?#].*/s, ''));
  } catch {
    return null;
  }
}

function sizeOfHead({ path, headers }: GeneratedRequest): number {
  return path.length + JSON.stringify(headers).length;
}

function findGeneralFault({ request, answer }: Sent, reason: keyof typeof general): string | undefined {
  const { method } = request;
  if (method === 'OPTIONS' && answer.status === 204) return undefined;
  if (method === 'HEAD') return answer.status < 400 ? `HEAD is answered with ${answer.status}` : undefined;
  const name = answer.status < 400 ? undefined : (JSON.parse(answer.text) as Problem).name;
  const isMissing = method === 'OPTIONS' && name === general.unknown;
  if (name !== general[reason] && !isMissing) return `${general[reason]} is due, not: ${answer.text}`;
  return name === 'MethodNotAllowed' && !answer.headers.get('allow') ? 'a 405 has no Allow' : undefined;
}

/** A right request is done, unless something like it was before, or its key is not the operator's. */
function findRefusal({ request, answer }: Sent): string | undefined {
  const isOperator = String(request.headers.Authorization).startsWith('Bearer ');
  const mayBe = isOperator ? [409, 422, 429] : [403, 409, 422, 429];
  if (answer.status < 300 || mayBe.includes(answer.status)) return undefined;
  return `a right request is refused with ${answer.status}: ${answer.text}`;
}

/** What is accepted fits the document: parameters, body, content type, and a key where one is needed. */
async function findAcceptance(
  judge: OpenApiJudge,
  { request, answer }: Sent,
  { method, template, operation }: FoundOperation,
  rightKeys: string[],
): Promise<string | undefined> {
  // A kept answer is that of the first request, whose form is not compared.
  if (answer.status >= 300 || operation === undefined || answer.headers.has('idempotency-replayed'))
    return undefined;
  const pointer = pointerTo('paths', template, method);
  const content = Object.keys(operation.requestBody?.content ?? {});
  const faults = [
    needsKey(operation) && !hasRightKey(request, rightKeys) ? 'it has no right key' : undefined,
    ...findParameterFaults(judge, operation, request, pointer),
    content.length === 0
      ? undefined
      : await findBodyFault(
          judge,
          request,
          `${pointer}/requestBody/content/${content[0]?.replace('/', '~1')}/schema`,
        ),
  ];
  const fault = faults.find((found) => found !== undefined);
  return fault && `${answer.status} for a request that the document forbids: ${fault}`;
}

const needsKey = ({ security = [] }: DocumentedOperation) =>
  security.length > 0 && !security.some((way) => Object.keys(way).length === 0);

/** Whether the request has one valid key. `X-API-Key` decides if it is not empty. */
function hasRightKey({ headers }: GeneratedRequest, rightKeys: string[]): boolean {
  const valuesOf = (header: string) =>
    Object.entries(headers).flatMap(([name, values]) => (name.toLowerCase() === header ? values : []));
  const values = [valuesOf('x-api-key'), valuesOf('authorization')];
  const [key = ''] = values.flat().filter((value) => value.trim() !== '');
  return values.every(({ length }) => length <= 1) && rightKeys.includes(key.trim());
}

function findParameterFaults(
  judge: OpenApiJudge,
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
    // Documented: an empty parameter of a query means its default.
    if (value === undefined || (place === 'query' && value === ''))
      return required ? `no ${name}` : undefined;
    const fault = judge.findSchemaFault(
      `${pointer}/parameters/${index}/schema`,
      readParameter(value, schema),
      'open',
    );
    return fault && `${name} ${fault}`;
  });
}

const readParameter = (value: string, { type }: Schema) =>
  type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;

async function findBodyFault(
  judge: OpenApiJudge,
  request: GeneratedRequest,
  pointer: string,
): Promise<string | undefined> {
  const { headers, body } = request;
  const header = (name: string) =>
    Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  const contentType = String(header('content-type') ?? '');
  if (body === null) return 'it has no body';
  if (!['undefined', 'identity', ''].includes(String(header('content-encoding'))))
    return 'its body is encoded';
  if (/^multipart\/form-data/i.test(contentType))
    return await findFormFault(judge, contentType, body, pointer);
  if (!/^application\/json\s*(;|$)/i.test(contentType)) return `its content type is "${contentType}"`;
  if (!isUtf8(body)) return 'its body is not UTF-8';
  try {
    return judge.findSchemaFault(pointer, JSON.parse(body.toString()), 'open');
  } catch {
    return 'its body is no JSON';
  }
}

async function findFormFault(judge: OpenApiJudge, contentType: string, body: Buffer, pointer: string) {
  const headers = { 'Content-Type': contentType };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => null);
  // Where the two parsers do not agree, the form is no matter of the document.
  if (form === null) return undefined;
  const parts = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : 'a file']);
  return judge.findSchemaFault(pointer, Object.fromEntries(parts), 'open');
}
