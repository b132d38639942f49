import { randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { lockCommunity } from '../storage/communities.ts';
import type { Database } from '../storage/database.ts';
import type { OperationKey } from '../storage/idempotency-keys.ts';
import {
  countUnfinishedTransfers,
  type ExportParameters,
  type ImportParameters,
  insertTransfer,
  withdrawTransfer,
} from '../storage/transfers.ts';
import { type AcceptedOperation, acceptOperation } from './accept-operation.ts';
import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';
import { requireEncryption } from './require-encryption.ts';
import { insertTransferFile } from './transfer-files.ts';
import { MAX_UNFINISHED } from './transfers/rules.ts';
import type { UploadedFile } from './uploaded-file.ts';

/** What a community wants to be exported or imported. */
export type NewTransfer =
  | { kind: 'export'; parameters: ExportParameters }
  | { kind: 'import'; parameters: ImportParameters; file: UploadedFile };

/**
 * Stores a transfer with its file, then accepts the operation that puts it into the queue. A transfer without
 * an operation is not done, and expires.
 */
export async function acceptTransfer(
  context: Context,
  caller: Caller,
  { communityId, transfer, key }: { communityId: string; transfer: NewTransfer; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const encryption = requireEncryption(context);
  const { kind, parameters } = transfer;
  const transferId = await context.transaction(async (tx) => {
    // Before the lock, because a file can be large. A transaction that is rolled back stores nothing.
    const assetId = kind === 'import' ? await insertTransferFile(tx, encryption, transfer.file) : null;
    await lockCommunity(tx, communityId);
    await checkMayWait(tx, communityId);
    return await insertTransfer(tx, { kind, communityId, parameters, assetId });
  });
  const withdraw = async () =>
    await context.transaction((tx) => withdrawTransfer(tx, { communityId, transferId }));
  try {
    const accepted = await acceptOperation(context, {
      operationType: kind,
      communityId,
      caller,
      key,
      // Without a key, each request is another one.
      requestIdentity: randomBytes(32),
      request: { transferId },
    });
    if (accepted.isReplay) await withdraw();
    return accepted;
  } catch (error) {
    await withdraw();
    throw error;
  }
}

/** Throws if as many transfers of the community are unfinished as may be. */
export async function checkMayWait(db: Database, communityId: string): Promise<void> {
  if ((await countUnfinishedTransfers(db, communityId)) < MAX_UNFINISHED) return;
  throw new Refusal(
    'RateLimited',
    `${MAX_UNFINISHED} exports and imports of the community are not finished. Wait for one of them.`,
    { retryAfterSeconds: 10 },
  );
}
