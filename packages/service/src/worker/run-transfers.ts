import type { Context } from '../context.ts';
import { deleteAbandonedFolders } from '../domain/transfer-folders.ts';
import { runTransfer, type TransferParts } from '../domain/transfers/run-transfer.ts';
import { takeTransfers } from '../storage/transfers.ts';
import type { Loop } from './loop.ts';
import { startTurns } from './serve-turns.ts';

// A transfer uses a processor and the disk for minutes.
const CONCURRENCY = 1;

/** Does exports and imports until it is stopped. Without an encryption key, another process does them. */
export function startTransfers(context: Context, parts: TransferParts): Loop | null {
  if (context.encryption === null) return null;
  const cleaned = deleteAbandonedFolders().catch((error: unknown) =>
    context.log.warn({ err: error }, 'the files of interrupted transfers could not be deleted'),
  );
  return startTurns(context, {
    queue: 'transfers',
    concurrency: CONCURRENCY,
    firstPauseMs: 500,
    take: async (limit) => {
      await cleaned;
      return await takeTransfers(context.database, limit);
    },
    run: (turn, stopping) => runTransfer(context, turn, { parts, stopping }),
  });
}
