import Type, { type Static } from 'typebox';
import { Address, Choice } from './shared.ts';

const TypedDataFields = Type.Array(Type.Object({ name: Type.String(), type: Type.String() }));

/** The response of GET /v1/environment: what a client needs to sign (EIP-712). */
export const Environment = Type.Object(
  {
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
  },
  { title: 'Environment' },
);
export type Environment = Static<typeof Environment>;
