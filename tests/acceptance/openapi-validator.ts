import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DocumentedOperation, MediaType, OpenApiDocument, Problem } from './shapes.ts';

// Leaves `{` and `}` as they are, because `readTemplate` still has to find the parameters between them.
const escapeForRegExp = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
const escapeForPointer = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
export const pointerTo = (...keys: string[]) => `#/${keys.map(escapeForPointer).join('/')}`;

interface Template {
  text: string;
  pattern: RegExp;
  parameterCount: number;
}

function readTemplate(text: string): Template {
  const pattern = escapeForRegExp(text).replace(/\{[^}]+\}/g, '[^/]*');
  return {
    text,
    pattern: new RegExp(`^${pattern}$`),
    parameterCount: text.split('{').length - 1,
  };
}

/**
 * Adds `additionalProperties: false` to every object schema with `properties`, so that an undocumented field
 * is a violation.
 */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closeObjects(child)]));
  return closed.type === 'object' && 'properties' in closed
    ? { additionalProperties: false, ...closed }
    : closed;
}

/** A response, with the method and path of its request. */
export interface ReceivedResponse {
  method: string;
  pathname: string;
  status: number;
  headers: Headers;
  text: string;
}

export interface FoundOperation {
  method: string;
  template: string;
  /** Undefined if the path has no such method. */
  operation: DocumentedOperation | undefined;
}

/** Checks responses and values against the service's OpenAPI document. */
export interface OpenApiValidator {
  /**
   * Returns the operation of a request, or undefined for an undocumented path. HEAD has the operation of GET.
   */
  findOperation(method: string, pathname: string): FoundOperation | undefined;
  /** Describes how a response violates the document; undefined if it does not. */
  findViolation(response: ReceivedResponse): string | undefined;
  /**
   * Describes how a value violates a schema; undefined if it does not. `closed` also forbids undocumented
   * fields.
   */
  findSchemaViolation(pointer: string, value: unknown, objects: 'open' | 'closed'): string | undefined;
}

/** Creates a validator for this document. */
export function createOpenApiValidator(document: OpenApiDocument): OpenApiValidator {
  const ajv = addFormats.default(
    new Ajv2020({ strict: false, validateSchema: false, allErrors: true, logger: false }),
  );
  ajv.addFormat('text', (value: string) => value.isWellFormed() && !value.includes('\0'));
  ajv.addSchema(document, 'open');
  ajv.addSchema(closeObjects(document) as OpenApiDocument, 'closed');
  // Templates with fewer parameters come first: a fixed path takes precedence over a parameter.
  const templates = Object.keys(document.paths)
    .map(readTemplate)
    .sort((a, b) => a.parameterCount - b.parameterCount);
  const compiled = new Map<string, ValidateFunction>();

  const findOperation: OpenApiValidator['findOperation'] = (method, pathname) => {
    const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
    const template = templates.find(({ pattern }) => pattern.test(path))?.text;
    if (template === undefined) return undefined;
    const documentedMethod = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = document.paths[template]?.[documentedMethod];
    return { method: documentedMethod, template, operation };
  };

  const findSchemaViolation: OpenApiValidator['findSchemaViolation'] = (pointer, value, objects) => {
    const reference = `${objects}${pointer}`;
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };

  function findBodyViolation(
    { status, headers, text }: ReceivedResponse,
    { method, template }: FoundOperation,
    content: Record<string, MediaType>,
  ): string | undefined {
    const title = `${method} ${template} ${status}`;
    const actualType = (headers.get('content-type') ?? '').replace(/;.*$/, '').trim().toLowerCase();
    const documentedType = [actualType, actualType.replace(/\/.*/, '/*')].find((type) => type in content);
    if (documentedType === undefined) return `${title} does not document content type "${actualType}"`;
    if (!/[/+]json$/.test(actualType)) return undefined;
    if (content[documentedType]?.schema === undefined) return `${title} has no schema`;
    const responseKeys = ['paths', template, method, 'responses', String(status)];
    const pointer = pointerTo(...responseKeys, 'content', documentedType, 'schema');
    const violation = findSchemaViolation(pointer, JSON.parse(text), 'closed');
    return violation && `${title} does not match its schema: ${violation}\n${text}`;
  }

  const findViolation: OpenApiValidator['findViolation'] = (received) => {
    const { method, pathname, status, headers, text } = received;
    const found = findOperation(method, pathname);
    if (found === undefined) return `path ${pathname} is not documented`;
    const { template, operation } = found;
    if (operation === undefined) return `${method} ${template} is not documented`;
    const response = operation.responses[status];
    if (response === undefined) return `${method} ${template} does not document status ${status}`;
    const requiredHeaders = status < 400 ? Object.keys(response.headers ?? {}) : [];
    const missing = requiredHeaders.find((name) => !headers.has(name));
    if (missing !== undefined) return `${method} ${template} ${status} has no ${missing} header`;
    const content = response.content ?? {};
    if (text === '' && (method === 'HEAD' || isDeepStrictEqual(content, {}))) return undefined;
    if (method === 'HEAD') return `HEAD ${template} has a body`;
    return findBodyViolation(received, found, content) ?? findNameViolation(response.description, received);
  };

  return { findOperation, findViolation, findSchemaViolation };
}

// The description of a status lists the names of its errors.
function findNameViolation(description: string, { status, text }: ReceivedResponse): string | undefined {
  if (status < 400) return undefined;
  const { name } = JSON.parse(text) as Problem;
  return description.includes(`\`${name}\`:`) ? undefined : `${name} is not documented: ${text}`;
}
