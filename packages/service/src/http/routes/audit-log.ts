import { AuditEntry, AuditLogQuery, LIMITS, Page } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listAuditLog } from '../../domain/audit-log/list-audit-log.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

export function auditLogRoutes(app: App, context: Context): void {
  app.get(
    '/auditLog',
    {
      config: { access: 'operator' },
      schema: {
        operationId: 'listAuditLog',
        tags: ['Audit log'],
        summary: "List who did what, with the operator's key",
        description:
          'An entry for every administrative act and every write, committed with it. With a fixed `beforeTimestamp`, a walk by offset neither skips nor repeats.',
        querystring: AuditLogQuery,
        response: {
          200: jsonResponse('A page of entries, the newest first.', Page(AuditEntry)),
          ...problemResponses('InvalidRequest', ...KEY_ERRORS),
        },
      },
    },
    async ({ query: { limit = LIMITS.defaultPageItems, offset = 0, ...filter } }) => ({
      limit,
      offset,
      data: await listAuditLog(context, { limit, offset }, filter),
    }),
  );
}
