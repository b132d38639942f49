import { AuditEntry, AuditLogQuery, LIMITS, Page } from '@badge/protocol';
import type { Context } from '../context.ts';
import { listAuditLog } from '../domain/audit-log/list-audit-log.ts';
import { callerOf } from '../http/auth.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { type App, jsonResponse, KEY_ERRORS, paragraphs, problemResponses } from './route.ts';

export function auditLogRoutes(app: App, context: Context): void {
  app.get(
    '/auditLog',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'listAuditLog',
        tags: ['Audit log'],
        summary: 'List the audit log',
        description: paragraphs(
          "Lists who did what, and when, the newest first. Without `communityId`, it requires the operator's key. An entry must match all filters. New entries shift the offsets: to read page by page, use a fixed `beforeTimestamp` in the past.",
          '- **What has an entry.** Every administrative action and every write, even if it changed nothing. Not a rejected request, a repetition that returns the first operation, or a replay for an `Idempotency-Key`. An entry is committed together with its write.',
          '- **What it contains.** No key, code, hash or signature; of a body, only the `reason`; no name, and not the address that a claim, an airdrop or a revocation affected. The fields from `apiKeyName` on are not recorded: they say what is known when the log is read. `apiKeyName`, and `resourceName` of a key or a webhook, are shown to owners and the operator only. A reservation never shows its e-mail address, and the URL of a webhook is never in the log.',
          '- **Settled later.** For what is settled later, `resourceType` is `operation`; its operation has the result.',
          '- The database rejects changes and deletions of entries. The log begins with the release that introduced it.',
        ),
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
