import type { WebhookDelivery, WebhookDeliveryStatus } from '@badge/protocol';
import type { Context } from '../../context.ts';
import {
  findDeliveries,
  listDeliveries,
  listDeliveryIds,
  type WebhookDeliveryRow,
} from '../../storage/webhook-deliveries.ts';
import type { WebhookKey } from '../../storage/webhooks.ts';
import type { Caller } from '../caller.ts';
import { mapPieces, type Piece, type Reader, readInPieces } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readWebhookRow } from './read-webhook.ts';

// Ten attempts, each with an error of up to 300 characters, of up to 3 bytes in UTF-8.
const DELIVERY_BYTES = 12 * 1024;

/** Lists the deliveries of a webhook, the newest first. */
export async function* listWebhookDeliveries(
  context: Context,
  reader: Reader,
  caller: Caller,
  {
    limit,
    offset,
    status,
    ...key
  }: WebhookKey & { limit: number; offset: number; status: WebhookDeliveryStatus | undefined },
): AsyncGenerator<Piece<WebhookDelivery>> {
  const { database } = context;
  const { webhook_id: webhookId } = await readWebhookRow(context, caller, key);
  const page = { limit, offset, status };
  const refuse = refuseSlowRead('Use a smaller offset');
  const rows = readInPieces<string, WebhookDeliveryRow>(reader, {
    limit,
    maxItemBytes: DELIVERY_BYTES,
    listIds: () => listDeliveryIds(database, webhookId, page).catch(refuse),
    listItems: () => listDeliveries(database, webhookId, page).catch(refuse),
    findItems: (ids) => findDeliveries(database, ids),
  });
  yield* mapPieces(rows, toDelivery);
}

function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attempts: row.attempts,
    // A delivery that comes before all others is due since long ago.
    nextAttemptAtTimestamp:
      row.next_attempt_at === null ? null : Math.max(row.next_attempt_at.getTime(), row.created_at.getTime()),
    createdAtTimestamp: row.created_at.getTime(),
  };
}
