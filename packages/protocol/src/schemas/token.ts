import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import {
  Address,
  Choice,
  Count,
  IsoTimestamp,
  Nullable,
  OptionalOrNull,
  Text,
  Timestamp,
  TokenId,
} from './field-types.ts';
import { ContributorEntry } from './recipient.ts';

export const CustomAttribute = Type.Object(
  {
    fieldName: Text({
      minLength: 1,
      maxLength: LIMITS.attributeNameCharacters,
      description: 'The name, unique within the token.',
    }),
    type: Choice(['string', 'number', 'date', 'boolean']),
    value: Type.Unsafe<string | number | boolean>({
      type: ['string', 'number', 'boolean'],
      description:
        'Must match `type`. A date is either milliseconds since 1970, UTC, or an ISO 8601 date or date-time. A string has at most 2,048 characters.',
    }),
  },
  { title: 'CustomAttribute' },
);
export type CustomAttribute = Static<typeof CustomAttribute>;

const Criteria = Text({
  minLength: 1,
  maxLength: LIMITS.criteriaCharacters,
  description:
    'What somebody has done for the badge. Credentials contain it; without it, they say how the badge was given. It is not signed by the creator.',
});

const ClaimableFrom = {
  ...Timestamp,
  description:
    'Before this time, the token cannot be claimed, also not with a code. It can still be given by an airdrop. It is not signed by the creator. 0: at once.',
};

const validUntilTimestamp = {
  ...Timestamp,
  description:
    'When the badge ends, for all who have it. Not together with `validityDays`. It is not signed by the creator. 0: never.',
};

const validityDays = Type.Integer({
  minimum: 1,
  maximum: LIMITS.validityDays,
  description:
    'How many days of 24 hours after its claim the badge ends. Not together with `validUntilTimestamp`. It is not signed by the creator.',
});

/** The body of POST /v1/tokens. */
export const CreateTokenBody = Type.Object(
  {
    creator: {
      ...Address,
      description: 'The address of the creator, who signs the token. In upper, lower or mixed case.',
    },
    headline: Text({
      minLength: 1,
      maxLength: LIMITS.headlineCharacters,
      description: 'The title of the badge. Built-in designs show it in the image.',
    }),
    description: OptionalOrNull(Text({ maxLength: LIMITS.descriptionCharacters })),
    startDateTimestamp: OptionalOrNull({
      ...Timestamp,
      description:
        'The start of the event or period. It only describes the token and does not limit claims. Not after the end. 0: none.',
    }),
    endDateTimestamp: OptionalOrNull({
      ...Timestamp,
      description: 'The end of the event or period, which only describes the token. 0: none.',
    }),
    links: OptionalOrNull(Type.Array(Text({ maxLength: LIMITS.linkCharacters }), { maxItems: LIMITS.links })),
    communityId: Text({
      minLength: 1,
      maxLength: LIMITS.idCharacters,
      description: 'The `uniqId` of the community that issues the token.',
    }),
    nftTypeId: Text({
      minLength: 1,
      maxLength: LIMITS.idCharacters,
      description:
        'The design: a built-in one, such as `defaultOrangeRed`, or one that the community uploaded.',
    }),
    isSignatureRequired: Type.Boolean({
      description:
        "Whether a claim requires the claimer's signature. If false, the community's key or a claim code is enough.",
    }),
    isAllowlistRequired: Type.Boolean({
      description:
        'If true, only `contributors` can claim the token (an allowlisted token). If false, everyone can (an open token).',
    }),
    contributors: OptionalOrNull(
      Type.Array(ContributorEntry, {
        description:
          'Who can claim an allowlisted token: 1 to 10,000 addresses or identifiers (e-mail, ENS name, handle), each of at most 256 characters, or objects that also say who they are. Required for an allowlisted token. For an open token, the list is ignored, but it must still be such an array.',
        examples: [['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044', 'ada@example.org']],
      }),
    ),
    totalClaimCount: OptionalOrNull({
      ...Count,
      description:
        'How often an open token can be claimed, at least 1. Must be absent or null for an allowlisted token; 0 is rejected too.',
    }),
    expirationTimestamp: OptionalOrNull({
      ...Timestamp,
      description:
        'From this time on, the token cannot be claimed. It can be in the past: then nobody can claim. 0: never.',
    }),
    customAttributes: OptionalOrNull(Type.Array(CustomAttribute, { maxItems: LIMITS.customAttributes })),
    criteria: OptionalOrNull(Criteria),
    claimableFromTimestamp: OptionalOrNull(ClaimableFrom),
    validUntilTimestamp: OptionalOrNull(validUntilTimestamp),
    validityDays: OptionalOrNull(validityDays),
    signature: Type.String({
      description:
        'The EIP-712 signature of the `Badge` message by `creator`: 65 bytes in hex, 64 bytes in the compact form of EIP-2098, or that of a contract wallet.',
      examples: ['0x…'],
    }),
  },
  {
    title: 'CreateTokenBody',
    // Signed for the domain of the sandbox, so that /docs can send it without changes.
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

const ImportedFrom = Type.Object(
  {
    service: Type.String({
      description: 'The service where the token was, such as `poap.tech`.',
    }),
    id: Type.String({ description: 'Its id there.' }),
    url: Nullable(Type.String({ description: 'Its page there. Null: it is not known.' })),
    importedAtTimestamp: Timestamp,
  },
  { title: 'ImportedFrom' },
);

/** The response of GET /v1/tokens/:tokenId, and an item of GET /v1/tokens. */
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
    criteria: Nullable(
      Type.String({ description: 'What somebody has done for the badge, as credentials say it.' }),
    ),
    claimableFromTimestamp: Nullable({
      ...Timestamp,
      description: 'From when the token can be claimed. Null: since it was created.',
    }),
    validUntilTimestamp: Nullable({
      ...Timestamp,
      description:
        'When the badge ends for all who have it, except those for whom it was renewed. Null: it does not end at a fixed time.',
    }),
    validityDays: Nullable({
      ...Count,
      description:
        'How many days of 24 hours after its claim the badge ends, unless it was renewed. Null: it does not.',
    }),
    createdByAddress: {
      ...Address,
      description:
        'The address of the creator, with the EIP-55 checksum. Of an imported token: of who imported it.',
    },
    createdAtTimestamp: Timestamp,
    imageUrl: Type.String({
      format: 'uri',
      description: 'Always an image, even if the NFT type is a video.',
    }),
    claimabilityAttributes: Type.Object({
      isSignatureRequired: Type.Boolean(),
      isAllowlistRequired: Type.Boolean(),
      totalClaimCount: Nullable({ ...Count, description: 'Null for an allowlisted token.' }),
      remainingClaimCount: Nullable({ ...Count, description: 'Null for an allowlisted token.' }),
      expirationTimestamp: Nullable(Timestamp),
    }),
    claimedCount: {
      ...Count,
      description: 'How often the token was claimed, also by airdrops. Burns do not lower it.',
    },
    contributorCount: Nullable({
      ...Count,
      description:
        'The number of contributors of an allowlisted token; null for an open token. An airdrop by an admin needs no entry, so `claimedCount` can be higher.',
    }),
    recipientCount: {
      ...Count,
      description:
        'How many people the token was given to, in whatever way, whether they have claimed it or not. The creator counts once it has claimed, or was given the token.',
    },
    isHidden: Type.Boolean({ description: 'Whether lists of tokens leave out this token.' }),
    replacedByTokenId: Nullable({
      ...TokenId,
      description:
        'The token that has replaced this one, and that everybody has instead. If that one was replaced too, the last one. Null if none has.',
    }),
    importedFrom: {
      ...Nullable(ImportedFrom),
      description:
        'Where the token was before it was imported. Nobody has signed such a token here, and `createdByAddress` is who imported it. Null if it was created here.',
    },
  },
  { title: 'Token' },
);
export type Token = Static<typeof Token>;

/** The body of PATCH /v1/tokens/:tokenId. Absent fields do not change. */
export const UpdateTokenBody = Type.Object(
  {
    isHidden: Type.Optional(
      Type.Boolean({
        description:
          'Whether lists of tokens leave out this token. A hidden token still appears in the lists of wallets.',
      }),
    ),
    criteria: OptionalOrNull(Criteria),
    claimableFromTimestamp: OptionalOrNull(ClaimableFrom),
    validUntilTimestamp: OptionalOrNull({
      ...validUntilTimestamp,
      description:
        'When the badge ends, for all for whom it was not renewed. It replaces `validityDays`. Null or 0: never.',
    }),
    validityDays: OptionalOrNull({
      ...validityDays,
      description:
        'How many days of 24 hours after its claim the badge ends, for all for whom it was not renewed. It replaces `validUntilTimestamp`. Null: it does not.',
    }),
  },
  { title: 'UpdateTokenBody', additionalProperties: false, minProperties: 1 },
);
export type UpdateTokenBody = Static<typeof UpdateTokenBody>;

/** An item of GET /v1/wallets/:address/tokens. */
export const WalletToken = Type.Object(
  {
    badgeTokenId: TokenId,
    headline: Type.String(),
    assetUrl: Type.String({
      format: 'uri',
      description: 'The image. If the NFT type is a video: the video.',
    }),
    createdAt: IsoTimestamp(
      'If `claimed`: when the wallet claimed the token. If `unclaimed`: when the wallet was added to the allowlist.',
    ),
    claimStatus: Choice(['claimed', 'unclaimed']),
    validUntilTimestamp: Nullable({
      ...Timestamp,
      description: 'When the token of the wallet ends. Null if it does not, or if it is `unclaimed`.',
    }),
    isExpired: Type.Boolean({ description: 'Whether the token of the wallet has ended.' }),
    isHiddenByOwner: Type.Boolean({
      description:
        'Whether its owner does not want it to be seen on pages. Lists of the API have it nevertheless.',
    }),
    communityId: Type.String(),
  },
  { title: 'WalletToken' },
);
export type WalletToken = Static<typeof WalletToken>;

/** An item of GET /v1/sessions/current/tokens. */
export const OwnToken = Type.Object(
  {
    ...WalletToken.properties,
    address: { ...Address, description: 'The address that has the token.' },
  },
  { title: 'OwnToken' },
);
export type OwnToken = Static<typeof OwnToken>;
