import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Choice, Text, Timestamp } from './field-types.ts';

/**
 * A key with which the service signs credentials for a community. An item of GET
 * /v1/communities/:communityId/issuerKeys.
 */
export const IssuerKey = Type.Object(
  {
    did: Type.String({
      description: 'The public key, as a `did:key`. It is the `issuer` of the credentials.',
    }),
    createdAtTimestamp: Timestamp,
    isCurrent: Type.Boolean({ description: 'Whether new credentials are signed with this key.' }),
  },
  { title: 'IssuerKey' },
);
export type IssuerKey = Static<typeof IssuerKey>;

/** The response of GET /v1/communities/:communityId/issuerKeys. */
export const IssuerKeys = Type.Object(
  {
    data: Type.Array(IssuerKey, {
      description: 'The keys of the community, the newest first, without those of a seed that was replaced.',
    }),
  },
  { title: 'IssuerKeys' },
);
export type IssuerKeys = Static<typeof IssuerKeys>;

/** The body of POST /v1/communities/:communityId/issuerKeys. */
export const RotateIssuerKeyBody = Type.Object(
  {
    isSeedReplaced: Type.Optional(
      Type.Boolean({
        description:
          "Whether the operator has replaced the seed of the keys, because it was lost or others know it. All credentials of older keys then count as revoked, and these keys are not listed any more. Requires the operator's key. Default: false.",
      }),
    ),
  },
  { title: 'RotateIssuerKeyBody', additionalProperties: false },
);
export type RotateIssuerKeyBody = Static<typeof RotateIssuerKeyBody>;

/** The query of GET /v1/tokens/:tokenId/credentials/:address. */
export const CredentialQuery = Type.Object({
  with: Type.Optional(
    Choice(['identity'], {
      description:
        "`identity`: the credential says who its owner is. Requires the owner's session: of the wallet, or of the person by e-mail.",
    }),
  ),
  name: Type.Optional(
    Text({
      maxLength: LIMITS.recipientNameCharacters,
      description:
        'A name for the credential, as the owner has typed it. One line. Only with `with=identity`. It is not stored.',
    }),
  ),
});
export type CredentialQuery = Static<typeof CredentialQuery>;

const Id = Type.String();
const Classes = Type.Array(Type.String());
const OPEN = { additionalProperties: true };

/** Something that says who the owner of a badge is. */
const IdentityObject = Type.Object(
  {
    type: Type.String(),
    hashed: Type.Boolean({ description: 'True for an e-mail address, and false for a name.' }),
    identityHash: Type.String({
      description:
        'The name; or `sha256$` and the SHA-256 of the e-mail address and the salt, one after the other, in hex.',
    }),
    identityType: Choice(['emailAddress', 'name']),
    salt: Type.Optional(Type.String({ description: 'Only with a hash.' })),
  },
  { title: 'IdentityObject' },
);

/**
 * The response of GET /v1/tokens/:tokenId/credentials/:address: an OpenBadgeCredential of Open Badges 3.0.
 * Use a library of Verifiable Credentials to read the members that are not listed here.
 */
export const BadgeCredential = Type.Object(
  {
    '@context': Type.Array(Type.String()),
    id: Id,
    type: Classes,
    name: Type.String({ description: 'The headline of the token.' }),
    issuer: Type.Object({ id: Id, type: Classes, name: Type.String() }, OPEN),
    validFrom: Type.String({ format: 'date-time', description: 'When the address got the token.' }),
    validUntil: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the badge ends. Absent: never.' }),
    ),
    credentialSubject: Type.Object(
      {
        id: Id,
        type: Classes,
        identifier: Type.Optional(
          Type.Array(IdentityObject, {
            description: 'Who the owner is. Absent in what everybody can read.',
          }),
        ),
        achievement: Type.Object({ id: Id }, OPEN),
      },
      OPEN,
    ),
    credentialStatus: Type.Object({ id: Id, statusListIndex: Type.String(), statusListCredential: Id }, OPEN),
    proof: Type.Object({ type: Type.String(), cryptosuite: Type.String(), proofValue: Type.String() }, OPEN),
  },
  { title: 'BadgeCredential', ...OPEN },
);
export type BadgeCredential = Static<typeof BadgeCredential>;
