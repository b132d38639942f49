import { anchorOf } from '../anchor-of.ts';

/** A schema of /openapi.json, as far as the page shows it. */
export interface Schema {
  $ref?: string;
  title?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  description?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}
type Schemas = Record<string, Schema>;

interface Row {
  name: string;
  type: string;
  meaning: string;
}

const LAST_TIMESTAMP = 8_640_000_000_000_000;
// A list of events has a cursor instead of an offset, so it is an object of its own.
export const isList = (name: string) => name.endsWith('Page') && name !== 'EventPage';
// `BadgeEvent` shows the fields of all types of events.
const IN_OTHERS = /^(?!BadgeEvent$).*Event$|^EmptyObject$/;
const titleOf = (schema: Schema) => schema.$ref?.split('/').at(-1);

function resolve(schema: Schema, schemas: Schemas): Schema {
  const title = titleOf(schema);
  return title === undefined ? schema : { ...schemas[title], ...schema };
}

/** The names of the objects that these schemas contain, in the order of the alphabet. */
export function findObjects(roots: Schema[], schemas: Schemas): string[] {
  const found = new Set<string>();
  function visit(schema: Schema): void {
    const title = titleOf(schema);
    if (title !== undefined) {
      if (found.has(title)) return;
      found.add(title);
    }
    const { anyOf = [], items, properties = {} } = resolve(schema, schemas);
    for (const child of [...anyOf, ...(items ? [items] : []), ...Object.values(properties)]) visit(child);
  }
  for (const root of roots) visit(root);
  return [...found].filter((name) => !isList(name) && !IN_OTHERS.test(name)).sort();
}

const count = (value: number) => value.toLocaleString('en');

/** Such as `1 to 1,000`, or nothing. */
function range(low: number | undefined, high: number | undefined): string {
  const isOpen = high === undefined || high >= Number.MAX_SAFE_INTEGER;
  if (isOpen) return low === undefined ? '' : `from ${count(low)}`;
  return low === undefined ? `up to ${count(high)}` : `${count(low)} to ${count(high)}`;
}

/** Says what a value is, and how large. */
export function nameType(schema: Schema, schemas: Schemas): string {
  const title = titleOf(schema);
  const link = title === undefined ? undefined : `[\`${title}\`](#${anchorOf(title)})`;
  if (link !== undefined) return link;
  const types = [schema.type ?? []].flat();
  const orNull = types.includes('null') ? ' or null' : '';
  const values = schema.const === undefined ? schema.enum?.filter((value) => value !== null) : [schema.const];
  if (values !== undefined) {
    return values.includes('InvalidRequest')
      ? `name of an error${orNull}`
      : `${values.map((value) => `\`${value}\``).join(', ')}${orNull}`;
  }
  if (schema.anyOf !== undefined) {
    return schema.anyOf
      .map((option) => (option.type === 'null' ? 'null' : nameType(option, schemas)))
      .join(' or ');
  }
  const [type = 'object', ...others] = types.filter((name) => name !== 'null');
  return `${nameOne(others.length > 0 ? [type, ...others].join(', ') : type, schema, schemas)}${orNull}`;
}

function nameOne(type: string, schema: Schema, schemas: Schemas): string {
  switch (type) {
    case 'array': {
      const size = range(schema.minItems, schema.maxItems);
      return `list of ${size === '' ? '' : `${size} × `}${nameType(schema.items ?? {}, schemas)}`;
    }
    case 'integer':
    case 'number': {
      if (schema.maximum === LAST_TIMESTAMP) return 'timestamp';
      const usual = schema.default === undefined ? '' : `default ${schema.default}`;
      return [type, range(schema.minimum, schema.maximum), usual].filter(Boolean).join(', ');
    }
    case 'string': {
      if (schema.pattern?.startsWith('^0x[0-9a-fA-F]{40}')) return 'address';
      if (schema.format === 'uuid') return 'UUID';
      if (schema.format === 'uri') return 'URL';
      if (schema.format === 'binary') return 'file';
      if (schema.format === 'date-time') return 'ISO 8601 date-time';
      const size = range(schema.minLength, schema.maxLength);
      const pattern = schema.pattern === undefined ? '' : `\`${schema.pattern}\``;
      const characters = size === '' ? '' : `${size} characters`;
      return [schema.format === 'text' ? 'text' : 'string', characters, pattern].filter(Boolean).join(', ');
    }
    default:
      return type;
  }
}

/** The fields of an object, and those of the objects in them that have no name of their own. */
export function toRows(schema: Schema, schemas: Schemas, prefix = ''): Row[] {
  const { properties = {}, required = [], anyOf } = resolve(schema, schemas);
  if (anyOf !== undefined) return toEventRows(anyOf, schemas);
  return Object.entries(properties).flatMap(([key, field]) => {
    const name = `${prefix}${key}`;
    const isOptional = !required.includes(key);
    const type = [
      nameType(field, schemas).replace(isOptional ? / or null$/ : /$^/, ''),
      ...(isOptional ? ['optional'] : []),
    ];
    const row = { name, type: type.join(', '), meaning: resolve(field, schemas).description ?? '' };
    if (field.$ref !== undefined) return [row];
    const inner = field.items ?? field;
    if (inner.$ref !== undefined || inner.properties === undefined) return [row];
    return [row, ...toRows(inner, schemas, `${name}${field.items ? '[].' : '.'}`)];
  });
}

/** The fields that each type of events has, and then those of its `data`. */
function toEventRows(types: Schema[], schemas: Schemas): Row[] {
  const [first = {}] = types;
  const common = toRows(first, schemas).filter(({ name }) => !/^(type|data)\b/.test(name));
  const named = types.map((option): Row => {
    const { type, data } = resolve(option, schemas).properties ?? {};
    const fields = Object.entries(data?.properties ?? {}).map(([key, { description }]) =>
      description?.startsWith('Null') || description?.includes(' Null ')
        ? `\`${key}\` (${description})`
        : `\`${key}\``,
    );
    return { name: 'data', type: `of \`${type?.const}\``, meaning: fields.join(', ') };
  });
  return [...common, { name: 'type', type: 'string', meaning: 'The type, as in the rows below.' }, ...named];
}
