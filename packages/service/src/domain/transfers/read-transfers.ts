import type { BadgeImport, CommunityExport } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readChallengeKey } from '../../storage/sessions.ts';
import {
  type ExportParameters,
  type FoundTransfer,
  findTransfer,
  type ImportParameters,
  type TransferKind,
} from '../../storage/transfers.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { parseTokenId } from '../ids.ts';
import { exportNotFound, importNotFound, toDownloadPath } from './rules.ts';

/** Reads an export, with the URL of its next download. */
export async function readExport(
  context: Context,
  caller: Caller,
  { communityId, exportId }: { communityId: string; exportId: string },
): Promise<CommunityExport> {
  const row = await readTransfer(context, caller, { communityId, id: exportId, kind: 'export' });
  if (row === undefined) throw exportNotFound();
  const { people } = row.parameters as ExportParameters;
  return {
    exportId: row.transfer_id,
    status: toStatus(row),
    people,
    error: row.error,
    percent: row.percent,
    bytes: row.size_bytes,
    sha256: row.content_hash?.toString('hex') ?? null,
    createdAtTimestamp: row.created_at.getTime(),
    expiresAtTimestamp: row.expires_at.getTime(),
    downloadUrl: row.size_bytes === null ? null : await makeDownloadUrl(context, row),
  };
}

async function makeDownloadUrl(
  { database, settings }: Context,
  { transfer_id: exportId, download_count: downloadCount, expires_at: expiresAt }: FoundTransfer,
): Promise<string> {
  const { key } = await readChallengeKey(database);
  const download = { exportId, downloadCount, expiresAtTimestamp: expiresAt.getTime() };
  return `${settings.publicUrl}${toDownloadPath(key, download)}`;
}

/** Reads an import, and what has become of its lines. */
export async function readImport(
  context: Context,
  caller: Caller,
  { communityId, importId }: { communityId: string; importId: string },
): Promise<BadgeImport> {
  const row = await readTransfer(context, caller, { communityId, id: importId, kind: 'import' });
  if (row === undefined) throw importNotFound();
  const { format, isDryRun } = row.parameters as ImportParameters;
  return {
    importId: row.transfer_id,
    status: toStatus(row),
    format,
    isDryRun,
    error: row.error,
    lines: row.line_count,
    imported: row.imported_count,
    skipped: row.skipped_count,
    problemCount: row.problem_count,
    problems: row.problems ?? [],
    plan: isDryRun ? (row.plan ?? []) : null,
    createdAtTimestamp: row.created_at.getTime(),
    completedAtTimestamp: row.completed_at?.getTime() ?? null,
    expiresAtTimestamp: row.expires_at.getTime(),
  };
}

async function readTransfer(
  context: Context,
  caller: Caller,
  { communityId, id, kind }: { communityId: string; id: string; kind: TransferKind },
): Promise<FoundTransfer | undefined> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const transferId = parseTokenId(id);
  return transferId === null
    ? undefined
    : await findTransfer(context.database, { kind, communityId, transferId });
}

/** An accepted one is not found, because its operation is not settled. */
function toStatus({ status }: FoundTransfer): CommunityExport['status'] {
  return status === 'accepted' ? 'pending' : status;
}
