import {
  Community,
  CommunityConfiguration,
  CommunityWithAdmins,
  CreateCommunityBody,
  LIMITS,
  Page,
  PageQuery,
  UpdateCommunityBody,
} from '@badge/protocol';
import type { Context } from '../context.ts';
import { createCommunity } from '../domain/communities/create-community.ts';
import { listCommunities, readCommunity, readConfiguration } from '../domain/communities/read-community.ts';
import { findCommunityChangeErrors, findCommunityErrors } from '../domain/communities/rules.ts';
import { updateCommunity } from '../domain/communities/update-community.ts';
import { callerOf } from '../http/auth.ts';
import { responseRecorderOf } from '../http/idempotency/idempotency.ts';
import { sendPageInPieces } from '../http/reads/send-page.ts';
import { type App, CommunityParams, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const BODY_ERRORS = ['InvalidRequest', 'TooLarge', 'UnsupportedMediaType'] as const;

export function communityRoutes(app: App, context: Context): void {
  app.post(
    '/communities',
    {
      config: { access: 'operator', findBodyErrors: findCommunityErrors, idempotency: 'lock' },
      schema: {
        operationId: 'createCommunity',
        tags: ['Communities'],
        summary: 'Create a community',
        description: "Requires the operator's key.",
        body: CreateCommunityBody,
        response: {
          201: jsonResponse('The community with its admins.', CommunityWithAdmins),
          ...problemResponses(...BODY_ERRORS, ...KEY_ERRORS, 'CommunityExists'),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const recordResponse = responseRecorderOf(request);
      return reply
        .code(201)
        .send(await createCommunity(context, callerOf(request), { body, recordResponse }));
    },
  );

  app.get(
    '/communities',
    {
      config: { access: 'operator' },
      schema: {
        operationId: 'listCommunities',
        tags: ['Communities'],
        summary: 'List communities',
        description: "Requires the operator's key.",
        querystring: PageQuery,
        response: {
          200: jsonResponse(
            'A page of communities with their admins, oldest first.',
            Page(CommunityWithAdmins),
          ),
          ...problemResponses(...KEY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPageInPieces(request, reply, page, (reader) => listCommunities(context, reader, page));
    },
  );

  app.get(
    '/communities/:communityId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readCommunity',
        tags: ['Communities'],
        summary: 'Retrieve a community',
        description: 'Returns what everybody may know of the community.',
        params: CommunityParams,
        response: {
          200: jsonResponse('The community.', Community),
          ...problemResponses('CommunityNotFound'),
        },
      },
    },
    async ({ params }) => await readCommunity(context, params.communityId),
  );

  app.patch(
    '/communities/:communityId',
    {
      config: {
        access: 'community',
        role: 'owner',
        findBodyErrors: (body, { communityId = '' }) => findCommunityChangeErrors(body, communityId),
      },
      schema: {
        operationId: 'updateCommunity',
        tags: ['Communities'],
        summary: 'Update a community',
        description:
          "Requires the role `owner`. `adminAddresses` and `hasManagedCreator` require the operator's key. Fields that are absent keep their values; null resets an optional field. An unknown field is rejected. `uniqId` can be sent, but not changed.",
        params: CommunityParams,
        body: UpdateCommunityBody,
        response: {
          200: jsonResponse('The community with its admins.', CommunityWithAdmins),
          ...problemResponses(
            ...BODY_ERRORS,
            ...KEY_ERRORS,
            'CommunityNotFound',
            'ManagedCreatorUnavailable',
          ),
        },
      },
    },
    async (request) =>
      await updateCommunity(context, callerOf(request), request.params.communityId, request.body),
  );

  app.get(
    '/communities/:communityId/configuration',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'readConfiguration',
        tags: ['Communities'],
        summary: "Retrieve a community's configuration",
        description:
          'Returns the signing domain and types, the admins, the limits, and the reserved attribute names.',
        params: CommunityParams,
        response: {
          200: jsonResponse('The configuration.', CommunityConfiguration),
          ...problemResponses(...KEY_ERRORS, 'CommunityNotFound'),
        },
      },
    },
    async (request) => await readConfiguration(context, callerOf(request), request.params.communityId),
  );
}
