import fc, { type Arbitrary } from 'fast-check';
import type { Body, OpenApiDocument, Schema } from '../shapes.ts';
import { type Documented, type Draft, encode } from './drafts.ts';
import { draftMutations, toWirePath, wireMutations } from './mutations.ts';
import { recipes } from './recipes.ts';
import type { GeneratedRequest } from './send.ts';
import { arbitraryOf } from './values.ts';
import type { World } from './world.ts';

/** Right requests; right ones with something changed; anything; and other methods. */
export const kinds = ['right', 'changed', 'wild', 'method'] as const;
export type Kind = (typeof kinds)[number];

/** What fast-check draws: it becomes a request when the world's ids and signatures are put in. */
export type Plan = (world: World) => Promise<GeneratedRequest>;

const keyForms = ['operator', 'community', 'basic', 'foreign', 'wrong', 'empty', 'two', 'none'] as const;
type KeyForm = (typeof keyForms)[number];
const rightForms: Arbitrary<KeyForm> = fc.constantFrom('operator', 'operator', 'community', 'basic');
const otherMethods = ['PUT', 'TRACE', 'HEAD', 'OPTIONS', 'POST', 'GET', 'PATCH', 'DELETE'];

export function readOperations(document: OpenApiDocument): Documented[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [content] = Object.entries(operation.requestBody?.content ?? {});
      const [contentType = null, media] = content ?? [];
      return { ...operation, method, template, contentType, bodySchema: media?.schema ?? null };
    }),
  );
}

/** The plans of one kind of requests to an operation. */
export function planFor(operation: Documented, kind: Kind, document: OpenApiDocument): Arbitrary<Plan> {
  const right = draftOf(operation, kind, document);
  if (kind === 'right') return right.map((draft) => async (world) => encode(await draft(world)));
  if (kind === 'method') {
    return fc.tuple(right, fc.constantFrom(...otherMethods)).map(([draft, method]) => async (world) => ({
      ...encode(await draft(world)),
      method: method.toLowerCase() === operation.method ? 'PUT' : method,
    }));
  }
  if (kind === 'wild') return wildPlan(operation, right);
  return fc
    .tuple(
      right,
      fc.oneof(
        draftMutations,
        wireMutations.map((mutation) => ({ mutation })),
      ),
    )
    .map(
      ([draft, change]) =>
        async (world) =>
          'mutation' in change
            ? change.mutation(encode(await draft(world)))
            : encode(change(await draft(world))),
    );
}

function wildPlan(
  operation: Documented,
  right: Arbitrary<(world: World) => Promise<Draft>>,
): Arbitrary<Plan> {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const wild = fc.record({
    body: fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.uint8Array(),
      text,
    ),
    segment: fc.oneof(text, fc.constantFrom('0', '%zz', '..', '~')),
    isPathWild: fc.boolean(),
    query: fc.oneof(
      fc.constant(''),
      text.map((value) => `?${value}`),
      fc.webQueryParameters().map((q) => `?${q}`),
    ),
  });
  return fc.tuple(right, wild, wireMutations).map(([draft, drawn, mutation]) => async (world) => {
    const request = encode(await draft(world));
    const template = operation.template.replace(/\{[^}]+\}/g, () => drawn.segment);
    const path = drawn.isPathWild ? template : request.path.replace(/\?.*/s, '');
    const body = request.body === null && operation.method === 'get' ? null : Buffer.from(drawn.body);
    return mutation({ ...request, path: toWirePath(path + drawn.query), body });
  });
}

function draftOf(operation: Documented, kind: Kind, document: OpenApiDocument) {
  const valuesOf = (place: string) => {
    const parameters = operation.parameters?.filter((parameter) => parameter.in === place) ?? [];
    const values = parameters.map(({ name, schema }) => [name, arbitraryOf(schema, document)]);
    const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
    return fc.record<Record<string, unknown>>(Object.fromEntries(values), { requiredKeys });
  };
  const noBody: Schema = { type: 'null' };
  return fc
    .record({
      pick: fc.nat(),
      params: valuesOf('path'),
      query: valuesOf('query'),
      headers: fc.oneof(fc.constant({}), fc.constant({}), valuesOf('header')),
      body: arbitraryOf(operation.bodySchema ?? noBody, document),
      keyForm: kind === 'wild' ? fc.constantFrom(...keyForms) : keyFormOf(kind),
    })
    .map(({ pick, params, query, headers, body, keyForm }) => async (world: World): Promise<Draft> => {
      const idsOf = (name: string) =>
        name === 'tokenId' && operation.method === 'get' ? world.readableTokens : world.ids[name];
      const named = Object.entries(params).map(([name, drawn]) => {
        const ids = idsOf(name) ?? [];
        return [name, ids[pick % ids.length] ?? String(drawn)] as const;
      });
      const draft: Draft = {
        operation,
        params: Object.fromEntries(named),
        query: Object.entries(query).map(([name, value]) => [name, String(value)]),
        headers: { ...(headers as Record<string, string>), ...keyHeaders(world, keyForm) },
        body,
      };
      const recipe = recipes[operation.operationId];
      return recipe === undefined ? draft : { ...draft, ...(await recipe(world, draft, body as Body)) };
    });
}

function keyFormOf(kind: Kind): Arbitrary<KeyForm> {
  if (kind === 'right') return rightForms;
  return fc.oneof(
    { weight: 5, arbitrary: rightForms },
    { weight: 1, arbitrary: fc.constantFrom(...keyForms) },
  );
}

function keyHeaders(world: World, form: KeyForm): Record<string, string> {
  const { operator, community, foreign, basic } = world.keys;
  if (form === 'none') return {};
  if (form === 'empty') return { 'X-API-Key': '' };
  if (form === 'wrong') return { 'X-API-Key': `${community.slice(0, -1)}!` };
  if (form === 'two') return { Authorization: `Bearer ${operator}`, 'X-API-Key': operator };
  if (form === 'basic') return { Authorization: `Basic ${basic}` };
  return form === 'operator'
    ? { Authorization: `Bearer ${operator}` }
    : { 'X-API-Key': { community, foreign }[form] };
}
