import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { ClaimCode, Eligibility, Signature } from './claim.ts';
import { Address, Choice, Nullable, OptionalOrNull, PageQuery, Timestamp } from './field-types.ts';
import { ContributorEntry, Person } from './recipient.ts';

const expiresAtTimestamp = Nullable({ ...Timestamp, description: 'Null if the link does not expire.' });

const startsAtTimestamp = Nullable({
  ...Timestamp,
  description: 'When the link can first be used, before the end. Null: at once.',
});

const maxClaims = Type.Integer({
  minimum: 2,
  maximum: LIMITS.roomLinkClaims,
  description: 'Creates one link for a room: this many addresses can claim with its code, each once.',
});

const identifier = Nullable(
  Type.String({
    description: 'The identifier on the allowlist that the link is for. Null for a link without one.',
  }),
);

/** The body of POST /v1/tokens/:tokenId/claimLinks. It has one of `identifiers`, `count` and `maxClaims`. */
export const CreateClaimLinksBody = Type.Object(
  {
    identifiers: OptionalOrNull(
      Type.Array(ContributorEntry, {
        description:
          'For an allowlisted token: 1 to 1,000 identifiers on the allowlist that have not claimed, or objects that also say who they are. Each gets a link; equal ones, such as e-mails that differ in case, get one. Addresses are rejected.',
        examples: [['ada@example.org']],
      }),
    ),
    count: OptionalOrNull(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.claimLinks,
        description:
          'How many links to create. For an allowlisted token, each adds an entry to the allowlist, which requires `signature`.',
      }),
    ),
    people: OptionalOrNull(
      Type.Array(Person, {
        maxItems: LIMITS.claimLinks,
        description:
          'With `count`: who gets each link, in the order of the links. As many as there are links.',
      }),
    ),
    maxClaims: OptionalOrNull(maxClaims),
    signature: OptionalOrNull({
      ...Signature,
      description:
        "With `count` or `maxClaims`, for an allowlisted token: the signature of the `AllowlistedAddress` message by the token's creator.",
    }),
    startsAtTimestamp: OptionalOrNull({
      ...Timestamp,
      description:
        'Only with `maxClaims`: when the link can first be used, before the end. Default: at once.',
    }),
    expiresAtTimestamp: OptionalOrNull({
      ...Timestamp,
      description:
        'When the links expire: a claim is in time if it is accepted before. Must be in the future. Default: never. Required with `maxClaims`, and then at most 90 days away.',
    }),
    isSignatureRequired: OptionalOrNull(
      Type.Boolean({
        description:
          "Only with `maxClaims`: whether a claim also needs the claimer's signature. Default: false.",
      }),
    ),
    maxClaimsPerClient: OptionalOrNull(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.roomLinkClaims,
        description:
          "Only with `maxClaims`: how many claims without a signature can come from one client address (IPv6: from its /64). Default: 500. A further claim needs the claimer's signature.",
      }),
    ),
  },
  { title: 'CreateClaimLinksBody' },
);
export type CreateClaimLinksBody = Static<typeof CreateClaimLinksBody>;

/** An item of the response of POST /v1/tokens/:tokenId/claimLinks. */
export const CreatedClaimLink = Type.Object(
  {
    claimLinkId: Type.String({ format: 'uuid' }),
    code: Type.String({
      description:
        'The code of the link: 26 characters, or 8 characters like `7K2M-9QPD` for a room. It is returned only once.',
    }),
    url: Type.String({
      format: 'uri',
      description:
        'The page on which a person can claim. The code is in the fragment, which browsers do not send.',
    }),
    identifier,
    expiresAtTimestamp,
    createdAtTimestamp: Timestamp,
  },
  { title: 'CreatedClaimLink' },
);
export type CreatedClaimLink = Static<typeof CreatedClaimLink>;

/** The response of POST /v1/tokens/:tokenId/claimLinks. */
export const CreatedClaimLinks = Type.Object(
  { items: Type.Array(CreatedClaimLink) },
  { title: 'CreatedClaimLinks' },
);
export type CreatedClaimLinks = Static<typeof CreatedClaimLinks>;

const ClaimLinkStatus = Choice(['unused', 'used', 'revoked', 'expired', 'paused', 'notStarted']);
export type ClaimLinkStatus = Static<typeof ClaimLinkStatus>;

/** An item of GET /v1/tokens/:tokenId/claimLinks. */
export const ClaimLink = Type.Object(
  {
    claimLinkId: Type.String({ format: 'uuid' }),
    identifier,
    status: {
      ...ClaimLinkStatus,
      description:
        '`used`: the code has no claim left, or the identifier has claimed in another way. `paused` and `notStarted`: a link for a room that cannot be used now.',
    },
    claimingAddress: {
      ...Nullable(Address),
      description: 'Null unless `status` is `used`. Always null for a room.',
    },
    createdAtTimestamp: Timestamp,
    expiresAtTimestamp,
    usedAtTimestamp: Nullable({
      ...Timestamp,
      description: 'Null unless `status` is `used`. Always null for a room.',
    }),
    maxClaims: Type.Integer({ description: 'How many claims the code is good for. 2 or more for a room.' }),
    claimCount: Type.Integer({ description: 'How many claims were made with the code.' }),
    isPaused: Type.Boolean({ description: 'Whether the community has paused the link. Only for a room.' }),
    startsAtTimestamp,
  },
  { title: 'ClaimLink' },
);
export type ClaimLink = Static<typeof ClaimLink>;

/** The body of PATCH /v1/tokens/:tokenId/claimLinks/:claimLinkId. */
export const UpdateClaimLinkBody = Type.Object(
  {
    isPaused: Type.Optional(
      Type.Boolean({ description: 'True: nobody can claim with the code until this is false again.' }),
    ),
    maxClaims: Type.Optional({
      ...maxClaims,
      description: 'How many addresses can claim. Not below the number of claims that were made.',
    }),
    startsAtTimestamp: OptionalOrNull({
      ...Timestamp,
      description: 'When the link can first be used, before the end. Null: at once.',
    }),
    expiresAtTimestamp: Type.Optional({
      ...Timestamp,
      description: 'When the link expires. Must be in the future and at most 90 days away.',
    }),
  },
  { title: 'UpdateClaimLinkBody', additionalProperties: false },
);
export type UpdateClaimLinkBody = Static<typeof UpdateClaimLinkBody>;

/** The query of GET /v1/tokens/:tokenId/claimLinks. */
export const ClaimLinksQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional({ ...ClaimLinkStatus, description: 'Only links with this status. Default: all.' }),
  isForRoom: Type.Optional(
    Choice(['true', 'false'], {
      description: 'Only links for a room (`true`), or only the others (`false`).',
    }),
  ),
  order: Type.Optional(
    Choice(['asc', 'desc'], {
      default: 'asc',
      description: 'The oldest first (`asc`), or the newest first (`desc`). A CSV file has the oldest first.',
    }),
  ),
});
export type ClaimLinksQuery = Static<typeof ClaimLinksQuery>;

/** The body of POST /v1/tokens/:tokenId/checkClaimCode. */
export const CheckClaimCodeBody = Type.Object({ claimCode: ClaimCode }, { title: 'CheckClaimCodeBody' });
export type CheckClaimCodeBody = Static<typeof CheckClaimCodeBody>;

/** The response of POST /v1/tokens/:tokenId/checkClaimCode. */
export const ClaimCodeCheck = Type.Object(
  {
    canClaim: Eligibility.properties.canClaim,
    isSignatureRequired: Eligibility.properties.isSignatureRequired,
    isWalletRequired: Type.Boolean({
      description:
        'Whether the token or the code requires a signature from everybody. Otherwise somebody can claim with a session by e-mail, also if this client can claim only with a signature.',
    }),
    reasons: {
      ...Eligibility.properties.reasons,
      description: 'The names of the errors that prevent a claim with this code now.',
    },
  },
  { title: 'ClaimCodeCheck' },
);
export type ClaimCodeCheck = Static<typeof ClaimCodeCheck>;
