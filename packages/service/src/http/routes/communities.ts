import { Community } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { readCommunity } from '../../domain/communities/read-community.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function communityRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readCommunity',
        tags: ['Communities'],
        summary: 'Read a community',
        params: Type.Object({ communityId: Type.String({ description: 'Its uniqId.' }) }),
        response: {
          200: jsonResponse('The community.', Community),
          ...problemResponses('CommunityNotFound'),
        },
      },
    },
    async ({ params }) => await readCommunity(context, params.communityId),
  );
}
