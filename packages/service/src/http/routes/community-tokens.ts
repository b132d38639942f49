import { CommunityToken, CommunityTokensQuery, LIMITS, Page } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { listCommunityTokens } from '../../domain/tokens/list-tokens.ts';
import { optionalCallerOf } from '../auth.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

export function communityTokenRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/tokens',
    {
      config: {
        access: 'optional',
        isKeyNeeded: ({ query }) => Boolean((query as { isHidden?: unknown }).isHidden),
      },
      schema: {
        operationId: 'listCommunityTokens',
        tags: ['Communities'],
        summary: "List a community's tokens",
        description:
          "By ascending `tokenId`. Every parameter that is not listed is a custom attribute's name, compared with its value's text: `?org_info=wonder`. Hidden tokens are left out; `isHidden` shows them, or not, to the community's key.",
        params: Type.Object({ communityId: Type.String({ description: 'Its uniqId.' }) }),
        querystring: CommunityTokensQuery,
        response: {
          200: jsonResponse("A page of the community's tokens.", Page(CommunityToken)),
          ...problemResponses(...KEY_ERRORS, 'CommunityNotFound'),
        },
      },
    },
    async (request) => {
      const {
        limit = LIMITS.defaultPageItems,
        offset = 0,
        order = 'asc',
        headline,
        isHidden,
        ...attributes
      } = request.query;
      const caller = optionalCallerOf(request);
      const hidden = caller === null ? null : { isHidden: isHidden === 'true', caller };
      const filter = { limit, offset, order, headline, attributes };
      return {
        limit,
        offset,
        data: await listCommunityTokens(context, request.params.communityId, hidden, filter),
      };
    },
  );
}
