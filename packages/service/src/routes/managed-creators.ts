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
          'Returns the address of the key that the service keeps for the community. Requires the role `viewer`.',
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
        sharesWriteConnections: true,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'signWithManagedCreator',
        tags: ['Communities'],
        summary: 'Sign with the managed creator',
        description:
          'Signs a `Badge` of the community, which requires the role `editor`. Or signs an `AllowlistedAddress` for an allowlisted token of the community whose creator is the managed one, which requires the role `issuer`. Each signature has an entry in the audit log. An `Idempotency-Key` is ignored.',
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
