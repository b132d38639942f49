import { LIMITS, NftType, Page, PageQuery } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { listNftTypes } from '../../domain/nft-types/list-nft-types.ts';
import { callerOf } from '../auth.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function nftTypeRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/nftTypes',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'listNftTypes',
        tags: ['NFT types'],
        summary: "List a community's NFT types",
        params: Type.Object({ communityId: Type.String() }),
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of NFT types, the built-in ones first.', Page(NftType)),
          ...problemResponses(
            'InvalidRequest',
            'ApiKeyRequired',
            'InvalidApiKey',
            'ApiKeyNotAllowed',
            'CommunityNotFound',
          ),
        },
      },
    },
    async (request) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const { communityId } = request.params;
      return {
        limit,
        offset,
        data: await listNftTypes(context, callerOf(request), communityId, { limit, offset }),
      };
    },
  );
}
