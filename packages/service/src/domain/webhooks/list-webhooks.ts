import { LIMITS, type Webhook } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listWebhooks as listStoredWebhooks } from '../../storage/webhooks.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import type { Reader } from '../reader.ts';
import { toWebhook } from './rules.ts';

// The URL has up to 2,048 characters, of up to 6 bytes in JSON.
const WEBHOOK_BYTES = 16 * 1024;

/** Lists a community's webhooks, the oldest first. */
export async function listWebhooks(
  context: Context,
  reader: Reader,
  caller: Caller,
  { communityId, ...page }: { communityId: string; limit: number; offset: number },
): Promise<Webhook[]> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const rows = await reader.read(LIMITS.webhooks * WEBHOOK_BYTES, () =>
    listStoredWebhooks(context.database, { ...page, communityId }),
  );
  return rows.map((row) => toWebhook(context, row));
}
