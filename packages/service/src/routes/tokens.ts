import { CreateTokenBody, LIMITS, OrderedPageQuery, Page, Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { listTokens } from '../domain/tokens/list-tokens.ts';
import { readToken } from '../domain/tokens/read-token.ts';
import { requestToken } from '../domain/tokens/request-token.ts';
import { findCreationErrors } from '../domain/tokens/rules.ts';
import { updateToken } from '../domain/tokens/update-token.ts';
import { callerOf } from '../http/auth.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { operationKeyOf } from '../http/idempotency/idempotency.ts';
import { sendObject } from '../http/reads/send-page.ts';
import { sendToken, sendTokenPage } from '../http/reads/send-tokens.ts';
import {
  type App,
  acceptedResponse,
  jsonResponse,
  KEY_ERRORS,
  problemResponses,
  SIGNATURE_ERRORS,
  sendAccepted,
  TokenParams,
} from './route.ts';

export function tokenRoutes(app: App, context: Context): void {
  app.post(
    '/tokens',
    {
      config: { access: 'community', role: 'editor', findBodyErrors: findCreationErrors },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createToken',
        tags: ['Tokens'],
        summary: 'Create a token',
        description:
          'Accepts a token that its creator has signed. `Location` contains the path of the operation that creates it. Send an `Idempotency-Key` to retry safely. Without one, an equal request within 60 seconds returns the same `Location`, with `Idempotency-Replayed: true`.',
        body: CreateTokenBody,
        response: {
          202: acceptedResponse,
          ...problemResponses(
            'InvalidRequest',
            ...SIGNATURE_ERRORS,
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
      const { body } = request;
      const key = operationKeyOf(request);
      return sendAccepted(
        reply,
        await requestToken(context, callerOf(request), {
          body,
          key,
          runChainCalls: chainCallsOf(request, reply),
        }),
      );
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
          'Lists tokens by `tokenId`. In ascending order, new tokens do not shift the offsets. So reading page by page returns every token once, unless a token is hidden or shown meanwhile. Hidden tokens are left out.',
        querystring: OrderedPageQuery,
        response: {
          200: jsonResponse('A page of tokens.', Page(Token)),
          ...problemResponses('InvalidRequest'),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, order = 'asc' } = request.query;
      const page = { limit, offset, order };
      const key = `tokens ${order} ${limit} ${offset}`;
      return await sendTokenPage(request, reply, { key, page }, (reader) =>
        listTokens(context, reader, page),
      );
    },
  );

  app.get(
    '/tokens/:tokenId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readToken',
        tags: ['Tokens'],
        summary: 'Retrieve a token',
        description: 'Also returns a hidden token.',
        params: TokenParams,
        response: { 200: jsonResponse('The token.', Token), ...problemResponses('TokenNotFound') },
      },
    },
    async (request, reply) =>
      await sendToken(request, reply, {
        key: `token ${request.params.tokenId}`,
        read: (reader) => readToken(context, reader, request.params.tokenId),
        idOf: ({ tokenId }) => tokenId,
      }),
  );

  app.patch(
    '/tokens/:tokenId',
    {
      config: { access: 'community', role: 'editor' },
      schema: {
        operationId: 'updateToken',
        tags: ['Tokens'],
        summary: 'Change a token',
        description:
          'Hides or shows the token, or changes its criteria. A hidden token is left out of the list of all tokens and, by default, of the list of its community. It can still be retrieved by id, appears in wallets, and can be claimed. Fields that are not sent do not change. An unknown field is rejected.',
        params: TokenParams,
        body: UpdateTokenBody,
        response: {
          200: jsonResponse('The token.', Token),
          ...problemResponses(...KEY_ERRORS, 'TokenNotFound', 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      return await sendObject(request, reply, (reader) =>
        updateToken(context, reader, callerOf(request), { ...params, ...body }),
      );
    },
  );
}
