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
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
} from './route.ts';

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
        description: 'Creates a community.',
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
        description: 'Lists all communities.',
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
        description:
          "Returns what everybody may know of the community. One without a logo has the URL of the service's default logo.",
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
        description: paragraphs(
          'Fields that are absent keep their values; null resets an optional field. An unknown field is rejected. `uniqId` can be sent, so that a client can send back what it has read, but not changed.',
          "- **`adminAddresses`** requires the operator's key. It makes exactly these addresses the owners; an owner who is removed also loses what it has made, as with the call that removes a member.",
          "- **`hasManagedCreator`** requires the operator's key. True gives the community a managed creator; false or null takes it away. Its tokens stay, but nothing more is signed for them. With the same seed, the community gets the same address again.",
          '- **`contractWalletChainId`**: an address means one wallet on one chain, and on another chain somebody else can have a contract with the same address. Change it only if no contract wallet of the community is in use.',
        ),
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
        description: 'Returns the environment, the admins, the limits, and the reserved attribute names.',
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
