import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { webhookDeliveriesFixture } from '../testing/webhook-deliveries-fixture.ts';
import { listDueDeliveries } from './webhook-deliveries.ts';

const fixture = webhookDeliveriesFixture();
const { addWebhook, placeEvents, queue, listDue, takeNow, end, recordFailure } = fixture;

test('100,000 deliveries that wait for one receiver cost the others nothing', async () => {
  const [crowded, quiet] = [await addWebhook(), await addWebhook({ communityId: 'other' })];
  await query(
    fixture.url,
    `insert into webhook_deliveries (webhook_id, event_id, event_type)
     select $1, gen_random_uuid(), 'badge.claimed' from generate_series(1, 100000)`,
    [crowded],
  );
  await query(fixture.url, 'analyze webhook_deliveries');
  await queue(await placeEvents(1));
  await queue(await placeEvents(1, { communityId: 'other' }));
  expect(await listDue()).toHaveLength(2);
  const plan = await query<{ 'QUERY PLAN': string }>(
    fixture.url,
    `explain select * from webhook_deliveries d where d.webhook_id = '${crowded}' and d.status = 'pending'
     and d.next_attempt_at <= now() order by d.next_attempt_at, d.sequence limit 20`,
  );
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('webhook_deliveries_pending');
  for (const webhookId of [crowded, quiet]) {
    const startMs = performance.now();
    await takeNow(webhookId);
    const [due] = await listDueDeliveries(fixture.db, webhookId, 20);
    await recordFailure(due?.delivery_id ?? '', 5);
    await end(webhookId, { hasFailed: true });
    expect(performance.now() - startMs).toBeLessThan(1_000);
  }
});
