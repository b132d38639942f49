import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Problem } from './problem.ts';
import { Choice, Nullable, Timestamp, TokenId } from './shared.ts';

export const OPERATION_TYPES = [
  'createToken',
  'claim',
  'addContributors',
  'airdrop',
  'communityAdminAirdrop',
  'communityAdminAirdropWithoutConsentSig',
  'burn',
] as const;

/** The operation object (contract section 4). */
export const Operation = Type.Object(
  {
    operationId: Type.String({ format: 'uuid' }),
    operationType: Choice([...OPERATION_TYPES]),
    status: Choice(['pending', 'processing', 'success', 'error'], {
      description: '`success` and `error` are final.',
    }),
    resourceId: { ...Nullable(TokenId), description: "Null until `success`, then the token's id." },
    txHash: Nullable(Type.String({ description: 'Set only where the operation is settled on a chain.' })),
    error: Type.Union([Problem, Type.Null()]),
    createdAtTimestamp: Timestamp,
    completedAtTimestamp: Nullable(Timestamp),
  },
  { title: 'Operation' },
);
export type Operation = Static<typeof Operation>;

/** The query of GET /v1/operations/:operationId. */
export const OperationQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.waitSeconds,
      default: 0,
      description: 'Seconds to hold the answer until the operation is final.',
    }),
  ),
});
