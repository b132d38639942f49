import {
  ApiKey,
  CreateApiKeyBody,
  CreatedApiKey,
  KeepMailsQuery,
  LIMITS,
  Page,
  PageQuery,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { createApiKey } from '../domain/api-keys/create-api-key.ts';
import { listApiKeys } from '../domain/api-keys/list-api-keys.ts';
import { revokeApiKey } from '../domain/api-keys/revoke-api-key.ts';
import { findApiKeyErrors } from '../domain/api-keys/rules.ts';
import { callerOf } from '../http/auth.ts';
import { repetitionOf } from '../http/idempotency/idempotency.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { type App, CommunityParams, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound'] as const;

export function apiKeyRoutes(app: App, context: Context): void {
  app.post(
    '/communities/:communityId/apiKeys',
    {
      config: {
        access: 'community',
        role: 'owner',
        findBodyErrors: (body) => findApiKeyErrors(body, Date.now()),
        idempotency: 'repeat',
        usesWriteConnection: true,
      },
      schema: {
        operationId: 'createApiKey',
        tags: ['API keys'],
        summary: 'Create an API key',
        description:
          '`apiKey` is returned only once, because the service does not store it. A repetition with the same `Idempotency-Key` revokes the key of the earlier request and returns another one. If somebody has revoked that key, the repetition is rejected with 409 `SecretNotRepeated`, and no key is created.',
        params: CommunityParams,
        body: CreateApiKeyBody,
        response: {
          201: jsonResponse('The key that was created.', CreatedApiKey),
          ...problemResponses(...PATH_ERRORS, 'TooLarge', 'UnsupportedMediaType', 'SecretNotRepeated'),
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const repetition = repetitionOf(request);
      const created = await createApiKey(context, callerOf(request), { ...params, body, repetition });
      return reply.code(201).header('Cache-Control', 'no-store').send(created);
    },
  );

  app.get(
    '/communities/:communityId/apiKeys',
    {
      config: { access: 'community', role: 'owner' },
      schema: {
        operationId: 'listApiKeys',
        tags: ['API keys'],
        summary: "List a community's API keys",
        description:
          'The list contains expired keys, but not revoked ones, the oldest first, without the keys themselves.',
        params: CommunityParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of keys, oldest first.', Page(ApiKey)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listApiKeys(context, reader, callerOf(request), request.params.communityId, page),
      );
    },
  );

  app.delete(
    '/communities/:communityId/apiKeys/:apiKeyId',
    {
      config: { access: 'community', role: 'owner' },
      schema: {
        operationId: 'revokeApiKey',
        tags: ['API keys'],
        summary: 'Revoke an API key',
        description:
          'Every process rejects the revoked key from the next request on. The invitations that were queued with it are revoked; with `keepMails=true`, they are sent, as those of the owner who sends the request. A key that is unknown, already revoked or of another community returns 404 `ApiKeyNotFound`.',
        params: Type.Object({
          ...CommunityParams.properties,
          apiKeyId: Type.String({ description: 'The id of the key, not the key itself.' }),
        }),
        querystring: KeepMailsQuery,
        response: {
          204: { description: 'Revoked.', type: 'null' },
          ...problemResponses(...PATH_ERRORS, 'ApiKeyNotFound', 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request, reply) => {
      await revokeApiKey(context, callerOf(request), {
        ...request.params,
        keepMails: request.query.keepMails === 'true',
      });
      return reply.code(204).send(null);
    },
  );
}
