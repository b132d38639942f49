import { EventPage, EventsQuery, LIMITS } from '@badge/protocol';
import type { Context } from '../context.ts';
import { readEvents } from '../domain/events/read-events.ts';
import { callerOf } from '../http/auth.ts';
import { waitOf } from '../http/client-signal.ts';
import { sendObject } from '../http/reads/send-page.ts';
import { type App, CommunityParams, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

export function eventRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/events',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'readEvents',
        tags: ['Events'],
        summary: "Read a community's events",
        description:
          'Requires the role `viewer`. Returns every event exactly once, in the order of commits, to a reader who sends the `nextCursor` of each response as `after` of the next request. Events are kept for 30 days.',
        params: CommunityParams,
        querystring: EventsQuery,
        response: {
          200: jsonResponse('A page of events, oldest first.', EventPage),
          ...problemResponses(...KEY_ERRORS, 'CommunityNotFound', 'CursorExpired'),
        },
      },
    },
    async (request, reply) => {
      const { after, limit = LIMITS.defaultPageItems, wait = 0 } = request.query;
      reply.header('Cache-Control', 'no-store');
      return await sendObject(request, reply, (reader) =>
        readEvents(context, reader, callerOf(request), {
          ...request.params,
          after,
          limit,
          wait: waitOf(reply, wait),
        }),
      );
    },
  );
}
