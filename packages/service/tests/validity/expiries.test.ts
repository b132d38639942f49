import { newAddress } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import { createExpiryAnnouncer } from '../../src/domain/claims/announce-expired.ts';
import { insertOwners } from '../../src/testing/insert-owners.ts';
import { startOtherProcess } from '../../src/testing/services.ts';
import { DAY_MS, HOUR_MS, validityFixture } from '../../src/testing/validity-fixture.ts';

const fixture = validityFixture();
const { send, succeed, patch, sql, give, passTime, renew, eventsOf, ownerOf } = fixture;

const reason = 'a reason';
const typesOf = async (tokenId: number) => (await eventsOf(tokenId)).map(({ type }) => type);
/** Waits until the token has so many events, and returns them. */
async function waitForEvents(tokenId: number, count: number) {
  await expect.poll(async () => (await eventsOf(tokenId)).length, { timeout: 20_000 }).toBe(count);
  return await eventsOf(tokenId);
}
/** Waits until the worker has walked over the owners of the token, and has found no more. */
const waitForWalk = (tokenId: number) =>
  expect
    .poll(() => sql('select from expiry_turns where token_id = $1 and next_at <= now()', tokenId), {
      timeout: 20_000,
    })
    .toEqual([]);

describe('an expiry', () => {
  test('is one event, with the end, for each owner whose badge ends', async () => {
    const addresses = [newAddress(), newAddress(), newAddress()];
    const { tokenId } = await give({ validityDays: 1 }, addresses);
    await passTime(tokenId, DAY_MS - HOUR_MS);
    await waitForWalk(tokenId);
    expect(await eventsOf(tokenId)).toEqual([]);
    await passTime(tokenId, HOUR_MS);
    const events = await waitForEvents(tokenId, 3);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['badge.expired']));
    for (const address of addresses) {
      const { validUntilTimestamp } = await ownerOf(tokenId, address);
      expect(events.filter(({ data }) => data.address === address).map(({ data }) => data)).toEqual([
        { tokenId, address, validUntilTimestamp },
      ]);
    }
    await patch(tokenId, { validityDays: 1 });
    await waitForWalk(tokenId);
    expect(await eventsOf(tokenId)).toHaveLength(3);
  });

  test('comes at the time that the database says, for an end on a day', async () => {
    const until = Date.now() + 700;
    const { tokenId, address } = await give({ validUntilTimestamp: until });
    const [event] = await waitForEvents(tokenId, 1);
    expect(event).toMatchObject({ type: 'badge.expired', data: { address, validUntilTimestamp: until } });
    expect(event?.createdAtTimestamp).toBeGreaterThanOrEqual(until);
  });

  test('is announced of whoever claims after the end', async () => {
    const { tokenId } = await give({ validUntilTimestamp: 1 });
    await waitForEvents(tokenId, 1);
    await waitForWalk(tokenId);
    const late = newAddress();
    await fixture.airdrop(tokenId, late);
    expect((await waitForEvents(tokenId, 2))[1]?.data.address).toBe(late);
  });

  test('of a renewal that ends is another one', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    await passTime(tokenId, DAY_MS);
    await waitForEvents(tokenId, 1);
    const until = Date.now() + DAY_MS;
    await succeed(renew(tokenId, [address], until));
    await passTime(tokenId, DAY_MS);
    const events = await waitForEvents(tokenId, 3);
    expect(events.map(({ type, data }) => [type, data.validUntilTimestamp])).toEqual([
      ['badge.expired', expect.any(Number)],
      ['badge.renewed', until],
      ['badge.expired', until - DAY_MS],
    ]);
  });

  test('is not announced again if a change of the token moves an end that is over', async () => {
    const { tokenId } = await give({ validUntilTimestamp: 1_000 });
    await waitForEvents(tokenId, 1);
    await patch(tokenId, { validUntilTimestamp: 500 });
    await waitForWalk(tokenId);
    expect(await typesOf(tokenId)).toEqual(['badge.expired']);
    // After a later end, it is.
    await patch(tokenId, { validUntilTimestamp: Date.now() + 300 });
    await waitForEvents(tokenId, 2);
  });

  test('of a badge that is lost is not announced, unless it comes back', async () => {
    const { tokenId, address } = await give({ validUntilTimestamp: Date.now() + HOUR_MS });
    await succeed(send(`/v1/tokens/${tokenId}/owners/${address}/revoke`, { reason }));
    await passTime(tokenId, HOUR_MS);
    await waitForWalk(tokenId);
    expect(await eventsOf(tokenId)).toEqual([]);
    await succeed(send(`/v1/tokens/${tokenId}/owners/${address}/reinstate`, { reason }));
    expect(await typesOf(tokenId)).toEqual(['badge.expired']);
  });
});

describe('what happens to a badge that has ended before its event', () => {
  // Without a worker that writes it, the turn of the token is later.
  const hold = (tokenId: number) =>
    sql("update expiry_turns set next_at = 'infinity' where token_id = $1", tokenId);

  test('is announced after it: a renewal', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    await hold(tokenId);
    await passTime(tokenId, DAY_MS);
    await succeed(renew(tokenId, [address], Date.now() + DAY_MS));
    expect(await typesOf(tokenId)).toEqual(['badge.expired', 'badge.renewed']);
  });

  test('is announced after it: a move', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    await hold(tokenId);
    await passTime(tokenId, DAY_MS);
    await succeed(send(`/v1/tokens/${tokenId}/owners/${address}/move`, { toAddress: newAddress(), reason }));
    await patch(tokenId, { validityDays: 1 });
    await waitForWalk(tokenId);
    expect((await eventsOf(tokenId)).map(({ type, data }) => [type, data.address])).toEqual([
      ['badge.expired', address],
    ]);
  });
});

describe('many', () => {
  test('owners are announced in pieces, each once, by two workers at once, and after a stop', {
    timeout: 60_000,
  }, async () => {
    const { tokenId } = await give({ validityDays: 1 }, []);
    const count = 5_000;
    await sql("update expiry_turns set next_at = 'infinity' where token_id = $1", tokenId);
    await insertOwners(fixture.service.databaseUrl, tokenId, count, "now() - interval '7 days'");
    const other = await startOtherProcess(fixture.service);
    try {
      await sql('update expiry_turns set next_at = now() where token_id = $1', tokenId);
      const [{ at: begin = 0 } = {}] = await sql<{ at: number }>(
        'select extract(epoch from now())::float8 as at',
      );
      await expect
        .poll(
          async () =>
            Number(
              (
                await sql<{ n: string }>(
                  "select count(*) as n from events where type = 'badge.expired' and (data->>'tokenId')::bigint = $1",
                  tokenId,
                )
              )[0]?.n,
            ),
          {
            timeout: 30_000,
            interval: 100,
          },
        )
        .toBe(count);
      const [{ at: end = 0 } = {}] = await sql<{ at: number }>(
        'select extract(epoch from now())::float8 as at',
      );
      expect(end - begin).toBeLessThan(30);
      await waitForWalk(tokenId);
    } finally {
      await other.stop();
    }
    const addresses = await sql<{ n: string; all: string }>(
      `select count(distinct data->>'address') as n, count(*) as all from events
       where type = 'badge.expired' and (data->>'tokenId')::bigint = $1`,
      tokenId,
    );
    expect(addresses).toEqual([{ n: String(count), all: String(count) }]);
  });

  test('tokens with one owner each share a piece', { timeout: 60_000 }, async () => {
    const tokenIds = await Promise.all(
      Array.from({ length: 40 }, () => fixture.createToken({ validityDays: 1 })),
    );
    await sql("update expiry_turns set next_at = 'infinity' where token_id = any($1)", tokenIds);
    for (const tokenId of tokenIds) {
      await insertOwners(fixture.service.databaseUrl, tokenId, 1, "now() - interval '7 days'");
    }
    await sql('update expiry_turns set next_at = now() where token_id = any($1)', tokenIds);
    await expect
      .poll(() => sql('select from expiry_turns where token_id = any($1) and next_at <= now()', tokenIds), {
        timeout: 10_000,
      })
      .toEqual([]);
    const announced = await sql(
      'select from claims where token_id = any($1) and announced_end is not null',
      tokenIds,
    );
    expect(announced).toHaveLength(40);
  });

  test('waiting events of others hold back the next piece', async () => {
    const { tokenId } = await give({ validityDays: 1 }, []);
    await sql("update expiry_turns set next_at = 'infinity' where token_id = $1", tokenId);
    await insertOwners(fixture.service.databaseUrl, tokenId, 3, "now() - interval '7 days'");
    const { context } = fixture.service;
    const announce = createExpiryAnnouncer(context, () => undefined);
    // As long as this transaction has not committed, the placer waits for it.
    await context.transaction(async (tx) => {
      await tx
        .selectFrom('event_counter' as never)
        .selectAll()
        .forUpdate()
        .execute();
      await sql(
        `insert into event_outbox (community_id, type, data)
         select 'demo', 'token.updated', '{"tokenId": 1, "isHidden": false}' from generate_series(1, 2100)`,
      );
      await sql('update expiry_turns set next_at = now() where token_id = $1', tokenId);
      await announce();
      expect(
        await sql('select from claims where token_id = $1 and announced_end is not null', tokenId),
      ).toEqual([]);
    });
    await waitForEvents(tokenId, 3);
  });
});
