import fc, { type Arbitrary } from 'fast-check';
import type { Body, OpenApiDocument, Schema } from '../shapes.ts';
import { type ApiOperation, encodeRequest, type UnencodedRequest } from './encode-request.ts';
import { encodedMutations, fieldMutationsOf, toAsciiPath } from './mutations.ts';
import { recipes } from './recipes.ts';
import type { GeneratedRequest } from './send.ts';
import type { TestData } from './test-data.ts';
import { arbitraryOf } from './values.ts';

/** The kinds of generated requests: valid, valid with one change, random, and with another method. */
export const kinds = ['valid', 'changed', 'random', 'method'] as const;
export type Kind = (typeof kinds)[number];

/** What fast-check generates: a function that builds a request with ids and signatures of the test data. */
export type Plan = (data: TestData) => Promise<GeneratedRequest>;

const keyForms = [
  'operator',
  'community',
  'basic',
  'otherCommunity',
  'wrong',
  'empty',
  'two',
  'none',
] as const;
type KeyForm = (typeof keyForms)[number];
const validKeyForms: Arbitrary<KeyForm> = fc.constantFrom('operator', 'operator', 'community', 'basic');
const otherMethods = ['PUT', 'TRACE', 'HEAD', 'OPTIONS', 'POST', 'GET', 'PATCH', 'DELETE'];

export function readOperations(document: OpenApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [content] = Object.entries(operation.requestBody?.content ?? {});
      const [contentType = null, media] = content ?? [];
      return { ...operation, method, template, contentType, bodySchema: media?.schema ?? null };
    }),
  );
}

/** Generates requests of one kind to an operation. */
export function planFor(operation: ApiOperation, kind: Kind, document: OpenApiDocument): Arbitrary<Plan> {
  const valid = generateValid(operation, kind, document);
  if (kind === 'valid') return valid.map((build) => async (data) => encodeRequest(await build(data)));
  if (kind === 'method') {
    return fc.tuple(valid, fc.constantFrom(...otherMethods)).map(([build, method]) => async (data) => ({
      ...encodeRequest(await build(data)),
      // No operation has the method TRACE.
      method: method.toLowerCase() === operation.method ? 'TRACE' : method,
    }));
  }
  if (kind === 'random') return randomPlan(operation, valid);
  const change: Arbitrary<(unencoded: UnencodedRequest) => GeneratedRequest> = fc.oneof(
    fieldMutationsOf(operation).map(
      (mutate) => (unencoded: UnencodedRequest) => encodeRequest(mutate(unencoded)),
    ),
    encodedMutations.map((mutate) => (unencoded: UnencodedRequest) => mutate(encodeRequest(unencoded))),
  );
  return fc.tuple(valid, change).map(([build, encodeChanged]) => async (data) => {
    return encodeChanged(await build(data));
  });
}

/**
 * Generates requests with a random query and, unless the method is GET, a random body. Half of them also have
 * random path parameters. Each has one of the `encodedMutations` too.
 */
function randomPlan(
  operation: ApiOperation,
  valid: Arbitrary<(data: TestData) => Promise<UnencodedRequest>>,
): Arbitrary<Plan> {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const random = fc.record({
    body: fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.uint8Array(),
      text,
    ),
    segment: fc.oneof(text, fc.constantFrom('0', '%zz', '..', '~')),
    isPathRandom: fc.boolean(),
    query: fc.oneof(
      fc.constant(''),
      text.map((value) => `?${value}`),
      fc.webQueryParameters().map((query) => `?${query}`),
    ),
  });
  return fc.tuple(valid, random, encodedMutations).map(([build, drawn, mutation]) => async (data) => {
    const request = encodeRequest(await build(data));
    const randomPath = operation.template.replace(/\{[^}]+\}/g, () => drawn.segment);
    const path = drawn.isPathRandom ? randomPath : request.path.replace(/\?.*/s, '');
    const body = operation.method === 'get' ? null : Buffer.from(drawn.body);
    return mutation({ ...request, path: toAsciiPath(path + drawn.query), body });
  });
}

/** Generates valid requests. If the kind is not `valid`, their API key can be wrong or missing. */
function generateValid(operation: ApiOperation, kind: Kind, document: OpenApiDocument) {
  const valuesOf = (place: string) => {
    const parameters = operation.parameters?.filter((parameter) => parameter.in === place) ?? [];
    const values = parameters.map(({ name, schema }) => [name, arbitraryOf(schema, document)]);
    const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
    return fc.record<Record<string, unknown>>(Object.fromEntries(values), { requiredKeys });
  };
  const noBody: Schema = { type: 'null' };
  return fc
    .record({
      idChoice: fc.nat(),
      params: valuesOf('path'),
      query: valuesOf('query'),
      // Most requests have none of the documented headers.
      headers: fc.oneof(fc.constant({}), fc.constant({}), valuesOf('header')),
      body: arbitraryOf(operation.bodySchema ?? noBody, document),
      keyForm: keyFormOf(kind),
    })
    .map(
      ({ idChoice, params, query, headers, body, keyForm }) =>
        async (data: TestData): Promise<UnencodedRequest> => {
          const idsOf = (name: string) =>
            name === 'tokenId' && operation.method === 'get' ? data.readableTokens : data.ids[name];
          // Path parameters get ids of existing data, if there are any.
          const pathParams = Object.entries(params).map(([name, drawn]) => {
            const ids = idsOf(name) ?? [];
            return [name, ids[idChoice % ids.length] ?? String(drawn)] as const;
          });
          const unencoded: UnencodedRequest = {
            operation,
            params: Object.fromEntries(pathParams),
            query: Object.entries(query).map(([name, value]) => [name, String(value)]),
            headers: { ...(headers as Record<string, string>), ...keyHeaders(data, keyForm) },
            body,
          };
          const recipe = recipes[operation.operationId];
          return recipe === undefined
            ? unencoded
            : { ...unencoded, ...(await recipe(data, unencoded, body as Body)) };
        },
    );
}

function keyFormOf(kind: Kind): Arbitrary<KeyForm> {
  if (kind === 'valid') return validKeyForms;
  if (kind === 'random') return fc.constantFrom(...keyForms);
  return fc.oneof(
    { weight: 5, arbitrary: validKeyForms },
    { weight: 1, arbitrary: fc.constantFrom(...keyForms) },
  );
}

function keyHeaders(data: TestData, form: KeyForm): Record<string, string> {
  const { operator, community, otherCommunity, basic } = data.keys;
  if (form === 'none') return {};
  if (form === 'empty') return { 'X-API-Key': '' };
  if (form === 'wrong') return { 'X-API-Key': `${community.slice(0, -1)}!` };
  if (form === 'two') return { Authorization: `Bearer ${operator}`, 'X-API-Key': operator };
  if (form === 'basic') return { Authorization: `Basic ${basic}` };
  return form === 'operator'
    ? { Authorization: `Bearer ${operator}` }
    : { 'X-API-Key': { community, otherCommunity }[form] };
}
