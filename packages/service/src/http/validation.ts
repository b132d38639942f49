import { type ParsedUrlQuery, parse } from 'node:querystring';
import { isText, type RequestError } from '@badge/protocol';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifyRequest, FastifySchema, FastifySchemaCompiler, RouteOptions } from 'fastify';
import { describeSchemaError } from '../domain/describe-schema-error.ts';
import { checkNoErrors, MAX_ERRORS } from '../domain/refusal.ts';
import { optionalCallerOf } from './auth.ts';

// Twice as many as the custom attributes of a token. Parsing a parameter takes about 0.5 µs, and the query is
// parsed for every path.
const MAX_QUERY_PARAMETERS = 100;
const TOO_MANY_PARAMETERS: ParsedUrlQuery = Object.freeze({});

// Ajv coerces, removes and fills in nothing, because bodies are signed data. `convertQuery` converts queries.
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addFormat('text', isText);

/**
 * Parses a query string. If it has too many parameters, returns `TOO_MANY_PARAMETERS`, which the validator of
 * a query rejects.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  const hasTooMany = text.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS;
  return hasTooMany ? TOO_MANY_PARAMETERS : parse(text);
}

/**
 * Lets `checkBodyRules` report the errors of the schema. With `attachValidation`, Fastify does not reject a
 * body that violates the schema, but stores the errors in `request.validationError`.
 */
export function deferBodyErrors(route: RouteOptions): void {
  if (route.config?.findBodyErrors !== undefined) route.attachValidation = true;
}

/** Validates a body by `findBodyErrors`. All errors are reported together, those of the schema too. */
export function checkBodyRules(request: FastifyRequest): void {
  const { routeOptions, validationError, body } = request;
  const { findBodyErrors } = routeOptions.config;
  if (findBodyErrors === undefined) return;
  const schemaErrors = validationError === undefined ? [] : toRequestErrors(validationError);
  const pointers = new Set(schemaErrors.map((error) => 'pointer' in error && error.pointer));
  // A value that violates the schema gets no further errors.
  const params = request.params as Record<string, string>;
  const ruleErrors = findBodyErrors(body, params, optionalCallerOf(request)).filter(
    (error) => !('pointer' in error && pointers.has(error.pointer)),
  );
  checkNoErrors([...schemaErrors, ...ruleErrors]);
}

/** Compiles the schemas of routes. Query parameters are converted to the types of the schema. */
export const validatorCompiler: FastifySchemaCompiler<FastifySchema & Partial<QuerySchema>> = ({
  schema,
  httpPart,
}) => {
  const validate = ajv.compile(schema);
  if (httpPart !== 'querystring') return validate;
  const { properties = {}, additionalProperties } = schema;
  return (query: Record<string, unknown>) => {
    if (query === TOO_MANY_PARAMETERS) {
      const message = `must NOT have more than ${MAX_QUERY_PARAMETERS} parameters`;
      return { error: Object.assign(new Error(), { validation: [{ instancePath: '/query', message }] }) };
    }
    const value = convertQuery(query, { properties, additionalProperties });
    return validate(value)
      ? { value }
      : { error: Object.assign(new Error(), { validation: validate.errors ?? [] }) };
  };
};

/**
 * Compiles the schema of a body that is not JSON. Each call of the returned function sets its property
 * `errors`.
 */
export function compileBodySchema(schema: object): ValidateFunction {
  return ajv.compile(schema);
}

interface QuerySchema {
  properties: Record<string, { type?: string; default?: unknown }>;
  additionalProperties: object | undefined;
}

// A known parameter that is empty counts as absent. Unknown parameters are dropped unless the schema has
// `additionalProperties`.
function convertQuery(query: Record<string, unknown>, { properties, additionalProperties }: QuerySchema) {
  const unknownParameters = Object.entries(query).filter(([name]) => !Object.hasOwn(properties, name));
  const converted = additionalProperties === undefined ? [] : unknownParameters;
  for (const [name, property] of Object.entries(properties)) {
    const text = query[name];
    if (text !== undefined && text !== '') {
      converted.push([name, property.type === 'integer' ? convertInteger(text) : text]);
    } else if (property.default !== undefined) converted.push([name, property.default]);
  }
  return Object.fromEntries(converted);
}

// A text that is not an integer stays as it is, so that the schema rejects it. Negative integers are
// converted too, so that their error is that they are too small. `-0` is not an integer here.
function convertInteger(text: unknown): unknown {
  const isInteger = typeof text === 'string' && /^(\d+|-0*[1-9]\d*)$/.test(text);
  return isInteger ? Number(text) : text;
}

/**
 * Converts errors of Ajv to request errors. Returns at most one error more than a response lists. The
 * additional error tells `checkNoErrors` that there are more.
 */
export function toRequestErrors({
  validation,
  validationContext,
}: {
  validation?: unknown;
  validationContext?: string | undefined;
}): RequestError[] {
  return ((validation ?? []) as ErrorObject[]).slice(0, MAX_ERRORS + 1).map((error) => {
    const detail = describeSchemaError(error);
    const { missingProperty, additionalProperty = missingProperty } = error.params ?? {};
    const path =
      additionalProperty === undefined
        ? error.instancePath
        : `${error.instancePath}/${escapePointer(additionalProperty)}`;
    if (validationContext === 'body') return { pointer: path, detail };
    return { parameter: unescapePointer(path.split('/')[1] ?? ''), detail };
  });
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
