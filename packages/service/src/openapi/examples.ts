import { ERRORS, type ErrorName } from '@badge/protocol';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const OTHER_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const UUID = '3f2b1c9a-6d54-4e8b-9a07-5c1d2e3f4a5b';
const CREATED_AT = Date.UTC(2026, 0, 15, 9, 30);
const EXPIRES_AT = Date.UTC(2100, 0);
/** Wherever it stands for an id, a request with it fails with a 404, which is the right response. */
const PATH_EXAMPLES: Record<string, Json> = {
  tokenId: 1,
  communityId: 'demo',
  address: ADDRESS,
  nftTypeId: 'defaultOrangeRed',
  exportId: '1',
  importId: '1',
  id: 'defaultOrangeRed',
  extension: 'png',
  listId: UUID,
};

/** Examples of fields, by their names. Fields that are not here get what their schema says. */
const FIELD_EXAMPLES: Record<string, Json> = {
  adminSignature: '0x…',
  apiKey: 'badge_sandbox_…',
  author_name: 'Demo',
  category: 'Speaker',
  claimCode: '7K2M-9QPD',
  code: '7K2M-9QPD',
  communityId: 'demo',
  communityUniqId: 'demo',
  confirmationCode: '9f3c…',
  contributor: 'ada@example.org',
  contributors: ['ada@example.org'],
  creator: ADDRESS,
  criteria: 'Gave a talk of at least 20 minutes.',
  description: 'For the speakers of the conference of 2026.',
  did: 'did:key:z6Mk…',
  displayId: 'demo',
  email: 'ada@example.org',
  external_url: 'https://badge.example/token/1',
  fieldName: 'track',
  headline: 'Speaker 2026',
  identifier: 'ada@example.org',
  image: 'https://badge.example/images/token/1.png',
  imageUrl: 'https://badge.example/images/token/1.png',
  links: ['https://example.org/talks'],
  logoUrl: 'https://badge.example/images/logo.png',
  message: 'Thank you for your talk!',
  nftTypeId: 'defaultOrangeRed',
  prefix: 'badge_sandbox_9reVI8',
  provider_name: 'Badge',
  reason: 'Given to the wrong person.',
  replacedByTokenId: 2,
  replacementTokenId: 2,
  secret: 'whsec_…',
  sessionToken: 'badge_session_…',
  signature: '0x…',
  subject: 'Your badge: Speaker 2026',
  title: 'Speaker 2026',
  trait_type: 'track',
  version: '1.0.0',
};

// The creator in the example of `createToken` has signed these for the sandbox and the token 1. The example
// creates this token in a new sandbox. Elsewhere, they are refused with the error that says so.
const SIGNED = {
  claim:
    '0xa0338f9554e3fa8292301bd97c8e4c40bf8a26e259bd7c6c89589756b2579bf669a4d3ed4ab21dd881a54215b965e3bd71cb00cd91bf7436a5b80c987f125bb61c',
  burn: '0x3678c983419d31ced223fcee340c5ee05c307b846c5fbcce9c4a644b51f440477af2c29f75fbeed37e4a4f5ad3460cea7d6196c672a4cd2d63b61b843f1acaad1c',
  allowlist:
    '0x88bcf848eeb9256aad027fa67c9829959655bf8ac84f84269bb8e11fedb6e8ab027460a7e1690b8214fdca465c3d95cadf23b2542c953f518c217848d791a0221c',
  airdrop:
    '0x7ec8814d9bc7c65597842e80ad461efe8d804279a8944ff0d890a2a4c90b0b24071ef62d88a9d01304f4308ad2ef443f115002be63a189b05d86e7ac87f0338e1c',
  consent:
    '0xb0b27280914787d06eb3952a3589cefbaf8fc56d80ad78ab681fb5942619a011747dc0610129e239df10c16f9bcee5342046fa8ae35d594f98c26c19f4e3997b1c',
};

/** Examples of whole schemas, by their titles, whose fields depend on each other. */
const SCHEMA_EXAMPLES: Record<string, JsonObject> = {
  AddContributorsBody: { contributors: ['ada@example.org'], signature: SIGNED.allowlist },
  AirdropBody: { address: OTHER_ADDRESS },
  BurnBody: { burningAddress: ADDRESS, signature: SIGNED.burn },
  ClaimBody: { claimingAddress: ADDRESS, signature: SIGNED.claim },
  CommunityAdminAirdropBody: {
    receivingAddress: ADDRESS,
    adminAddress: ADDRESS,
    adminSignature: SIGNED.airdrop,
    receiverSignature: SIGNED.consent,
  },
  CommunityAdminAirdropWithoutConsentSigBody: {
    receivingAddress: ADDRESS,
    adminAddress: ADDRESS,
    adminSignature: SIGNED.airdrop,
  },
  CreateClaimLinksBody: { count: 1 },
  CreateCommunityBody: { displayId: 'my-dao', name: 'My DAO' },
  CreateInvitationsBody: {
    recipients: [{ email: 'ada@example.org', name: 'Ada', language: 'en' }],
    message: 'Thank you for your talk!',
  },
  CreateResubscriptionBody: { email: 'ada@example.org', language: 'en' },
  CreateEmailChallengeBody: { email: 'ada@example.org', language: 'en', returnPath: '/token/1' },
  CreateSignInChallengeBody: { address: ADDRESS },
  CreateWebhookBody: {
    url: 'https://example.org/badge-events',
    name: 'Our backend',
    events: ['badge.claimed'],
  },
  CreateApiKeyBody: { name: 'Our backend', role: 'editor' },
  CreateReservationBody: { email: 'ada@example.org', claimCode: '7K2M-9QPD', language: 'en' },
  ImportForm: { file: '(the bytes of the file)', format: 'csv', isDryRun: 'true' },
  MoveBody: { toAddress: OTHER_ADDRESS, reason: 'Lost the old wallet.' },
  NewExport: { people: 'none' },
  NftTypeForm: { assetFile: '(the bytes of the file)', name: 'Our design' },
  PreviewInvitationBody: { name: 'Ada', language: 'en', message: 'Thank you for your talk!' },
  RotateIssuerKeyBody: { isSeedReplaced: false },
  SignWithManagedCreatorBody: {
    primaryType: 'Badge',
    message: {
      headline: 'Speaker 2026',
      description: '',
      startDateTimestamp: 0,
      endDateTimestamp: 0,
      links: [],
      communityUniqId: 'demo',
      isSignatureRequired: false,
      isAllowlistRequired: false,
      totalClaimCount: 100,
      expirationTimestamp: 0,
    },
  },
  SetMemberBody: { role: 'issuer' },
  SignInBody: { message: 'The message of the challenge', signature: SIGNED.claim },
  UpdateClaimLinkBody: { isPaused: true },
  UpdateCommunityBody: { description: 'The community of the examples.' },
  UpdateInvitationBody: { sendAtTimestamp: null },
  UpdateTokenBody: { isHidden: false },
  UpdateWebhookBody: { isEnabled: true },
};

/** Fields of derived examples that depend on other fields, by the titles of schemas. */
const FIXED_FIELDS: Record<string, JsonObject> = {
  BadgeImport: { status: 'success', isDryRun: false, error: null, plan: null },
  CallerDescription: { kind: 'apiKey', address: null },
  CommunityExport: { status: 'success', error: null, percent: 100 },
  Invitation: { status: 'sent', error: null },
  Mail: { html: '<p>…</p>', text: '…' },
  Operation: { status: 'success', resourceId: 1, txHash: null, error: null, warnings: [] },
  Webhook: { isEnabled: true, disabledReason: null, failingSinceTimestamp: null },
  WebhookWithSecret: { isEnabled: true, disabledReason: null, failingSinceTimestamp: null },
};

interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  const?: Json;
  enum?: Json[];
  default?: Json;
  examples?: Json[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}
type Schemas = Record<string, Schema>;

/** Returns a valid example of a schema. `name` is the name of the field that has it. */
function exampleOf(schema: Schema, schemas: Schemas, name = ''): Json {
  if (schema.$ref !== undefined) {
    const title = schema.$ref.split('/').at(-1) ?? '';
    const target = schemas[title];
    if (target === undefined) throw new Error(`the document has no ${schema.$ref}`);
    const whole = SCHEMA_EXAMPLES[title];
    if (whole !== undefined) return whole;
    const example = exampleOf(target, schemas, name);
    return FIXED_FIELDS[title] === undefined
      ? example
      : { ...(example as JsonObject), ...FIXED_FIELDS[title] };
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative !== undefined) return exampleOf(alternative, schemas, name);
  const [type] = [schema.type ?? 'object'].flat();
  const known = FIELD_EXAMPLES[name];
  if (known !== undefined && isOfType(known, type) && schema.enum === undefined) return known;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, field]) => [key, exampleOf(field, schemas, key)]),
      );
    case 'array':
      return [exampleOf(schema.items ?? {}, schemas, name.replace(/s$/, ''))];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return exampleNumber(schema, name);
    case 'null':
      return null;
    default:
      return exampleText(schema, name);
  }
}

const isOfType = (value: Json, type: string | undefined) =>
  type === (Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : typeof value);

function exampleNumber(
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, default: usual }: Schema,
  name: string,
): number {
  if (name.endsWith('Timestamp')) return /expir|end|next|until/i.test(name) ? EXPIRES_AT : CREATED_AT;
  if (typeof usual === 'number') return usual;
  return Math.min(Math.max(minimum, 1), maximum);
}

function exampleText({ format, pattern }: Schema, name: string): string {
  if (format === 'uuid') return UUID;
  if (format === 'uri') return 'https://badge.example/';
  if (format === 'date-time') return new Date(CREATED_AT).toISOString();
  if (pattern?.startsWith('^0x') || /address$/i.test(name)) return ADDRESS;
  return name === 'name' ? 'Ada' : 'text';
}

/** The example of an error, as the response of a request. */
function exampleOfError(name: ErrorName): JsonObject {
  const { status, title, meaning } = ERRORS[name];
  return {
    type: `https://badge.example/docs/errors#${name}`,
    title,
    status,
    detail: meaning,
    instance: `urn:uuid:${UUID}`,
    name,
    error: meaning,
    ...(name === 'InvalidRequest' && { errors: [{ pointer: '/headline', detail: 'is required' }] }),
    ...(name === 'TokenReplaced' && { replacedByTokenId: 2 }),
  };
}

interface MediaType {
  schema?: Schema;
  example?: Json;
  examples?: JsonObject;
}
type Content = Record<string, MediaType>;
interface Operation {
  parameters?: { name: string; in: string; example?: Json; schema?: Schema }[];
  requestBody?: { content?: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
}
interface Document {
  paths?: object;
  webhooks?: object;
  components?: { schemas?: object };
}

/**
 * Adds an example to each body, to each response that is text, and to each parameter of a path; errors share
 * theirs.
 */
export function addExamples<D extends Document>(document: D): D {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const errors = new Set<ErrorName>();
  const pathItems = { ...document.paths, ...document.webhooks } as Record<string, Record<string, Operation>>;
  for (const operation of Object.values(pathItems).flatMap((item) => Object.values(item))) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'path') parameter.example = PATH_EXAMPLES[parameter.name] ?? UUID;
    }
    addContentExamples(operation.requestBody?.content ?? {}, schemas);
    for (const { description = '', content = {} } of Object.values(operation.responses ?? {})) {
      const problem = content['application/problem+json'];
      if (problem === undefined) {
        addContentExamples(content, schemas);
        continue;
      }
      // The description names the errors that have this status.
      const names = [...description.matchAll(/^`(\w+)`:/gm)].map(([, name]) => name as ErrorName);
      for (const name of names) errors.add(name);
      problem.examples = Object.fromEntries(
        names.map((name) => [name, { $ref: `#/components/examples/${name}` }]),
      );
    }
  }
  const examples = Object.fromEntries(
    [...errors].map((name) => [name, { summary: ERRORS[name].title, value: exampleOfError(name) }]),
  );
  return { ...document, components: { ...document.components, examples } };
}

function addContentExamples(content: Content, schemas: Schemas): void {
  for (const [type, media] of Object.entries(content)) {
    if (media.schema === undefined || media.example !== undefined) continue;
    if (type === 'text/csv') media.example = 'address,claimedAtTimestamp\r\n';
    else if (type === 'text/plain') media.example = '# TYPE badge_up gauge\nbadge_up 1\n';
    else if (!/^(image|video)\//.test(type)) media.example = exampleOf(media.schema, schemas);
  }
}
