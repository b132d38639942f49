import type { AuditEntry, AuditLogQuery } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { type AuditEntryRow, listAuditLog as listAuditLogRows } from '../../storage/audit-log.ts';
import { type Caller, checkMayActFor, hasRole } from '../caller.ts';
import type { Reader } from '../reader.ts';
import { Refusal } from '../refusal.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { nameObjects } from './read-objects.ts';

// More than an entry needs in JSON. A headline has up to 1,000 characters, a reason 500, an identifier 256,
// and the name of a key 100, of up to 6 bytes in JSON.
const ENTRY_BYTES = 12 * 1024;

/**
 * Lists the entries of the audit log that match every given filter, newest first, with what is known now
 * about their objects. Whoever may not list the keys and webhooks of the community does not learn their names
 * here either.
 */
export async function listAuditLog(
  context: Context,
  reader: Reader,
  caller: Caller,
  query: AuditLogQuery & { limit: number; offset: number },
): Promise<AuditEntry[]> {
  const { communityId, apiKeyId, action, fromTimestamp, beforeTimestamp, ...page } = query;
  if (communityId !== undefined) await checkMayActFor(context, caller, communityId);
  else if (caller.kind !== 'operator') {
    throw new Refusal('ApiKeyNotAllowed', "Without communityId, this endpoint requires the operator's key.");
  }
  const mayListSecrets =
    communityId === undefined || (await hasRole(context, { ...caller, neededRole: 'owner' }, communityId));
  return await reader.read(page.limit * ENTRY_BYTES, async () => {
    const rows = await listAuditLogRows(context.database, {
      ...page,
      communityId,
      apiKeyId,
      action,
      from: toDate(fromTimestamp),
      before: toDate(beforeTimestamp),
    }).catch(refuseSlowRead('Use fewer filters, a smaller offset or a shorter time range'));
    const known = await nameObjects(context, rows, mayListSecrets);
    return rows.map((row) => ({ ...toAuditEntry(row), ...known(row) }));
  });
}

function toDate(timestamp: number | undefined): Date | undefined {
  return timestamp === undefined ? undefined : new Date(timestamp);
}

function toAuditEntry(row: AuditEntryRow) {
  return {
    auditEntryId: row.audit_entry_id,
    recordedAtTimestamp: row.recorded_at.getTime(),
    actor: row.actor,
    apiKeyId: row.api_key_id,
    address: row.address === null ? null : toChecksumAddress(row.address),
    action: row.action,
    communityId: row.community_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    reason: row.reason,
  };
}
