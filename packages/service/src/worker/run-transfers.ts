import type { Context } from '../context.ts';
import { runTransfer, type TransferParts } from '../domain/transfers/run-transfer.ts';
import { takeTransfers } from '../storage/transfers.ts';
import type { Loop } from './loop.ts';
import { startTurns } from './serve-turns.ts';

// A transfer uses a processor and the disk for minutes.
const CONCURRENCY = 1;

/** Does exports and imports until it is stopped. Without an encryption key, another process does them. */
export function startTransfers(context: Context, parts: TransferParts): Loop | null {
  if (context.encryption === null) return null;
  return startTurns(context, {
    queue: 'transfers',
    concurrency: CONCURRENCY,
    firstPauseMs: 500,
    take: (limit) => takeTransfers(context.database, limit),
    run: (turn, stopping) => runTransfer(context, turn, { parts, stopping }),
  });
}
