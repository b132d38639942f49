import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Address, Choice, Count, Text, Timestamp, TokenId } from './field-types.ts';
import { CreateTokenBody } from './token.ts';

/** The response of GET /v1/communities/:communityId/managedCreator. */
export const ManagedCreator = Type.Object({ address: Address }, { title: 'ManagedCreator' });
export type ManagedCreator = Static<typeof ManagedCreator>;

const { isSignatureRequired, isAllowlistRequired } = CreateTokenBody.properties;
const timestamp = (description: string) => Type.Optional({ ...Timestamp, description });

/**
 * The body of POST /v1/communities/:communityId/managedCreator/sign. `message` has all fields of its type,
 * and no others.
 */
export const SignWithManagedCreatorBody = Type.Object(
  {
    primaryType: Choice(['Badge', 'AllowlistedAddress'], { description: 'The type of the message.' }),
    message: Type.Object(
      {
        headline: Type.Optional(Text({ minLength: 1, maxLength: LIMITS.headlineCharacters })),
        description: Type.Optional(
          Text({ maxLength: LIMITS.descriptionCharacters, description: 'Empty: none.' }),
        ),
        startDateTimestamp: timestamp('0: none.'),
        endDateTimestamp: timestamp('0: none.'),
        links: Type.Optional(
          Type.Array(Text({ maxLength: LIMITS.linkCharacters }), { maxItems: LIMITS.links }),
        ),
        communityUniqId: Type.Optional(Type.String({ description: 'The id of the community in the path.' })),
        isSignatureRequired: Type.Optional(isSignatureRequired),
        isAllowlistRequired: Type.Optional(isAllowlistRequired),
        totalClaimCount: Type.Optional({
          ...Count,
          description: 'At least 1 for an open token, 0 for an allowlisted token.',
        }),
        expirationTimestamp: timestamp('0: the token does not expire.'),
        tokenId: Type.Optional({
          ...TokenId,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'The only field of `AllowlistedAddress`. `Badge` has all other fields.',
        }),
      },
      {
        additionalProperties: false,
        description: 'The message to sign, with all fields of its type, as in `GET /v1/environment`.',
      },
    ),
  },
  { title: 'SignWithManagedCreatorBody' },
);
export type SignWithManagedCreatorBody = Static<typeof SignWithManagedCreatorBody>;

/** The response of POST /v1/communities/:communityId/managedCreator/sign. */
export const ManagedSignature = Type.Object(
  {
    address: Address,
    signature: Type.String({ description: 'The EIP-712 signature: 65 bytes in hex, with v 27 or 28.' }),
  },
  { title: 'ManagedSignature' },
);
export type ManagedSignature = Static<typeof ManagedSignature>;
