import Type, { type Static } from 'typebox';
import { ERRORS, type ErrorName } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import {
  Address,
  Choice,
  IsKept,
  Nullable,
  OptionalOrNull,
  PageQuery,
  Text,
  Timestamp,
  TokenId,
} from './field-types.ts';
import { ContributorEntry } from './recipient.ts';

export const Signature = Type.String({
  description:
    'An EIP-712 signature: 65 bytes in hex, or 64 bytes in the compact form of EIP-2098. If a contract wallet signs: up to 8 KiB, as its contract accepts them (EIP-1271, ERC-6492).',
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
    claimingAddress: OptionalOrNull({
      ...Address,
      description:
        'The address that gets the token. Required, except with a session by e-mail: then it must not be sent.',
    }),
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
    contributors: Type.Array(ContributorEntry, {
      description:
        '1 to 10,000 addresses or identifiers, each of at most 256 characters, or objects that also say who they are.',
      examples: [['ada@example.org', { contributor: 'grace@example.org', name: 'Grace' }]],
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
    burningAddress: OptionalOrNull({
      ...Address,
      description: 'The address that burns its token. Required, except with the session of the owner.',
    }),
    signature: OptionalOrNull({
      ...Signature,
      description:
        'The signature of the `Burn` message by `burningAddress`. Required, except with the session of the owner.',
    }),
  },
  { title: 'BurnBody' },
);
export type BurnBody = Static<typeof BurnBody>;

/** What has become of a token that an address has had. */
const OWNER_STATUSES = ['held', 'burnt', 'revoked', 'moved', 'replaced', 'expired'] as const;

const OwnerStatus = Choice([...OWNER_STATUSES], {
  description:
    '`held`: the address holds the token. `burnt`: it has burnt it. `revoked`: the community has revoked it. `moved`: the community has moved it to another address. `replaced`: another token has replaced it, which the address has instead. `expired`: the address has it, but its time is over.',
});

const ValidUntilTimestamp = Nullable({
  ...Timestamp,
  description: 'When the token of the address ends. Null: never.',
});

const StatusChangedAtTimestamp = { ...Timestamp, description: 'Since when the token has this status.' };

/** The query of GET /v1/tokens/:tokenId/owners. */
export const OwnersQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(
    Choice([...OWNER_STATUSES, 'all'], {
      default: 'held',
      description:
        "What has become of the token of an address. Others than `held` require a key of the token's community.",
    }),
  ),
  search: Type.Optional(
    Text({
      maxLength: LIMITS.searchCharacters,
      description: 'Only addresses that contain this text, in upper or lower case.',
    }),
  ),
});
export type OwnersQuery = Static<typeof OwnersQuery>;

/** An item of GET /v1/tokens/:tokenId/owners. */
export const Owner = Type.Object(
  {
    address: Address,
    claimedAtTimestamp: Timestamp,
    validUntilTimestamp: ValidUntilTimestamp,
    isKept: IsKept,
    status: Type.Optional({
      ...OwnerStatus,
      description: 'What has become of the token. Only in a list with a `status` other than `held`.',
    }),
    statusChangedAtTimestamp: Type.Optional({
      ...Timestamp,
      description: 'Since when the token has this status. Only in such a list.',
    }),
  },
  { title: 'Owner' },
);
export type Owner = Static<typeof Owner>;

/** The response of GET /v1/tokens/:tokenId/owners/:address. */
export const OwnerState = Type.Object(
  {
    tokenId: TokenId,
    address: Address,
    status: OwnerStatus,
    claimedAtTimestamp: {
      ...Timestamp,
      description: 'When the token was claimed. A move does not change it.',
    },
    statusChangedAtTimestamp: StatusChangedAtTimestamp,
    validUntilTimestamp: ValidUntilTimestamp,
  },
  { title: 'OwnerState' },
);
export type OwnerState = Static<typeof OwnerState>;

const Reason = Text({
  minLength: 1,
  maxLength: LIMITS.reasonCharacters,
  description: 'Why. Only the audit log contains it.',
});

/** The body of POST /v1/tokens/:tokenId/owners/:address/revoke. */
export const RevokeBody = Type.Object({ reason: Reason }, { title: 'RevokeBody' });
export type RevokeBody = Static<typeof RevokeBody>;

/** The body of POST /v1/tokens/:tokenId/owners/:address/reinstate. */
export const ReinstateBody = Type.Object({ reason: Reason }, { title: 'ReinstateBody' });
export type ReinstateBody = Static<typeof ReinstateBody>;

/** The body of POST /v1/tokens/:tokenId/owners/:address/move. */
export const MoveBody = Type.Object(
  { toAddress: { ...Address, description: 'The address that receives the token.' }, reason: Reason },
  { title: 'MoveBody' },
);
export type MoveBody = Static<typeof MoveBody>;

/** The body of POST /v1/tokens/:tokenId/renew. */
export const RenewBody = Type.Object(
  {
    addresses: Type.Array(Address, {
      minItems: 1,
      maxItems: LIMITS.renewedAddresses,
      description: '1 to 1,000 addresses that have the token, valid or expired.',
    }),
    validUntilTimestamp: { ...Timestamp, description: 'When their token ends. Must be in the future.' },
  },
  {
    title: 'RenewBody',
    examples: [
      {
        addresses: ['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044'],
        validUntilTimestamp: 4_102_444_800_000,
      },
    ],
  },
);
export type RenewBody = Static<typeof RenewBody>;

/** The body of POST /v1/tokens/:tokenId/replace. */
export const ReplaceBody = Type.Object(
  {
    replacementTokenId: {
      ...TokenId,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The token that everybody gets instead.',
    },
  },
  { title: 'ReplaceBody', examples: [{ replacementTokenId: 2 }] },
);
export type ReplaceBody = Static<typeof ReplaceBody>;

/** The body of POST /v1/tokens/:tokenId/removeContributors. */
export const RemoveContributorsBody = Type.Object(
  {
    contributors: Type.Array(Type.String(), {
      description: '1 to 10,000 addresses or identifiers that are on the allowlist.',
    }),
  },
  { title: 'RemoveContributorsBody' },
);
export type RemoveContributorsBody = Static<typeof RemoveContributorsBody>;

/** An item of GET /v1/tokens/:tokenId/contributors. */
export const Contributor = Type.Object(
  {
    contributor: Type.String({
      description:
        'The address or identifier that was added, or the ENS name from which the address was resolved. For an entry that was added for a claim link: `claimLink:` and the id of the link.',
    }),
    address: {
      ...Nullable(Address),
      description:
        'The address, also of an ENS name that was resolved. For any other entry: the address that has claimed with it, or null.',
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
    canClaim: Type.Boolean({ description: 'Whether a claim would be accepted now.' }),
    isSignatureRequired: Type.Boolean({
      description:
        "Whether a claim needs the claimer's signature. For a code: also if the code requires one, or if this client can claim with it only with one.",
    }),
    reasons: Type.Array(Type.Unsafe<ErrorName>({ type: 'string', enum: Object.keys(ERRORS) }), {
      description:
        'The names of the errors that prevent a claim by this address now. The first is the error that a claim would get if it is signed correctly or needs no signature.',
    }),
    ownership: Choice(['none', ...OWNER_STATUSES], {
      description: 'Whether the address has the token. `none`: it has never had it.',
    }),
    validUntilTimestamp: ValidUntilTimestamp,
  },
  { title: 'Eligibility' },
);
export type Eligibility = Static<typeof Eligibility>;

/** The body of POST /v1/checkOwners. */
export const CheckOwnersBody = Type.Object(
  {
    addresses: Type.Array(Address, {
      minItems: 1,
      maxItems: LIMITS.checkedAddresses,
      description: '1 to 1,000 addresses, in upper, lower or mixed case.',
    }),
    tokenIds: Type.Array(
      { ...TokenId, maximum: Number.MAX_SAFE_INTEGER },
      { minItems: 1, maxItems: LIMITS.checkedTokens, description: 'The ids of 1 to 100 tokens.' },
    ),
  },
  {
    title: 'CheckOwnersBody',
    examples: [{ addresses: ['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044'], tokenIds: [1] }],
  },
);
export type CheckOwnersBody = Static<typeof CheckOwnersBody>;

/** An item of the response of POST /v1/checkOwners. */
export const HeldTokens = Type.Object(
  {
    address: Address,
    tokenIds: Type.Array(TokenId, {
      description: 'The tokens of the request that the address holds, in ascending order.',
    }),
  },
  { title: 'HeldTokens' },
);
export type HeldTokens = Static<typeof HeldTokens>;

/** The response of POST /v1/checkOwners. */
export const CheckedOwners = Type.Object(
  { items: Type.Array(HeldTokens, { description: 'An item for each address, in the order sent.' }) },
  { title: 'CheckedOwners' },
);
export type CheckedOwners = Static<typeof CheckedOwners>;

/** The body of POST /v1/tokens/:tokenId/snapshotScores. Snapshot sends further fields. */
export const SnapshotScoresBody = Type.Object(
  {
    addresses: Type.Array(Address, {
      maxItems: LIMITS.scoredAddresses,
      description: 'Up to 10,000 addresses of voters.',
    }),
  },
  { title: 'SnapshotScoresBody' },
);
export type SnapshotScoresBody = Static<typeof SnapshotScoresBody>;

/** The response of POST /v1/tokens/:tokenId/snapshotScores. */
export const SnapshotScores = Type.Object(
  {
    score: Type.Array(
      Type.Object({
        address: Type.String({ description: 'The address as it was sent.' }),
        score: Type.Integer({
          minimum: 0,
          maximum: 1,
          description: '1 if the address holds the token, otherwise 0.',
        }),
      }),
      { description: 'An item for each address, in the order sent.' },
    ),
  },
  { title: 'SnapshotScores' },
);
export type SnapshotScores = Static<typeof SnapshotScores>;
