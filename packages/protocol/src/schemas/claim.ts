import Type, { type Static } from 'typebox';
import { ERRORS, type ErrorName } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { Address, Nullable, OptionalOrNull, Text, Timestamp } from './shared.ts';

export const Signature = Type.String({
  description: 'An EIP-712 signature: 65 bytes in hex, or 64 bytes in the compact form of EIP-2098.',
});

/** The code of a claim link, as people type it. */
export const ClaimCode = Text({
  minLength: 1,
  maxLength: LIMITS.claimCodeCharacters,
  description:
    'The code of a claim link: 26 characters (link for a room: 8), in upper or lower case. Spaces and hyphens are ignored. `O` counts as `0`; `I` and `L` count as `1`.',
});

/** The body of POST /v1/tokens/:tokenId/claim. */
export const ClaimBody = Type.Object(
  {
    claimingAddress: Address,
    signature: OptionalOrNull({
      ...Signature,
      description: 'The signature of the `Claim` message by `claimingAddress`.',
    }),
    identifier: OptionalOrNull({
      ...Text({ minLength: 1, maxLength: LIMITS.contributorCharacters }),
      description: "An identifier on the allowlist that is not an address. Requires the community's key.",
    }),
    claimCode: OptionalOrNull({
      ...ClaimCode,
      description: 'The code of a claim link. No key is needed then. Cannot be sent with `identifier`.',
    }),
  },
  { title: 'ClaimBody' },
);
export type ClaimBody = Static<typeof ClaimBody>;

/** The body of POST /v1/tokens/:tokenId/addContributors. */
export const AddContributorsBody = Type.Object(
  {
    contributors: Type.Array(Type.String(), {
      description: '1 to 10,000 addresses or identifiers, each of at most 256 characters.',
    }),
    signature: {
      ...Signature,
      description: "The signature of the `AllowlistedAddress` message by the token's creator.",
    },
  },
  { title: 'AddContributorsBody' },
);
export type AddContributorsBody = Static<typeof AddContributorsBody>;

/** The body of POST /v1/tokens/:tokenId/airdrop. */
export const AirdropBody = Type.Object({ address: Address }, { title: 'AirdropBody' });
export type AirdropBody = Static<typeof AirdropBody>;

const adminAirdrop = {
  receivingAddress: Address,
  adminAddress: Address,
  adminSignature: {
    ...Signature,
    description: 'The signature of the `CommunityAdminAirdrop` message by `adminAddress`.',
  },
};

/** The body of POST /v1/tokens/:tokenId/communityAdminAirdropWithoutConsentSig. */
export const AdminAirdropWithoutConsentBody = Type.Object(adminAirdrop, {
  title: 'CommunityAdminAirdropWithoutConsentSigBody',
});
export type AdminAirdropWithoutConsentBody = Static<typeof AdminAirdropWithoutConsentBody>;

/** The body of POST /v1/tokens/:tokenId/communityAdminAirdrop. */
export const AdminAirdropBody = Type.Object(
  {
    ...adminAirdrop,
    receiverSignature: {
      ...Signature,
      description:
        'The signature of the `CommunityAdminAirdropReceiverConsent` message by `receivingAddress`.',
    },
  },
  { title: 'CommunityAdminAirdropBody' },
);
export type AdminAirdropBody = Static<typeof AdminAirdropBody>;

/** The body of POST /v1/tokens/:tokenId/burn. */
export const BurnBody = Type.Object(
  {
    burningAddress: Address,
    signature: { ...Signature, description: 'The signature of the `Burn` message by `burningAddress`.' },
  },
  { title: 'BurnBody' },
);
export type BurnBody = Static<typeof BurnBody>;

/** An item of GET /v1/tokens/:tokenId/owners. */
export const Owner = Type.Object({ address: Address, claimedAtTimestamp: Timestamp }, { title: 'Owner' });
export type Owner = Static<typeof Owner>;

/** An item of GET /v1/tokens/:tokenId/contributors. */
export const Contributor = Type.Object(
  {
    contributor: Type.String({
      description:
        'The address or identifier that was added. For an entry that was added for a claim link: `claimLink:` and the id of the link.',
    }),
    address: {
      ...Nullable(Address),
      description: 'The address. For any other entry: the address that has claimed with it, or null.',
    },
    hasClaimed: Type.Boolean(),
  },
  { title: 'Contributor' },
);
export type Contributor = Static<typeof Contributor>;

/** The query of GET /v1/tokens/:tokenId/eligibility. */
export const EligibilityQuery = Type.Object({ address: Address });

/** The response of GET /v1/tokens/:tokenId/eligibility. */
export const Eligibility = Type.Object(
  {
    canClaim: Type.Boolean(),
    isSignatureRequired: Type.Boolean(),
    reasons: Type.Array(Type.Unsafe<ErrorName>({ type: 'string', enum: Object.keys(ERRORS) }), {
      description: 'The names of the errors that prevent a claim by this address now.',
    }),
  },
  { title: 'Eligibility' },
);
export type Eligibility = Static<typeof Eligibility>;
