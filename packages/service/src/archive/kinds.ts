import type { EncryptionPurpose } from '../encryption.ts';

/** A part of a JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;

/** How a value of the database is written in a line, and how PostgreSQL reads it again. */
export interface Kind {
  schema: JsonSchema;
  /** From a value of the driver, which is not null. */
  toJson(value: unknown): unknown;
  /** To the text, number, truth value, array or object that a row of `insertRows` has. */
  toDatabase(json: unknown): unknown;
  /** Whether the column is text. */
  isText?: boolean;
}

const same = (value: unknown) => value;
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MAX_TIME_MS = 8_640_000_000_000_000;

export const text: Kind = { schema: { type: 'string' }, toJson: same, toDatabase: same, isText: true };
export const uuid: Kind = {
  schema: { type: 'string', pattern: `^${UUID}$` },
  toJson: same,
  toDatabase: same,
};
export const integer: Kind = { schema: { type: 'integer' }, toJson: same, toDatabase: same };
export const truth: Kind = { schema: { type: 'boolean' }, toJson: same, toDatabase: same };
/** An object or a list, as the service stores it. */
export const json: Kind = { schema: { type: ['object', 'array'] }, toJson: same, toDatabase: same };

export const oneOf = (values: readonly string[]): Kind => ({ ...text, schema: { enum: [...values] } });

export const timestamp: Kind = {
  schema: { type: 'integer', minimum: -MAX_TIME_MS, maximum: MAX_TIME_MS },
  toJson: (value) => (value as Date).getTime(),
  toDatabase: (milliseconds) => toTimestampText(milliseconds as number),
};

// PostgreSQL writes years before 1 and after 9999 in another way than ISO 8601.
function toTimestampText(milliseconds: number): string {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  const written = String(year > 0 ? year : 1 - year).padStart(4, '0');
  return `${written}${date.toISOString().replace(/^[+-]?\d+/, '')}${year > 0 ? '' : ' BC'}`;
}

/** A time that can be the end of time, which is null. */
export const timestampOrNever: Kind = endlessTimestamp('infinity');
/** A time that can be the beginning of time, which is null. */
export const timestampOrAlways: Kind = endlessTimestamp('-infinity');

function endlessTimestamp(endless: string): Kind {
  return {
    schema: { ...timestamp.schema, type: ['integer', 'null'] },
    toJson: (value) => (value instanceof Date ? value.getTime() : null),
    toDatabase: (milliseconds) => (milliseconds === null ? endless : timestamp.toDatabase(milliseconds)),
  };
}

/** Bytes in hex with 0x, in lower case. */
export function hex(sizes?: number[]): Kind {
  const digits =
    sizes === undefined ? '(?:[0-9a-f]{2})*' : sizes.map((size) => `[0-9a-f]{${2 * size}}`).join('|');
  return {
    schema: { type: 'string', pattern: `^0x(?:${digits})$` },
    toJson: (value) => `0x${(value as Buffer).toString('hex')}`,
    toDatabase: (value) => `\\x${(value as string).slice(2)}`,
  };
}

export const address: Kind = hex([20]);
export const hash: Kind = hex([32]);

/** What an archive does not show. */
export const hidden: Kind = { schema: { type: 'null' }, toJson: () => null, toDatabase: () => null };

/** What only the encryption key of the installation can read. */
export function encrypted(purpose: EncryptionPurpose): Kind {
  return {
    schema: {
      type: 'object',
      properties: {
        purpose: { const: purpose },
        ciphertext: {
          type: 'string',
          pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
        },
      },
      required: ['purpose', 'ciphertext'],
      additionalProperties: false,
    },
    toJson: (value) => ({ purpose, ciphertext: (value as Buffer).toString('base64') }),
    toDatabase: (value) =>
      `\\x${Buffer.from((value as { ciphertext: string }).ciphertext, 'base64').toString('hex')}`,
  };
}

export function listOf(kind: Kind): Kind {
  return {
    schema: { type: 'array', items: kind.schema },
    toJson: (values) => (values as unknown[]).map((value) => kind.toJson(value)),
    toDatabase: (values) => (values as unknown[]).map((value) => kind.toDatabase(value)),
  };
}

export function orNull(kind: Kind): Kind {
  return {
    ...kind,
    schema: { anyOf: [kind.schema, { type: 'null' }] },
    toJson: (value) => (value === null ? null : kind.toJson(value)),
    toDatabase: (value) => (value === null ? null : kind.toDatabase(value)),
  };
}
