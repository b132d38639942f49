import Type, { type Static, type TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';

/** A value or null, in the form that JSON Schema and OpenAPI 3.1 share. */
export function Nullable<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
}

/** The same, for a field that may also be left out: `null` means absent (contract section 5). */
export function OptionalOrNull<T extends TSchema & { type: string }>(schema: T) {
  return Type.Optional(Nullable(schema));
}

/** A string that every store and signer holds alike: the `text` format refuses NUL and lone surrogates. */
export function Text(options: {
  minLength?: number;
  maxLength: number;
  description?: string;
  examples?: string[];
}) {
  return Type.String({ format: 'text', ...options });
}

/** One of a few strings. */
export function Choice<T extends string>(values: T[], options: { default?: T; description?: string } = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: values, ...options });
}

/** Whether a string is free of NUL and of lone surrogates. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'An Ethereum address; answers carry the EIP-55 checksum.',
});

export const Timestamp = Type.Integer({
  minimum: 0,
  maximum: LIMITS.timestamp,
  description: 'UTC, in milliseconds since 1970.',
});

export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const TokenId = Type.Integer({ minimum: 1, description: 'The token identifier: 1, 2, 3, …' });

const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: LIMITS.pageItems, default: LIMITS.defaultPageItems }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
};

/** The query of a listing (spec 4.2). */
export const PageQuery = Type.Object(pageQuery);

/** The query of a listing in either order. */
export const OrderedPageQuery = Type.Object({
  ...pageQuery,
  order: Type.Optional(Choice(['asc', 'desc'], { default: 'asc' })),
});

/** The query of a wallet's tokens (spec 4.3). */
export const WalletTokensQuery = Type.Object({
  ...pageQuery,
  claimStatus: Type.Optional(Choice(['claimed', 'unclaimed'], { description: 'Empty or absent: both.' })),
  communityId: Type.Optional(
    Type.String({ format: 'text', description: 'Empty or absent: all communities.' }),
  ),
});

/** The envelope of every listing (spec 4). */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({ limit: Type.Integer(), offset: Type.Integer(), data: Type.Array(item) });
}
