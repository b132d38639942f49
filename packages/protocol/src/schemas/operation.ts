import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Choice, Nullable, Timestamp, TokenId } from './field-types.ts';
import { Problem } from './problem.ts';

export const OPERATION_TYPES = [
  'createToken',
  'claim',
  'addContributors',
  'airdrop',
  'communityAdminAirdrop',
  'communityAdminAirdropWithoutConsentSig',
  'burn',
  'revoke',
  'reinstate',
  'move',
  'removeContributors',
  'replace',
  'renew',
  'moveBadges',
  'export',
  'import',
] as const;

export const OPERATION_STATUSES = ['pending', 'processing', 'success', 'error'] as const;

/** The response of GET /v1/operations/:operationId. */
export const Operation = Type.Object(
  {
    operationId: Type.String({ format: 'uuid' }),
    operationType: Choice([...OPERATION_TYPES]),
    status: Choice([...OPERATION_STATUSES], {
      description:
        '`pending`; `processing`: it failed together with others, or it is a `replace`, and is settled alone. `success` and `error` are final.',
    }),
    resourceId: {
      ...Nullable(TokenId),
      description:
        'The id of the token. Null until `status` is `success`. If another token has replaced it since the request was accepted: the id of that one. Of a `replace`: the token that was replaced. Of `moveBadges`: always null. Of an `export` or an `import`: its id.',
    },
    txHash: Nullable(
      Type.String({
        description: 'Always null: operations are not settled on a blockchain.',
      }),
    ),
    error: Type.Union([Problem, Type.Null()], {
      description: 'Why the operation failed. Null unless `status` is `error`.',
    }),
    warnings: Type.Array(
      Type.Object({
        pointer: Type.String({ description: 'A JSON pointer (RFC 6901) into the body of the request.' }),
        detail: Type.String(),
        tokenId: Type.Optional({
          ...TokenId,
          description: 'The token that the warning is about. Only of `moveBadges`.',
        }),
      }),
      {
        description:
          'What is probably not meant so in the request, although it was accepted: the first 100; usually empty. A timestamp or a date attribute looks like seconds, because it is before March 1973; an expiration is in the past; a contributor looks like an ENS name, and the service does not resolve names. Of `moveBadges`: each badge that stayed behind.',
      },
    ),
    createdAtTimestamp: { ...Timestamp, description: 'When the request was accepted.' },
    completedAtTimestamp: Nullable({
      ...Timestamp,
      description: 'When the operation became final, or null.',
    }),
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
      description: 'Waits up to this many seconds for the operation to become final (long polling).',
    }),
  ),
});
