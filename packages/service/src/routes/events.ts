import { EventPage, EventsQuery, LIMITS } from '@badge/protocol';
import type { Context } from '../context.ts';
import { readEvents } from '../domain/events/read-events.ts';
import { callerOf } from '../http/auth.ts';
import { waitOf } from '../http/client-signal.ts';
import { sendObject } from '../http/reads/send-page.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
} from './route.ts';

export function eventRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/events',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'readEvents',
        tags: ['Events'],
        summary: "Read a community's events",
        description: paragraphs(
          'The feed of what has happened in a community. A program that stores `nextCursor` together with what the events changed, and sends it as `after`, gets every event exactly once, in the order of the commits, also after a crash and a failover. The cursor is opaque, belongs to the community, and can change although `data` is empty.',
          '- **Types.** `token.created`, `token.updated` (hidden, shown, other criteria, or other times), `token.replaced` (one event for all owners), `badge.claimed` (by a claim or an airdrop), `badge.burnt`, `badge.revoked`, `badge.reinstated`, `badge.moved`, `badge.renewed`, `badge.expired`, `contributors.added`, `contributors.removed`, `invitation.sent`, `invitation.failed` and `operation.failed`. Ignore a type that you do not know: later releases add more. An event contains ids and public facts, never an e-mail address or a code.',
          '- **Guarantees.** An event is written in the transaction of its change, and is never inserted before one that was returned. Events are kept for 30 days. The feed begins with the release that introduced it.',
          '- **410 `CursorExpired`**: events after the cursor may be missing, because they are older than 30 days, because the database was restored or a failover has lost transactions, or because the cursor is from another community. Read the current state, then the events without `after`.',
        ),
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
