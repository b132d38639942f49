import Type, { type Static, type TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';

/** A value or null, in the form that JSON Schema and OpenAPI 3.1 share. */
export function Nullable<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
}

/**
 * A field that may be null or left out. Both mean absent, except in `UpdateCommunityBody`, where null resets
 * the field.
 */
export function OptionalOrNull<T extends TSchema & { type: string }>(schema: T) {
  return Type.Optional(Nullable(schema));
}

/**
 * A string without NUL, which PostgreSQL cannot store, and without lone surrogates, which UTF-8 cannot
 * represent.
 */
export function Text(options: {
  minLength?: number;
  maxLength: number;
  description?: string;
  examples?: string[];
}) {
  return Type.String({ format: 'text', ...options });
}

/** One of several strings. */
export function Choice<T extends string>(values: T[], options: { default?: T; description?: string } = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: values, ...options });
}

/** Whether a string contains neither NUL nor a lone surrogate. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/** The pattern of an id that a client chooses for a new community or NFT type. */
export const CUSTOM_ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'An Ethereum address. Responses use the EIP-55 checksum.',
});

export const ChainId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The EIP-155 id of a chain.',
});

export const Timestamp = Type.Integer({
  minimum: 0,
  maximum: LIMITS.timestamp,
  description: 'Milliseconds since 1970, UTC.',
});

/** An instant as text, in UTC with milliseconds. */
export function IsoTimestamp(description: string) {
  return Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description,
  });
}

export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const TokenId = Type.Integer({ minimum: 1, description: 'The id of the token: 1, 2, 3, …' });

const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.pageItems,
      default: LIMITS.defaultPageItems,
      description: 'The maximum number of items to return.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The number of items to skip.',
    }),
  ),
};

/** Whether an address is one at which the service keeps badges. */
export const IsKept = Type.Boolean({
  description:
    'Whether the service keeps the badge for somebody with an e-mail: `address` is one of the service then, of which nobody has a key.',
});

/** The query of a list. */
export const PageQuery = Type.Object(pageQuery);

/** The query of a list of tokens, whose order the client can choose. */
export const OrderedPageQuery = Type.Object({
  ...pageQuery,
  order: Type.Optional(
    Choice(['asc', 'desc'], { default: 'asc', description: 'The order of the token ids.' }),
  ),
});

/** The query of a wallet's tokens. */
export const WalletTokensQuery = Type.Object({
  ...pageQuery,
  claimStatus: Type.Optional(
    Choice(['claimed', 'unclaimed'], { description: 'Only tokens with this status. Default: both.' }),
  ),
  communityId: Type.Optional(
    Type.String({ format: 'text', description: 'Only tokens of this community. Default: all.' }),
  ),
  tokenId: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only this token. Default: all.',
    }),
  ),
});

/** The response of a list. */
export function Page<T extends TSchema & { title?: string }>(item: T) {
  return Type.Object(
    {
      limit: Type.Integer({ description: 'The limit that was used.' }),
      offset: Type.Integer({ description: 'The offset that was used.' }),
      data: Type.Array(item),
    },
    { title: `${item.title}Page` },
  );
}
