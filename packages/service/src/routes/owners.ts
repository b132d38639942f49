import { type ErrorName, MoveBody, OwnerState, ReinstateBody, RevokeBody } from '@badge/protocol';
import Type, { type TSchema } from 'typebox';
import type { Context } from '../context.ts';
import { findAddressFieldErrors } from '../domain/address-errors.ts';
import { readOwner } from '../domain/claims/read-owner.ts';
import { requestMove } from '../domain/claims/request-move.ts';
import { requestStatusChange } from '../domain/claims/request-status-change.ts';
import { callerOf } from '../http/auth.ts';
import { operationKeyOf } from '../http/idempotency/idempotency.ts';
import {
  type App,
  acceptedResponse,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
  sendAccepted,
  TokenParams,
} from './route.ts';

const OwnerParams = Type.Object({
  ...TokenParams.properties,
  address: Type.String({ description: 'The address that has the token, or has had it.' }),
});

const findReceiverErrors = (body: unknown) => findAddressFieldErrors(body, ['toAddress']);

export function ownerRoutes(app: App, context: Context): void {
  app.get(
    '/tokens/:tokenId/owners/:address',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readOwner',
        tags: ['Claims'],
        summary: 'Retrieve an owner',
        description:
          'Says whether an address holds a token, or how it has lost the token. An address that has never had it returns 404 `OwnerNotFound`.',
        params: OwnerParams,
        response: {
          200: jsonResponse('What has become of the token of this address.', OwnerState),
          ...problemResponses('InvalidRequest', 'TokenNotFound', 'OwnerNotFound'),
        },
      },
    },
    async ({ params }) => await readOwner(context, params.tokenId, params.address),
  );

  app.post(
    '/tokens/:tokenId/owners/:address/revoke',
    {
      config: { access: 'community', role: 'editor' },
      schema: ownerOperationSchema({
        operationId: 'revokeToken',
        summary: 'Revoke a token',
        description: paragraphs(
          'Takes a token from an address that holds it. The address cannot claim it again, and no count changes. Wallets and lists of owners no longer contain it.',
          'Wait for one operation before you request the next about the same token and address, also with the calls that reinstate and move. Otherwise their order is not certain.',
        ),
        body: RevokeBody,
        errors: ['TokenNotOwned'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestStatusChange(context, callerOf(request), {
          operationType: 'revoke',
          ...request.params,
          body: request.body,
          key: operationKeyOf(request),
        }),
      ),
  );

  app.post(
    '/tokens/:tokenId/owners/:address/reinstate',
    {
      config: { access: 'community', role: 'editor' },
      schema: ownerOperationSchema({
        operationId: 'reinstateToken',
        summary: 'Reinstate a token',
        description:
          'Gives a revoked token back to its address, with its first `claimedAtTimestamp`. Only a revocation can be undone: not a burn and not a move.',
        body: ReinstateBody,
        errors: ['TokenNotRevoked'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestStatusChange(context, callerOf(request), {
          operationType: 'reinstate',
          ...request.params,
          body: request.body,
          key: operationKeyOf(request),
        }),
      ),
  );

  app.post(
    '/tokens/:tokenId/owners/:address/move',
    {
      config: { access: 'community', role: 'editor', findBodyErrors: findReceiverErrors },
      schema: ownerOperationSchema({
        operationId: 'moveToken',
        summary: 'Move a token',
        description:
          'Moves a token from the address that holds it to `toAddress`, with its first `claimedAtTimestamp`. No count changes. `toAddress` need not be on the allowlist; if it is, its entry counts as claimed. In mixed case, it must have the right EIP-55 checksum. The token can be moved back to the address that it came from. 409 `ClaimingAddressAlreadyHasToken`: `toAddress` has the token, or has had another one. 409 `RecipientRefuses`: `toAddress` refuses what others give in the community, and the token is not moved back to it.',
        body: MoveBody,
        errors: ['TokenNotOwned', 'ClaimingAddressAlreadyHasToken', 'RecipientRefuses'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestMove(context, callerOf(request), {
          ...request.params,
          body: request.body,
          key: operationKeyOf(request),
        }),
      ),
  );
}

/** Returns the schema of a route that starts an operation on the token of an address. */
function ownerOperationSchema<Body extends TSchema>({
  errors,
  ...schema
}: {
  operationId: string;
  summary: string;
  description: string;
  body: Body;
  errors: ErrorName[];
}) {
  return {
    ...schema,
    tags: ['Claims'],
    params: OwnerParams,
    response: {
      202: acceptedResponse,
      ...problemResponses(
        ...KEY_ERRORS,
        'TokenNotFound',
        'TokenReplaced',
        'TooLarge',
        'UnsupportedMediaType',
        ...errors,
      ),
    },
  };
}
