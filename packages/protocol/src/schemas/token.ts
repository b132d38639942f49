import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Address, Choice, Count, Nullable, OptionalOrNull, Text, Timestamp, TokenId } from './shared.ts';

export const CustomAttribute = Type.Object(
  {
    fieldName: Text({ minLength: 1, maxLength: LIMITS.attributeNameCharacters }),
    type: Choice(['string', 'number', 'date', 'boolean']),
    value: Type.Unsafe<string | number | boolean>({
      type: ['string', 'number', 'boolean'],
      description:
        'Matches `type`; a date is UTC milliseconds or an ISO 8601 date or date-time. Strings hold up to 2,048 characters.',
    }),
  },
  { title: 'CustomAttribute' },
);
export type CustomAttribute = Static<typeof CustomAttribute>;

/** The body of POST /v1/tokens (spec 2.1). */
export const CreateTokenBody = Type.Object(
  {
    creator: Address,
    headline: Text({ minLength: 1, maxLength: LIMITS.headlineCharacters }),
    description: OptionalOrNull(Text({ maxLength: LIMITS.descriptionCharacters })),
    startDateTimestamp: OptionalOrNull(Timestamp),
    endDateTimestamp: OptionalOrNull(Timestamp),
    links: OptionalOrNull(Type.Array(Text({ maxLength: LIMITS.linkCharacters }), { maxItems: LIMITS.links })),
    communityId: Text({ minLength: 1, maxLength: LIMITS.idCharacters }),
    nftTypeId: Text({ minLength: 1, maxLength: LIMITS.idCharacters }),
    isSignatureRequired: Type.Boolean(),
    isAllowlistRequired: Type.Boolean(),
    contributors: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'Who may claim an allowlisted token: 1 to 10,000 addresses or identifiers (e-mail, ENS name, handle) of up to 256 characters. Required with `isAllowlistRequired: true`, ignored otherwise.',
        examples: [['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044', 'ada@example.org']],
      }),
    ),
    totalClaimCount: OptionalOrNull({
      ...Count,
      description:
        'How many may claim an open token: at least 1. Absent or null with `isAllowlistRequired: true`.',
    }),
    expirationTimestamp: OptionalOrNull(Timestamp),
    customAttributes: OptionalOrNull(Type.Array(CustomAttribute, { maxItems: LIMITS.customAttributes })),
    signature: Type.String({
      description:
        'EIP-712 signature of the `Badge` message by `creator`: 65 bytes in hex, or 64 after EIP-2098.',
      examples: ['0x…'],
    }),
  },
  {
    title: 'CreateTokenBody',
    // Signed for the sandbox's own domain, so that /docs can send it as it stands.
    examples: [
      {
        creator: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
        communityId: 'demo',
        nftTypeId: 'defaultOrangeRed',
        isSignatureRequired: false,
        isAllowlistRequired: false,
        totalClaimCount: 100,
        headline: 'A',
        signature:
          '0xdb2206f269bba7b583887a86ba0d485cdf3973fa323d0ffe331d6b48ee28f74b7adfbd173f842cc2f7a03964793c176de4e230127e672fcadfb45b3d6e75dd411c',
      },
    ],
  },
);
export type CreateTokenBody = Static<typeof CreateTokenBody>;

/** The token object (spec 2.2), with `nftTypeId` and `customAttributes`. */
export const Token = Type.Object(
  {
    tokenId: TokenId,
    headline: Type.String(),
    description: Type.String(),
    startDateTimestamp: Nullable(Timestamp),
    endDateTimestamp: Nullable(Timestamp),
    links: Type.Array(Type.String()),
    communityId: Type.String(),
    nftTypeId: Type.String(),
    customAttributes: Type.Array(CustomAttribute),
    createdByAddress: Address,
    createdAtTimestamp: Timestamp,
    imageUrl: Type.String({ format: 'uri' }),
    claimabilityAttributes: Type.Object({
      isSignatureRequired: Type.Boolean(),
      isAllowlistRequired: Type.Boolean(),
      totalClaimCount: Nullable(Count),
      remainingClaimCount: Nullable(Count),
      expirationTimestamp: Nullable(Timestamp),
    }),
  },
  { title: 'Token' },
);
export type Token = Static<typeof Token>;

/** The body of PATCH /v1/tokens/:tokenId. */
export const UpdateTokenBody = Type.Object(
  { isHidden: Type.Boolean({ description: 'Whether token listings leave the token out.' }) },
  { title: 'UpdateTokenBody' },
);
export type UpdateTokenBody = Static<typeof UpdateTokenBody>;

/** An item of GET /v1/wallets/:address/tokens (spec 2.3). */
export const WalletToken = Type.Object(
  {
    badgeTokenId: TokenId,
    headline: Type.String(),
    assetUrl: Type.String({ format: 'uri', description: 'An image or a video.' }),
    createdAt: Type.String({
      format: 'date-time',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
      description: 'When the wallet was allowlisted or, once claimed, when it claimed.',
    }),
    claimStatus: Choice(['claimed', 'unclaimed']),
    communityId: Type.String(),
  },
  { title: 'WalletToken' },
);
export type WalletToken = Static<typeof WalletToken>;
