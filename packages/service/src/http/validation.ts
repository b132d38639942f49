import { type Fault, isText } from '@badge/protocol';
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';

// Nothing is coerced, removed or filled in: bodies are signed data.
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addFormat('text', isText);
ajv.addFormat('uri', true);
ajv.addFormat('uuid', true);
ajv.addFormat('date-time', true);

/** Compiles route schemas: bodies as they are, queries from their texts. */
export const validatorCompiler: FastifySchemaCompiler<FastifySchema & { properties?: object }> = ({
  schema,
  httpPart,
}) => {
  const validate = ajv.compile(schema);
  if (httpPart !== 'querystring') return validate;
  const properties = (schema.properties ?? {}) as Record<string, { type?: string; default?: unknown }>;
  return (query: Record<string, unknown>) => {
    const value = readQuery(query, properties);
    return validate(value)
      ? { value }
      : { error: Object.assign(new Error(), { validation: validate.errors ?? [] }) };
  };
};

// An empty parameter means its default, and only plain decimal digits are an integer (contract section 3).
function readQuery(
  query: Record<string, unknown>,
  properties: Record<string, { type?: string; default?: unknown }>,
) {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const text = query[name];
      if (text === undefined || text === '')
        return property.default === undefined ? [] : [[name, property.default]];
      const isDecimal = typeof text === 'string' && /^-?\d+$/.test(text);
      return [[name, property.type === 'integer' && isDecimal ? Number(text) : text]];
    }),
  );
}

/** The faults that validation found, as `errors` lists them. */
export function toFaults(error: { validation?: unknown; validationContext?: string | undefined }): Fault[] {
  const errors = (error.validation ?? []) as ErrorObject[];
  return errors.map((fault) => {
    const detail = describe(fault);
    const path =
      fault.keyword === 'required'
        ? `${fault.instancePath}/${escapePointer(fault.params.missingProperty)}`
        : fault.instancePath;
    if (error.validationContext === 'body') return { pointer: path, detail };
    return { parameter: path.split('/')[1] ?? '', detail };
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
