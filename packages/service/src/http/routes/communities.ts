import {
  Community,
  CommunityConfiguration,
  CreateCommunityBody,
  LIMITS,
  ManagedCommunity,
  Page,
  PageQuery,
  UpdateCommunityBody,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { createCommunity } from '../../domain/communities/create-community.ts';
import {
  listCommunities,
  readCommunity,
  readConfiguration,
} from '../../domain/communities/read-community.ts';
import { findCommunityErrors } from '../../domain/communities/rules.ts';
import { updateCommunity } from '../../domain/communities/update-community.ts';
import { callerOf } from '../auth.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const CommunityPath = Type.Object({ communityId: Type.String({ description: 'Its uniqId.' }) });
const BODY_ERRORS = ['InvalidRequest', 'TooLarge', 'UnsupportedMediaType'] as const;

export function communityRoutes(app: App, context: Context): void {
  app.post(
    '/communities',
    {
      config: { access: 'operator', findBodyErrors: findCommunityErrors },
      schema: {
        operationId: 'createCommunity',
        tags: ['Communities'],
        summary: "Create a community, with the operator's key",
        body: CreateCommunityBody,
        response: {
          201: jsonResponse('The community, with its admins.', ManagedCommunity),
          ...problemResponses(...BODY_ERRORS, ...KEY_ERRORS, 'CommunityExists'),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createCommunity(context, callerOf(request), request.body)),
  );

  app.get(
    '/communities',
    {
      config: { access: 'operator' },
      schema: {
        operationId: 'listCommunities',
        tags: ['Communities'],
        summary: "List communities, with the operator's key",
        querystring: PageQuery,
        response: {
          200: jsonResponse(
            'A page of communities with their admins, the oldest first.',
            Page(ManagedCommunity),
          ),
          ...problemResponses(...KEY_ERRORS),
        },
      },
    },
    async ({ query: { limit = LIMITS.defaultPageItems, offset = 0 } }) => ({
      limit,
      offset,
      data: await listCommunities(context, { limit, offset }),
    }),
  );

  app.get(
    '/communities/:communityId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readCommunity',
        tags: ['Communities'],
        summary: 'Read a community',
        params: CommunityPath,
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
      config: { access: 'operator', findBodyErrors: findCommunityErrors },
      schema: {
        operationId: 'updateCommunity',
        tags: ['Communities'],
        summary: "Change a community, with the operator's key",
        description:
          'Fields that are left out stay; null resets an optional one. `uniqId` stays, whatever is sent.',
        params: CommunityPath,
        body: UpdateCommunityBody,
        response: {
          200: jsonResponse('The community, with its admins.', ManagedCommunity),
          ...problemResponses(...BODY_ERRORS, ...KEY_ERRORS, 'CommunityNotFound'),
        },
      },
    },
    async (request) =>
      await updateCommunity(context, callerOf(request), request.params.communityId, request.body),
  );

  app.get(
    '/communities/:communityId/configuration',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'readConfiguration',
        tags: ['Communities'],
        summary: "Read a community's configuration",
        description: 'How its tokens are signed, who may sign admin airdrops, and the limits of requests.',
        params: CommunityPath,
        response: {
          200: jsonResponse('The configuration.', CommunityConfiguration),
          ...problemResponses(...KEY_ERRORS, 'CommunityNotFound'),
        },
      },
    },
    async (request) => await readConfiguration(context, callerOf(request), request.params.communityId),
  );
}
