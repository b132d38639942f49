import { CreateTokenBody, LIMITS, OrderedPageQuery, Page, Token, UpdateTokenBody } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { listTokens } from '../../domain/tokens/list-tokens.ts';
import { readToken } from '../../domain/tokens/read-token.ts';
import { requestToken } from '../../domain/tokens/request-token.ts';
import { findCreationErrors } from '../../domain/tokens/rules.ts';
import { updateToken } from '../../domain/tokens/update-token.ts';
import { callerOf } from '../auth.ts';
import {
  type App,
  acceptedResponse,
  jsonResponse,
  KEY_ERRORS,
  problemResponses,
  sendAccepted,
} from './route.ts';

export function tokenRoutes(app: App, context: Context): void {
  app.post(
    '/tokens',
    {
      config: { access: 'community', findBodyErrors: findCreationErrors },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createToken',
        tags: ['Tokens'],
        summary: 'Create a token',
        description:
          'Accepts a token signed by its creator. `Location` points to the operation that creates it. The same request again is the same token and answers the same `Location`.',
        body: CreateTokenBody,
        response: {
          202: acceptedResponse,
          ...problemResponses(
            'InvalidRequest',
            'InvalidSignature',
            ...KEY_ERRORS,
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
      return sendAccepted(reply, operationId);
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
        description:
          'By ascending `tokenId`, so that a walk by offset neither skips nor repeats. Hidden tokens are left out.',
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

  app.patch(
    '/tokens/:tokenId',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'updateToken',
        tags: ['Tokens'],
        summary: 'Hide a token, or show it again',
        description:
          'A hidden token is left out of token listings; it still answers by id, in wallets, and can be claimed.',
        params: Type.Object({ tokenId: Type.String() }),
        body: UpdateTokenBody,
        response: {
          200: jsonResponse('The token.', Token),
          ...problemResponses(...KEY_ERRORS, 'TokenNotFound', 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request) => await updateToken(context, callerOf(request), request.params.tokenId, request.body),
  );
}
