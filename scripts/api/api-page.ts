import { ERRORS, type ErrorName } from '@badge/protocol';
import { FIELD_COMMENTS } from '../../packages/sdk/field-comments.ts';
import { anchorOf } from '../anchor-of.ts';
import { findObjects, isList, nameType, type Schema, toRows } from './schema-text.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}
interface Response {
  description?: string;
  content?: Record<string, { schema?: Schema }>;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> };
  responses: Record<string, Response>;
  'x-required-access'?: string;
}
export interface ApiDocument {
  info: { version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Call extends Operation {
  /** Such as `GET /v1/tokens/:tokenId`. */
  line: string;
}

/**
 * What every call, or every call with a key, a body or an Idempotency-Key, can return. The page names these
 * once.
 */
const COMMON_ERRORS: ErrorName[] = [
  'InvalidRequest',
  'ApiKeyRequired',
  'InvalidApiKey',
  'InvalidSession',
  'ApiKeyNotAllowed',
  'RoleNotAllowed',
  'RequestTimeout',
  'TooLarge',
  'UnsupportedMediaType',
  'IdempotencyKeyReused',
  'IdempotencyKeyInUse',
  'RateLimited',
  'HeadersTooLarge',
  'InternalError',
  'ChainUnavailable',
  'Unavailable',
];

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\n+/g, ' ');
const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const accessOf = (call: Call) => call['x-required-access']?.replace('the role ', '') ?? '–';

/** Writes docs/api.md: the calls of /openapi.json, by their tags. */
export function toApiPage(document: ApiDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Call => {
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
      return { ...operation, line: `${method.toUpperCase()} ${route}` };
    }),
  );
  const { schemas } = document.components;
  const groups = document.tags.map((tag) => ({
    ...tag,
    calls: calls.filter(({ tags }) => tags[0] === tag.name),
  }));
  const objects = findObjects(
    calls.flatMap(({ responses }) => Object.values(responses).map(schemaOf)),
    schemas,
  );
  const parts = [
    writeIntroduction(),
    writeCallTable(groups.flatMap((group) => group.calls)),
    ...groups.map(({ name, description, calls: ofTag }) =>
      [`## ${name}`, description, ...ofTag.map((call) => writeCall(call, schemas))].join('\n\n'),
    ),
    ['## Objects', 'What calls return, besides lists of it.', ...objects.map(writeObject)].join('\n\n'),
    writeErrors(),
  ];
  return `${parts.join('\n\n')}\n`;

  function writeObject(name: string): string {
    return [`### ${name}`, writeFields(schemas[name] ?? {}, schemas)].join('\n\n');
  }
}

function writeIntroduction(): string {
  return `# API reference

<!-- Written by \`npm run docs:api\` from the schemas of the routes. Change those. -->

Every call of the service: what it does, what it takes, what it returns and how it fails. What is true for all calls is in [the interface](interface.md): [requests and lists](interface.md#requests), [keys and roles](interface.md#authentication), [errors](interface.md#errors), [operations](interface.md#operations), [signatures](interface.md#signatures), [\`Idempotency-Key\`](interface.md#idempotency) and [limits](interface.md#rate-limits). \`/docs\` lets you try the calls in a browser, and \`/openapi.json\` describes them for programs.

- A field or a parameter that is not *optional* is required. For an optional field of a body, null means absent, unless the call says something else. A *text* contains neither NUL nor a lone surrogate; its length is in Unicode code points. An *address* is \`0x\` and 40 hex digits. A *timestamp* is in milliseconds since 1970, UTC.
- Ids in paths: \`tokenId\` is the number of a token, \`communityId\` the \`uniqId\` of a community, \`address\` an Ethereum address, and \`nftTypeId\` the id of a design. All others are UUIDs. An id that does not exist returns 404, also if it is malformed; a malformed address is rejected with 400.
- Besides the errors that are named at a call, it can have [those of every call](interface.md#errors): ${COMMON_ERRORS.map((name) => `\`${name}\``).join(', ')}. [Errors](#errors) says what each means.`;
}

function writeCallTable(calls: Call[]): string {
  const rows = calls.map((call) => [
    `[\`${call.line}\`](#${anchorOf(call.summary)})`,
    accessOf(call),
    call.summary,
  ]);
  return `## All calls

"Needs" is the lowest [role](interface.md#members-and-roles) of the key or session, or another key. The operator's key may do everything.

${table(['Call', 'Needs', 'What it does'], rows)}`;
}

function writeCall(call: Call, schemas: Record<string, Schema>): string {
  const { parameters = [], requestBody, responses } = call;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) =>
    [`**Body**${type === 'application/json' ? '' : ` as \`${type}\``}`, writeFields(schema, schemas)].join(
      '\n\n',
    ),
  );
  return [
    `### ${call.summary}`,
    `\`${call.line}\`${hasKey ? ' · accepts an [`Idempotency-Key`](interface.md#idempotency)' : ''}`,
    call.description ?? '',
    query.length > 0 ? writeQuery(query, schemas) : '',
    ...bodies,
    ...Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, response]) => writeSuccess(status, response)),
    writeCallErrors(responses),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function writeQuery(query: Parameter[], schemas: Record<string, Schema>): string {
  const rows = query.map(({ name, description = '', required, schema = {} }) => [
    `\`${name}\``,
    [nameType(schema, schemas), ...(required ? [] : ['optional'])].join(', '),
    description,
  ]);
  return table(['Parameter', 'Type', 'Meaning'], rows);
}

function writeFields(schema: Schema, schemas: Record<string, Schema>): string {
  const rows = toRows(schema, schemas);
  if (rows.length === 0) return 'An empty object.';
  return table(
    ['Field', 'Type', 'Meaning'],
    rows.map(({ name, type, meaning }) => [
      `\`${name}\``,
      type,
      isSaid(meaning) ? meaning : commentOf(name) || meaning,
    ]),
  );
}

// The schema of all timestamps says no more than this.
const isSaid = (meaning: string) => meaning !== '' && meaning !== 'Milliseconds since 1970, UTC.';

/** What the SDK says about a field without a description. */
const commentOf = (name: string) => FIELD_COMMENTS[/\w*$/.exec(name)?.[0] ?? ''] ?? '';

/** The schema of the body of a successful response. */
function schemaOf({ content = {} }: Response): Schema {
  return (content['application/json'] ?? content['application/vc+json'])?.schema ?? {};
}

function writeSuccess(status: string, response: Response): string {
  const schema = schemaOf(response);
  const name = schema.$ref?.split('/').at(-1);
  const types = Object.keys(response.content ?? {}).filter((type) => type !== 'application/json');
  const item = name !== undefined && isList(name) ? name.replace(/Page$/, '') : name;
  let shown = '';
  if (item !== undefined && item !== 'EmptyObject') {
    const link = `[\`${item}\`](#${anchorOf(item)})`;
    shown = item === name ? `: ${link}` : `: a [list](interface.md#lists) of ${link}`;
  }
  const other = types.length > 0 ? ` (${types.map((type) => `\`${type}\``).join(', ')})` : '';
  return `**Returns ${status}**${shown}${other}. ${response.description ?? ''}`.trim();
}

function writeCallErrors(responses: Record<string, Response>): string {
  const named = Object.entries(responses).flatMap(([status, { description = '' }]) =>
    Number(status) < 400
      ? []
      : [...description.matchAll(/^`(\w+)`:/gm)].flatMap(([, name]) =>
          COMMON_ERRORS.includes(name as ErrorName) ? [] : [`${status} \`${name}\``],
        ),
  );
  return named.length === 0 ? '' : `**Errors:** ${named.join(', ')}.`;
}

function writeErrors(): string {
  const rows = Object.entries(ERRORS).map(([name, { status, meaning }]) => [
    String(status),
    `\`${name}\``,
    meaning,
  ]);
  return `## Errors\n\n${table(['Status', '`name`', 'Meaning'], rows)}`;
}
