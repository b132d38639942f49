import type { AuditEntry } from '@badge/protocol';
import type { AuditEntryRow } from '../../storage/audit-log.ts';

/** A stored entry of the audit log as the operator reads it. */
export function toAuditEntry(row: AuditEntryRow): AuditEntry {
  return {
    auditEntryId: row.audit_entry_id,
    recordedAtTimestamp: row.recorded_at.getTime(),
    actor: row.actor,
    apiKeyId: row.api_key_id,
    action: row.action,
    communityId: row.community_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
  };
}
