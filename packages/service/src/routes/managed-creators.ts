import { LIMITS, ManagedCreator, ManagedSignature, SignWithManagedCreatorBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { readManagedCreator } from '../domain/managed-creators/read-managed-creator.ts';
import { findSigningErrors } from '../domain/managed-creators/rules.ts';
import { signWithManagedCreator } from '../domain/managed-creators/sign-with-managed-creator.ts';
import { callerOf } from '../http/auth.ts';
import { type App, CommunityParams, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound', 'ManagedCreatorNotFound'] as const;

export function managedCreatorRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/managedCreator',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'readManagedCreator',
        tags: ['Communities'],
        summary: "Retrieve a community's managed creator",
        description:
          "Returns the address of the key that the service keeps for the community, so that organisers without a wallet can create tokens: sign with the next call, then send the signature with this `address` as `creator`. The service has this key only if the operator has set `BADGE_CREATOR_SEED_FILE` and given the community a managed creator; a sandbox has both for `demo`. The key follows from the seed and the community's id. No call returns it. If the seed has been replaced, nothing is signed until the operator sets `hasManagedCreator` to false and then to true; the community then has another address, and nothing can be signed for the tokens of the former one.",
        params: CommunityParams,
        response: {
          200: jsonResponse('The managed creator.', ManagedCreator),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request) => await readManagedCreator(context, callerOf(request), request.params.communityId),
  );

  app.post(
    '/communities/:communityId/managedCreator/sign',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body, { communityId = '' }) => findSigningErrors(body, communityId),
        idempotency: 'ignore',
        usesWriteConnection: true,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'signWithManagedCreator',
        tags: ['Communities'],
        summary: 'Sign with the managed creator',
        description:
          'Signs an `AllowlistedAddress` for an allowlisted token of the community whose creator is the managed one. Or signs a `Badge` of the community, which requires the role `editor`. `message` has all fields of its type, and no others. A `Badge` follows the rules of creating a token. Each signature has an entry in the audit log, which is written before the signature is returned. An `Idempotency-Key` is ignored: a repetition returns the same signature and leaves another entry. A token of another community returns 404 `TokenNotFound`, one of another creator 403 `NotSignedByCreator`, an open one 409 `AllowlistMismatch`.',
        params: CommunityParams,
        body: SignWithManagedCreatorBody,
        response: {
          200: jsonResponse('The signature.', ManagedSignature),
          ...problemResponses(
            ...PATH_ERRORS,
            'NotSignedByCreator',
            'TokenNotFound',
            'AllowlistMismatch',
            'ManagedCreatorUnavailable',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request) =>
      await signWithManagedCreator(context, callerOf(request), { ...request.params, body: request.body }),
  );
}
