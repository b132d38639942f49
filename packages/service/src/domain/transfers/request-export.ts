import type { NewExport } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import type { AcceptedOperation } from '../accept-operation.ts';
import { acceptTransfer } from '../accept-transfer.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';

/** Accepts the export of a community. */
export async function requestExport(
  context: Context,
  caller: Caller,
  { communityId, body, key }: { communityId: string; body: NewExport; key: OperationKey | null },
): Promise<AcceptedOperation> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const { people, recipientKey = null } = body;
  const transfer = { kind: 'export', parameters: { people, recipientKey } } as const;
  return await acceptTransfer(context, caller, { communityId, transfer, key });
}
