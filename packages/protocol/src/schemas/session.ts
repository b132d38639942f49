import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { RETURN_PATH_PATTERN } from '../return-path.ts';
import {
  Address,
  ChainId,
  Choice,
  Nullable,
  OptionalOrNull,
  Text,
  Timestamp,
  UUID_PATTERN,
} from './field-types.ts';
import { OptionalMailLanguage } from './invitation.ts';
import { Role } from './member.ts';

/** The body of POST /v1/sessions/challenge. */
export const CreateSignInChallengeBody = Type.Object(
  {
    address: Address,
    chainId: OptionalOrNull({
      ...ChainId,
      description:
        'For a contract wallet: its chain, the chain of the signing domain or one of `contractWalletChainIds` of `GET /v1/environment`. The session counts only in communities whose contract wallets are on this chain. Default: the chain of the signing domain.',
    }),
  },
  { title: 'CreateSignInChallengeBody' },
);
export type CreateSignInChallengeBody = Static<typeof CreateSignInChallengeBody>;

/** The response of POST /v1/sessions/challenge. */
export const SignInChallenge = Type.Object(
  {
    message: Type.String({ description: 'The EIP-4361 message. The wallet signs it with `personal_sign`.' }),
    expiresAtTimestamp: { ...Timestamp, description: 'Until when the signed message is accepted.' },
  },
  { title: 'SignInChallenge' },
);
export type SignInChallenge = Static<typeof SignInChallenge>;

/** The body of POST /v1/sessions/emailChallenge. */
export const CreateEmailChallengeBody = Type.Object(
  {
    email: Type.String({
      description: 'The e-mail address to prove. Up to 254 characters; ASCII before the `@`.',
      examples: ['ada@example.org'],
    }),
    language: OptionalMailLanguage('The language of the mail. Default: `en`.'),
    returnPath: OptionalOrNull(
      Type.String({
        pattern: RETURN_PATH_PATTERN,
        description:
          'The path of the page below `PUBLIC_URL` from which the person comes. The link in the mail names it. One of `/`, `/badges`, `/my-badges`, `/verify`, `/token/TOKEN_ID`, `/claim/TOKEN_ID` and `/wallet/ADDRESS`.',
        examples: ['/token/1'],
      }),
    ),
  },
  { title: 'CreateEmailChallengeBody' },
);
export type CreateEmailChallengeBody = Static<typeof CreateEmailChallengeBody>;

/** The response of POST /v1/sessions/emailChallenge. */
export const EmailChallenge = Type.Object(
  {
    challengeId: Type.String({
      format: 'uuid',
      description: 'Sent with the code of the mail. Keep it in the page that has asked.',
    }),
    expiresAtTimestamp: { ...Timestamp, description: 'Until when a code is accepted with it.' },
  },
  { title: 'EmailChallenge' },
);
export type EmailChallenge = Static<typeof EmailChallenge>;

/** The body of POST /v1/sessions. */
export const SignInBody = Type.Object(
  {
    message: OptionalOrNull(
      Text({
        minLength: 1,
        maxLength: LIMITS.signInMessageCharacters,
        description: 'The message of the challenge for a wallet, unchanged. Requires `signature`.',
      }),
    ),
    signature: OptionalOrNull(
      Type.String({
        description: "The wallet's signature of `message`, in hex. That of a contract wallet: up to 8 KiB.",
      }),
    ),
    challengeId: OptionalOrNull(
      Type.String({
        pattern: UUID_PATTERN,
        description: 'The challenge for an e-mail address. Requires `code`, and excludes `message`.',
      }),
    ),
    code: OptionalOrNull(
      Text({
        minLength: 1,
        maxLength: LIMITS.claimCodeCharacters,
        description:
          'The code of the mail. Case, spaces and hyphens do not matter, nor does `O` for `0`, or `I` or `L` for `1`.',
        examples: ['7K2M-9QPD'],
      }),
    ),
  },
  { title: 'SignInBody' },
);
export type SignInBody = Static<typeof SignInBody>;

/** The response of GET /v1/sessions/current. */
export const Session = Type.Object(
  {
    identity: Type.Union(
      [
        Type.Object({ type: Type.Literal('wallet'), address: Address }),
        Type.Object({ type: Type.Literal('email'), email: Type.String() }),
      ],
      { description: 'What has been proven: the address of a wallet, or an e-mail address.' },
    ),
    address: Nullable({
      ...Address,
      description: 'The address of the wallet. Null after a sign-in by e-mail.',
    }),
    addresses: Type.Array(Type.Object({ communityId: Type.String(), address: Address }), {
      description:
        'After a sign-in by e-mail: the addresses at which the service keeps badges for the e-mail, each with its community: those that have a badge now, the first 1,000. Empty for a wallet.',
    }),
    emailHash: Nullable({
      ...Type.String(),
      description:
        'After a sign-in by e-mail: 64 hex digits that name the e-mail, which a wallet signs to receive its badges. Null for a wallet.',
    }),
    moveNonce: Nullable({
      ...Type.Integer({ minimum: 0 }),
      description:
        'After a sign-in by e-mail: the number that the next signature for `POST /v1/sessions/current/moveBadges` must contain. Null for a wallet.',
    }),
    defaultAddress: Nullable({
      ...Address,
      description:
        'After a sign-in by e-mail: the wallet that gets what is claimed later with the e-mail. Null if it is kept, and for a wallet.',
    }),
    expiresAtTimestamp: Timestamp,
    memberships: Type.Array(Type.Object({ communityId: Type.String(), name: Type.String(), role: Role }), {
      description:
        'The communities of which the address is a member now, with their names and its role in each: the first 1,000.',
    }),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

/** The body of POST /v1/sessions/current/moveBadges. */
export const MoveBadgesBody = Type.Object(
  {
    toAddress: { ...Address, description: 'The wallet that gets the badges.' },
    signature: Type.String({
      description:
        "The wallet's signature of `ReceiveBadges` `{emailHash, nonce}`, in hex: the `emailHash` and the `moveNonce` of `GET /v1/sessions/current`. That of a contract wallet: up to 8 KiB.",
    }),
    isDefault: OptionalOrNull({
      ...Type.Boolean(),
      description:
        'True: what is claimed later with the e-mail goes to the wallet. False: it is kept, whatever was chosen before. Absent or null: this stays as it is.',
    }),
  },
  { title: 'MoveBadgesBody' },
);
export type MoveBadgesBody = Static<typeof MoveBadgesBody>;

/** An item of GET /v1/sessions/current/refusedCommunities. */
export const RefusedCommunity = Type.Object(
  { communityId: Type.String(), name: Type.String() },
  { title: 'RefusedCommunity' },
);
export type RefusedCommunity = Static<typeof RefusedCommunity>;

/** An item of GET /v1/sessions. */
export const SessionItem = Type.Object(
  {
    isCurrent: Type.Boolean({ description: 'Whether the request was sent with this session.' }),
    createdAtTimestamp: Timestamp,
    expiresAtTimestamp: Timestamp,
  },
  { title: 'SessionItem' },
);
export type SessionItem = Static<typeof SessionItem>;

/** The response of GET /v1/caller. */
export const CallerDescription = Type.Object(
  {
    kind: Choice(['apiKey', 'session', 'operator'], {
      description:
        "`apiKey`: a community's key. `session`: somebody who has signed in. `operator`: the operator's key.",
    }),
    apiKeyId: Nullable(Type.String({ format: 'uuid', description: 'Null unless `kind` is `apiKey`.' })),
    address: Nullable({
      ...Address,
      description: 'The address of the wallet that has signed in. Null unless `kind` is `session`.',
    }),
    memberships: {
      ...Session.properties.memberships,
      description:
        'The communities for which the key or the address may act now, with its role in each: the first 1,000. Empty for the operator, who may act for all.',
    },
  },
  { title: 'CallerDescription' },
);
export type CallerDescription = Static<typeof CallerDescription>;

/** The response of POST /v1/sessions. */
export const CreatedSession = Type.Object(
  {
    sessionToken: Type.String({
      description: 'Sent as `Authorization: Bearer`. It is returned only once.',
    }),
    ...Session.properties,
  },
  { title: 'CreatedSession' },
);
export type CreatedSession = Static<typeof CreatedSession>;
