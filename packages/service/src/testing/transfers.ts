import { createHash } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { vi } from 'vitest';
import { insertTransferFile } from '../domain/transfer-files.ts';
import { toDownloadPath } from '../domain/transfers/rules.ts';
import { readChallengeKey } from '../storage/sessions.ts';
import type { TestService } from './services.ts';

type DatabaseOf = Pick<TestService, 'databaseUrl'>;

/** A form that imports a CSV file. */
export function importForm(
  fields: Record<string, string | undefined> = {},
  csv = 'headline\nSpeaker\n',
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ format: 'csv', isDryRun: 'false', ...fields })) {
    if (value !== undefined) form.append(name, value);
  }
  form.append('file', new Blob([csv]), 'badges.csv');
  return form;
}

/** Waits until no export and no import of the service is unfinished. */
export async function waitForTransfers({ databaseUrl }: DatabaseOf): Promise<void> {
  await vi.waitFor(
    async () => {
      const [row] = await query<{ count: number }>(
        databaseUrl,
        "select count(*)::integer as count from transfers where status in ('accepted', 'pending', 'processing')",
      );
      if (row?.count !== 0) throw new Error(`${row?.count} transfers are not finished`);
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Inserts an export that is made, and returns its id and the path of its download. */
export async function insertExport({
  databaseUrl,
  context,
}: Pick<TestService, 'databaseUrl' | 'context'>): Promise<{ exportId: number; downloadPath: string }> {
  const { encryption, database } = context;
  if (encryption === null) throw new Error('the service has no key');
  const bytes = Buffer.from('an archive');
  const assetId = await context.transaction((tx) =>
    insertTransferFile(tx, encryption, {
      sizeBytes: bytes.length,
      hash: createHash('sha256').update(bytes).digest(),
      read: async (position, length) => bytes.subarray(position, position + length),
    }),
  );
  const [row] = await query<{ transfer_id: string; expires_at: Date }>(
    databaseUrl,
    `insert into transfers (kind, community_id, status, parameters, asset_id, completed_at, expires_at)
     values ('export', 'demo', 'success', '{"people": "none", "recipientKey": null}', $1, now(), now() + interval '1 day')
     returning transfer_id, expires_at`,
    [assetId],
  );
  if (row === undefined) throw new Error('nothing was inserted');
  const exportId = Number(row.transfer_id);
  const { key } = await readChallengeKey(database);
  const expiresAtTimestamp = row.expires_at.getTime();
  return { exportId, downloadPath: toDownloadPath(key, { exportId, downloadCount: 0, expiresAtTimestamp }) };
}

/** Inserts an import that is done, and returns its id. */
export async function insertImport({ databaseUrl }: DatabaseOf): Promise<number> {
  const [row] = await query<{ transfer_id: string }>(
    databaseUrl,
    `insert into transfers (kind, community_id, status, parameters, completed_at, expires_at)
     values ('import', 'demo', 'success', '{"format": "csv", "isDryRun": false}', now(), now() + interval '1 day')
     returning transfer_id`,
  );
  return Number(row?.transfer_id);
}
