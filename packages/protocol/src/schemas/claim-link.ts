import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { ClaimCode, Eligibility, Signature } from './claim.ts';
import { Address, Choice, Nullable, OptionalOrNull, PageQuery, Timestamp } from './shared.ts';

const expiresAtTimestamp = Nullable({ ...Timestamp, description: 'Null if the link does not expire.' });

const identifier = Nullable(
  Type.String({
    description: 'The identifier on the allowlist that the link is for. Null for a link without one.',
  }),
);

/** The body of POST /v1/tokens/:tokenId/claimLinks. It has either `identifiers` or `count`. */
export const CreateClaimLinksBody = Type.Object(
  {
    identifiers: OptionalOrNull(
      Type.Array(Type.String(), {
        description:
          'For an allowlisted token: 1 to 1,000 identifiers on the allowlist that have not claimed. Each gets a link.',
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
    signature: OptionalOrNull({
      ...Signature,
      description:
        "With `count`, for an allowlisted token: the signature of the `AllowlistedAddress` message by the token's creator.",
    }),
    expiresAtTimestamp: OptionalOrNull({
      ...Timestamp,
      description: 'When the links expire. Must be in the future. Default: never.',
    }),
  },
  { title: 'CreateClaimLinksBody' },
);
export type CreateClaimLinksBody = Static<typeof CreateClaimLinksBody>;

/** An item of the response of POST /v1/tokens/:tokenId/claimLinks. */
export const CreatedClaimLink = Type.Object(
  {
    claimLinkId: Type.String({ format: 'uuid' }),
    code: Type.String({ description: 'The code of the link. It is returned only once.' }),
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

const ClaimLinkStatus = Choice(['unused', 'used', 'revoked', 'expired']);
export type ClaimLinkStatus = Static<typeof ClaimLinkStatus>;

/** An item of GET /v1/tokens/:tokenId/claimLinks. */
export const ClaimLink = Type.Object(
  {
    claimLinkId: Type.String({ format: 'uuid' }),
    identifier,
    status: {
      ...ClaimLinkStatus,
      description: '`used`: the code was used, or the identifier has claimed in another way.',
    },
    claimingAddress: { ...Nullable(Address), description: 'Null unless `status` is `used`.' },
    createdAtTimestamp: Timestamp,
    expiresAtTimestamp,
    usedAtTimestamp: Nullable({ ...Timestamp, description: 'Null unless `status` is `used`.' }),
  },
  { title: 'ClaimLink' },
);
export type ClaimLink = Static<typeof ClaimLink>;

/** The query of GET /v1/tokens/:tokenId/claimLinks. */
export const ClaimLinksQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional({ ...ClaimLinkStatus, description: 'Only links with this status. Default: all.' }),
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
    reasons: {
      ...Eligibility.properties.reasons,
      description: 'The names of the errors that prevent a claim with this code now.',
    },
  },
  { title: 'ClaimCodeCheck' },
);
export type ClaimCodeCheck = Static<typeof ClaimCodeCheck>;
