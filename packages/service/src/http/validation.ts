import { isText, type RequestError } from '@badge/protocol';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';

// Nothing is coerced, removed or filled in: bodies are signed data.
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addFormat('text', isText);
ajv.addFormat('uri', true);
ajv.addFormat('uuid', true);
ajv.addFormat('date-time', true);

/** Compiles route schemas: bodies as they are, queries from their texts. */
export const validatorCompiler: FastifySchemaCompiler<FastifySchema & Partial<QuerySchema>> = ({
  schema,
  httpPart,
}) => {
  const validate = ajv.compile(schema);
  if (httpPart !== 'querystring') return validate;
  const { properties = {}, additionalProperties } = schema;
  return (query: Record<string, unknown>) => {
    const value = readQuery(query, { properties, additionalProperties });
    return validate(value)
      ? { value }
      : { error: Object.assign(new Error(), { validation: validate.errors ?? [] }) };
  };
};

/** Compiles the schema of a body that is not JSON; the compiled function keeps the errors that it found last. */
export function compileBodySchema(schema: object): ValidateFunction {
  return ajv.compile(schema);
}

interface QuerySchema {
  properties: Record<string, { type?: string; default?: unknown }>;
  additionalProperties: object | undefined;
}

// An empty parameter means its default, and only plain decimal digits are an integer (contract section 3).
// A parameter that the schema does not name is dropped, unless it says what others must be: then it stays as it is.
function readQuery(query: Record<string, unknown>, { properties, additionalProperties }: QuerySchema) {
  const others = additionalProperties === undefined ? [] : Object.entries(query);
  return Object.fromEntries([
    ...others.filter(([name]) => !Object.hasOwn(properties, name)),
    ...Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
      const text = query[name];
      if (text === undefined || text === '')
        return property.default === undefined ? [] : [[name, property.default]];
      const isDecimal = typeof text === 'string' && /^(\d+|-0*[1-9]\d*)$/.test(text);
      return [[name, property.type === 'integer' && isDecimal ? Number(text) : text]];
    }),
  ]);
}

/** The errors that validation found, as `errors` lists them. */
export function toRequestErrors({
  validation,
  validationContext,
}: {
  validation?: unknown;
  validationContext?: string | undefined;
}): RequestError[] {
  return ((validation ?? []) as ErrorObject[]).map((error) => {
    const detail = describe(error);
    const path =
      error.keyword === 'required'
        ? `${error.instancePath}/${escapePointer(error.params.missingProperty)}`
        : error.instancePath;
    if (validationContext === 'body') return { pointer: path, detail };
    return { parameter: unescapePointer(path.split('/')[1] ?? ''), detail };
  });
}

function describe({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'format' && params.format === 'text') return 'must not contain NUL or a lone surrogate';
  if (keyword === 'pattern' && params.pattern.startsWith('^0x'))
    return 'must be an address: 0x and 40 hex digits';
  if (keyword === 'enum') return `must be one of: ${params.allowedValues.join(', ')}`;
  return message ?? 'is malformed';
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
