import Type, { type Static } from 'typebox';
import { Address, ChainId, Choice } from './field-types.ts';

const TypedDataFields = Type.Array(Type.Object({ name: Type.String(), type: Type.String() }));

/**
 * The response of GET /v1/environment: what a client needs to sign (EIP-712), which wallets can sign, and
 * whether mails are sent.
 */
export const Environment = Type.Object(
  {
    version: Type.String({ description: 'The version of the service, such as `1.0.0`.' }),
    environment: Choice(['sandbox', 'production']),
    eip712: Type.Object({
      domain: Type.Object({
        name: Type.Literal('Badge'),
        chainId: Type.Integer(),
        verifyingContract: Address,
      }),
      types: Type.Record(Type.String(), TypedDataFields, {
        description: 'The fields of each type that is signed in this domain.',
      }),
    }),
    contractWalletChainIds: Type.Array(ChainId, {
      description: 'The chains whose contract wallets can sign, because the service has an endpoint of them.',
    }),
    hasEns: Type.Boolean({ description: 'Whether the service resolves ENS names.' }),
    mail: Choice(['sent', 'kept', 'unavailable'], {
      description:
        'What becomes of mails. `sent`: they go to a mail server. `kept`: a sandbox without a mail server keeps them as files. `unavailable`: there are no invitations and no reservations.',
    }),
    hasKeptBadges: Type.Boolean({
      description:
        'Whether people can keep badges with their e-mail alone: the service sends mails, and has a seed and an encryption key for it.',
    }),
  },
  { title: 'Environment' },
);
export type Environment = Static<typeof Environment>;
