import type { AuditEntry, AuditLogQuery } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listAuditLog as listAuditLogRows } from '../../storage/audit-log.ts';
import { toAuditEntry } from './to-audit-entry.ts';

/** Lists who did what to what, and when, the newest first. */
export async function listAuditLog(
  context: Context,
  page: { limit: number; offset: number },
  { communityId, apiKeyId, action, fromTimestamp, beforeTimestamp }: AuditLogQuery,
): Promise<AuditEntry[]> {
  const rows = await listAuditLogRows(context.database, {
    ...page,
    communityId,
    apiKeyId,
    action,
    from: toDate(fromTimestamp),
    before: toDate(beforeTimestamp),
  });
  return rows.map(toAuditEntry);
}

function toDate(timestamp: number | undefined): Date | undefined {
  return timestamp === undefined ? undefined : new Date(timestamp);
}
