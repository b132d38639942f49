import type { Problem } from '@badge/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

type Content = Record<
  string,
  { schema?: object; example?: unknown; examples?: Record<string, { $ref: string }> }
>;
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; example?: unknown; schema: object }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { examples: Record<string, { value: Problem }> };
}

let service: TestService;
let document: Document;
let operations: { path: string; method: string; operation: Operation }[];
let findViolation: (schema: object, value: unknown) => string | null;

beforeAll(async () => {
  service = await startTestService();
  document = (await (await service.call('/openapi.json')).json()) as Document;
  operations = Object.entries({ ...document.paths, ...document.webhooks }).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false, logger: false }));
  ajv.addFormat('text', (text: string) => text.isWellFormed() && !text.includes('\0'));
  // References begin with `#`, so each schema is compiled inside of the document.
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  findViolation = (schema, value) => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile({ ...schema, components: document.components });
    compiled.set(text, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
});
afterAll(async () => await service.stop());

const contentsOf = ({ operationId, requestBody, responses }: Operation) => [
  { title: `the body of ${operationId}`, content: requestBody?.content ?? {} },
  ...Object.entries(responses).map(([status, { content = {} }]) => ({
    title: `${status} of ${operationId}`,
    content,
  })),
];

test('every body and every response that is text has a valid example', () => {
  const contents = operations.flatMap(({ operation }) => contentsOf(operation));
  const wrong = contents.flatMap(({ title, content }) =>
    Object.entries(content).flatMap(([type, { schema = {}, example, examples }]) => {
      if (/^(image|video)\//.test(type)) return [];
      if (examples === undefined) return [{ title, violation: findViolation(schema, example) }];
      return Object.values(examples).map(({ $ref }) => {
        const value = document.components.examples[$ref.split('/').at(-1) ?? '']?.value;
        return { title, violation: findViolation(schema, value) };
      });
    }),
  );
  expect(wrong.length).toBeGreaterThan(500);
  expect(wrong.filter(({ violation }) => violation !== null)).toEqual([]);
});

test('every parameter of a path has a valid example', () => {
  const parameters = operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).filter((parameter) => parameter.in === 'path'),
  );
  expect(parameters.length).toBeGreaterThan(50);
  for (const { name, schema, example } of parameters) {
    expect([name, findViolation(schema, example)]).toEqual([name, null]);
  }
});

// What the examples lack in a new sandbox in which only they were sent, in the order of the document.
const REFUSALS: Record<string, string> = {
  renewToken: 'TokenNotOwned',
  replaceToken: 'TokenNotFound',
  revokeToken: 'TokenNotOwned',
  reinstateToken: 'TokenNotRevoked',
  moveToken: 'TokenNotOwned',
  addContributors: 'AllowlistMismatch',
  removeContributors: 'AllowlistMismatch',
  updateClaimLink: 'ClaimLinkNotFound',
  updateInvitation: 'InvitationNotFound',
  updateRecipient: 'RecipientNotFound',
  createReservation: 'ClaimCodeInvalid',
  confirmReservation: 'ConfirmationCodeInvalid',
  confirmResubscription: 'ConfirmationCodeInvalid',
  communityAdminAirdrop: 'NotCommunityAdmin',
  communityAdminAirdropWithoutConsentSig: 'NotCommunityAdmin',
  updateWebhook: 'WebhookNotFound',
  // The message has to be that of a challenge.
  signIn: 'InvalidRequest',
  // It needs a session.
  moveBadges: 'ApiKeyNotAllowed',
};

test('every example of a body is accepted by a sandbox, or refused for what it lacks', async () => {
  const withBody = operations.filter(
    ({ path, operation }) => path.startsWith('/') && operation.requestBody?.content['application/json'],
  );
  expect(withBody.length).toBeGreaterThan(25);
  const outcomes: Record<string, string | number> = {};
  for (const { path, method, operation } of withBody) {
    const { parameters = [], requestBody } = operation;
    const url = path.replaceAll(/\{(\w+)\}/g, (_match, name) =>
      String(parameters.find((parameter) => parameter.name === name)?.example),
    );
    const response = await service.call(url, {
      method: method.toUpperCase(),
      key: service.adminKey,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(requestBody?.content['application/json']?.example),
    });
    const location = response.headers.get('location');
    if (response.status === 202 && location) await service.call(`${location}?wait=30`);
    if (response.ok) continue;
    outcomes[operation.operationId] = ((await response.json()) as Problem).name;
  }
  expect(outcomes).toEqual(REFUSALS);
});
