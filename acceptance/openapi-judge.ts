import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DocumentedOperation, MediaType, OpenApiDocument, Problem } from './shapes.ts';

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

/** The document with every object closed: an answer's field that it does not name is a fault. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closeObjects(child)]));
  return closed.type === 'object' && 'properties' in closed
    ? { additionalProperties: false, ...closed }
    : closed;
}

export interface Judged {
  method: string;
  pathname: string;
  status: number;
  headers: Headers;
  text: string;
}

export interface FoundOperation {
  method: string;
  template: string;
  /** Undefined where the path has no such method. */
  operation: DocumentedOperation | undefined;
}

/** Tells whether an answer is one that the service's OpenAPI document announces. */
export class OpenApiJudge {
  readonly #document: OpenApiDocument;
  readonly #templates: Template[];
  readonly #ajv = addFormats.default(
    new Ajv2020({ strict: false, validateSchema: false, allErrors: true, logger: false }),
  );
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addFormat('text', (value: string) => value.isWellFormed() && !value.includes('\0'));
    this.#ajv.addSchema(document, 'open');
    this.#ajv.addSchema(closeObjects(document) as OpenApiDocument, 'closed');
    this.#templates = Object.keys(document.paths)
      .map(readTemplate)
      .sort((a, b) => a.parameterCount - b.parameterCount);
  }

  /** The operation that a request calls, or undefined for a path that is not documented; HEAD calls the GET. */
  findOperation(method: string, pathname: string): FoundOperation | undefined {
    const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.text;
    if (template === undefined) return undefined;
    const documented = method === 'HEAD' ? 'get' : method.toLowerCase();
    return { method: documented, template, operation: this.#document.paths[template]?.[documented] };
  }

  /** The fault of the answer, or undefined when it is as documented. */
  findFault(judged: Judged): string | undefined {
    const { method, pathname, status, headers, text } = judged;
    const found = this.findOperation(method, pathname);
    if (found === undefined) return `path ${pathname} is not documented`;
    const { template, operation } = found;
    if (operation === undefined) return `${method} ${template} is not documented`;
    const response = operation.responses[status];
    if (response === undefined) return `${method} ${template} does not document status ${status}`;
    const missing = Object.keys(response.headers ?? {}).find((name) => status < 400 && !headers.has(name));
    if (missing !== undefined) return `${method} ${template} ${status} has no ${missing}`;
    const content = response.content ?? {};
    if (text === '' && (method === 'HEAD' || isDeepStrictEqual(content, {}))) return undefined;
    if (method === 'HEAD') return `HEAD ${template} is answered with a body`;
    return this.#findBodyFault(judged, found, content) ?? findNameFault(response.description, judged);
  }

  #findBodyFault(
    { status, headers, text }: Judged,
    { method, template }: FoundOperation,
    content: Record<string, MediaType>,
  ): string | undefined {
    const title = `${method} ${template} ${status}`;
    const actualType = (headers.get('content-type') ?? '').replace(/;.*$/, '').trim().toLowerCase();
    const documentedType = [actualType, actualType.replace(/\/.*/, '/*')].find((type) => type in content);
    if (documentedType === undefined) return `${title} does not document content type "${actualType}"`;
    if (!/[/+]json$/.test(actualType)) return undefined;
    if (content[documentedType]?.schema === undefined) return `${title} has no schema`;
    const keys = [
      'paths',
      template,
      method,
      'responses',
      String(status),
      'content',
      documentedType,
      'schema',
    ];
    const fault = this.findSchemaFault(pointerTo(...keys), JSON.parse(text), 'closed');
    return fault && `${title} does not fit its schema: ${fault}\n${text}`;
  }

  /** What of a value does not fit a schema of the document, in which objects are as `open` as written or `closed`. */
  findSchemaFault(pointer: string, value: unknown, objects: 'open' | 'closed'): string | undefined {
    const reference = `${objects}${pointer}`;
    const validate = this.#validators.get(reference) ?? this.#ajv.compile({ $ref: reference });
    this.#validators.set(reference, validate);
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
  }
}

// A problem's name is one of those that the description of its status lists.
function findNameFault(description: string, { status, text }: Judged): string | undefined {
  if (status < 400) return undefined;
  const { name } = JSON.parse(text) as Problem;
  return description.includes(`\`${name}\`:`) ? undefined : `${name} is not documented: ${text}`;
}
