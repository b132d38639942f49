import { CreateTokenBody, LIMITS, OrderedPageQuery, Page, Token } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { listTokens } from '../../domain/tokens/list-tokens.ts';
import { readToken } from '../../domain/tokens/read-token.ts';
import { requestToken } from '../../domain/tokens/request-token.ts';
import { findCreationFaults } from '../../domain/tokens/rules.ts';
import { callerOf } from '../auth.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function tokenRoutes(app: App, context: Context): void {
  app.post(
    '/tokens',
    {
      config: { access: 'community', findBodyFaults: findCreationFaults },
      attachValidation: true,
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createToken',
        tags: ['Tokens'],
        summary: 'Create a token',
        description:
          'Accepts a token signed by its creator. `Location` points to the operation that creates it. The same request again is the same token and answers the same `Location`.',
        body: CreateTokenBody,
        response: {
          202: {
            description: 'Accepted. The result is produced by the operation that `Location` points to.',
            headers: {
              Location: { type: 'string', description: '/v1/operations/{operationId}' },
            },
            content: { 'application/json': { schema: Type.Object({}) } },
          },
          ...problemResponses(
            'InvalidRequest',
            'InvalidSignature',
            'ApiKeyRequired',
            'InvalidApiKey',
            'ApiKeyNotAllowed',
            'BadgeRegisterRequestNotSignedByCreator',
            'CommunityNotFound',
            'NftTypeNotFound',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const operationId = await requestToken(context, callerOf(request), request.body);
      return reply.code(202).header('Location', `/v1/operations/${operationId}`).send({});
    },
  );

  app.get(
    '/tokens',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'listTokens',
        tags: ['Tokens'],
        summary: 'List tokens',
        description: 'By ascending `tokenId`, so that a walk by offset neither skips nor repeats.',
        querystring: OrderedPageQuery,
        response: {
          200: jsonResponse('A page of tokens.', Page(Token)),
          ...problemResponses('InvalidRequest'),
        },
      },
    },
    async ({ query }) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, order = 'asc' } = query;
      return { limit, offset, data: await listTokens(context, { limit, offset, order }) };
    },
  );

  app.get(
    '/tokens/:tokenId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readToken',
        tags: ['Tokens'],
        summary: 'Read a token',
        params: Type.Object({ tokenId: Type.String() }),
        response: { 200: jsonResponse('The token.', Token), ...problemResponses('TokenNotFound') },
      },
    },
    async ({ params }) => await readToken(context, params.tokenId),
  );
}
