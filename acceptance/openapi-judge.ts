import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { MediaType, OpenApiDocument } from './shapes.ts';

const documentId = 'openapi';
const escapeForRegExp = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
const escapeForPointer = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

interface Template {
  text: string;
  pattern: RegExp;
  parameterCount: number;
}

function readTemplate(text: string): Template {
  const pattern = escapeForRegExp(text).replace(/\{[^}]+\}/g, '[^/]+');
  return {
    text,
    pattern: new RegExp(`^${pattern}$`),
    parameterCount: text.split('{').length - 1,
  };
}

export interface Judged {
  method: string;
  pathname: string;
  status: number;
  contentType: string | null;
  text: string;
}

/** Tells whether an answer is one that the service's OpenAPI document announces. */
export class OpenApiJudge {
  readonly #document: OpenApiDocument;
  readonly #templates: Template[];
  readonly #ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    allErrors: true,
  });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(document, documentId);
    this.#templates = Object.keys(document.paths)
      .map(readTemplate)
      .sort((a, b) => a.parameterCount - b.parameterCount);
  }

  /** The fault of the answer, or undefined when it is as documented. */
  findFault({ method, pathname, status, contentType, text }: Judged): string | undefined {
    const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.text;
    if (template === undefined) return `path ${path} is not documented`;
    const operation = this.#document.paths[template]?.[method.toLowerCase()];
    if (operation === undefined) return `${method} ${template} is not documented`;
    const response = operation.responses[status];
    if (response === undefined) return `${method} ${template} does not document status ${status}`;
    const content = response.content ?? {};
    if (text === '' && Object.keys(content).length === 0) return undefined;

    const actualType = (contentType ?? '').replace(/;.*$/, '').trim().toLowerCase();
    const documentedType = [actualType, actualType.replace(/\/.*/, '/*')].find((type) => type in content);
    if (documentedType === undefined) {
      return `${method} ${template} ${status} does not document content type "${actualType}"`;
    }
    if (!/[/+]json$/.test(actualType)) return undefined;
    const media: MediaType = content[documentedType] ?? {};
    if (media.schema === undefined) return `${method} ${template} ${status} has no schema`;
    const keys = [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      documentedType,
    ];
    const validate = this.#validator(`#/${[...keys, 'schema'].map(escapeForPointer).join('/')}`);
    if (validate(JSON.parse(text))) return undefined;
    return `${method} ${template} ${status} does not fit its schema: ${this.#ajv.errorsText(validate.errors)}\n${text}`;
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer);
    if (known) return known;
    const validator = this.#ajv.compile({ $ref: `${documentId}${pointer}` });
    this.#validators.set(pointer, validator);
    return validator;
  }
}
