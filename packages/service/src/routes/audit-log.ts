import { AuditEntry, AuditLogQuery, LIMITS, Page } from '@badge/protocol';
import type { Context } from '../context.ts';
import { listAuditLog } from '../domain/audit-log/list-audit-log.ts';
import { callerOf } from '../http/auth.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

export function auditLogRoutes(app: App, context: Context): void {
  app.get(
    '/auditLog',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'listAuditLog',
        tags: ['Audit log'],
        summary: 'List the audit log',
        description:
          "Lists who did what, and when. With `communityId`, requires the role `viewer` in this community; without it, the operator's key. Every change and every accepted operation has an entry, written in the same transaction. To read all pages, set a fixed `beforeTimestamp`: otherwise new entries shift the offsets.",
        querystring: AuditLogQuery,
        response: {
          200: jsonResponse('A page of entries, newest first.', Page(AuditEntry)),
          ...problemResponses('InvalidRequest', ...KEY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, ...filter } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listAuditLog(context, reader, callerOf(request), { ...page, ...filter }),
      );
    },
  );
}
