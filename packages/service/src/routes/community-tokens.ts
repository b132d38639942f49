import { CommunityToken, CommunityTokensQuery, LIMITS, Page } from '@badge/protocol';
import type { Context } from '../context.ts';
import { listCommunityTokens } from '../domain/tokens/list-tokens.ts';
import { optionalCallerOf } from '../http/auth.ts';
import { sendTokenPage } from '../http/reads/send-tokens.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
} from './route.ts';

export function communityTokenRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/tokens',
    {
      config: {
        access: 'optional',
        role: 'viewer',
        // Without `isHidden`, the response is the same with and without a key.
        isKeyNeeded: ({ query }) => Boolean((query as { isHidden?: unknown }).isHidden),
      },
      schema: {
        operationId: 'listCommunityTokens',
        tags: ['Communities'],
        summary: "List a community's tokens",
        description: paragraphs(
          'Lists tokens in the order of `tokenId`. A token must match all filters. Hidden tokens are left out; with `isHidden`, which requires a key or session with the role `viewer`, only these or only the others are listed. Without `isHidden`, a key is ignored.',
          'A query parameter that is not documented here filters by the custom attribute of this name, case-sensitive. It is compared with the attribute\'s value, written as JSON; a string is compared without its quotes. `?n=5` finds the number 5 and the string "5"; `?n=5.0` finds only the string "5.0"; `?x=` finds the empty string. If no token has the attribute, the list is empty.',
          'With at most one filter, every page costs the same, whatever its offset. A list with several filters is read for up to 1 second; then the request fails with 503 `Unavailable`: use fewer filters or a smaller offset, or retry later.',
        ),
        params: CommunityParams,
        querystring: CommunityTokensQuery,
        response: {
          200: jsonResponse("A page of the community's tokens.", Page(CommunityToken)),
          ...problemResponses(...KEY_ERRORS, 'CommunityNotFound'),
        },
      },
    },
    async (request, reply) => {
      const {
        limit = LIMITS.defaultPageItems,
        offset = 0,
        order = 'asc',
        headline,
        isHidden,
        ...attributes
      } = request.query;
      const caller = optionalCallerOf(request);
      const visibility = caller === null ? null : { isHidden: isHidden === 'true', caller };
      const filter = { limit, offset, order, headline, attributes };
      const { communityId } = request.params;
      const isFiltered = visibility !== null || headline !== undefined || Object.keys(attributes).length > 0;
      // Only pages that are the same for everybody, and that many clients read, are stored.
      const key = isFiltered ? null : `community ${communityId} ${order} ${limit} ${offset}`;
      return await sendTokenPage(request, reply, { key, page: filter }, (reader) =>
        listCommunityTokens(context, reader, communityId, visibility, filter),
      );
    },
  );
}
