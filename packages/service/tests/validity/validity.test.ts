import type { Operation, Problem, WalletToken } from '@badge/protocol';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { describe, expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS, validityFixture } from '../../src/testing/validity-fixture.ts';

const fixture = validityFixture();
const { send, succeed, patch, nameOf, sql, give, passTime } = fixture;
const { ownerOf, ownersOf, recipientsOf, tokenOf, readSides, sidesOf, get } = fixture;

const reason = 'a reason';
const MAX_TIMESTAMP = 8_640_000_000_000_000;

describe('a token', () => {
  test.each([
    [{ validUntilTimestamp: MAX_TIMESTAMP }, { validUntilTimestamp: MAX_TIMESTAMP, validityDays: null }],
    [{ validUntilTimestamp: 1 }, { validUntilTimestamp: 1, validityDays: null }],
    [{ validUntilTimestamp: 0 }, { validUntilTimestamp: null, validityDays: null }],
    [
      { validUntilTimestamp: 0, validityDays: 1 },
      { validUntilTimestamp: null, validityDays: 1 },
    ],
    [{ validityDays: 36_500 }, { validUntilTimestamp: null, validityDays: 36_500 }],
    [
      { validUntilTimestamp: null, validityDays: null },
      { validUntilTimestamp: null, validityDays: null },
    ],
    [{}, { validUntilTimestamp: null, validityDays: null }],
  ])('that is created with %j ends so', async (fields, expected) => {
    expect(await tokenOf(await fixture.createToken(fields))).toMatchObject(expected);
    const { tokenId } = await give({});
    if (Object.keys(fields).length > 0) expect(await patch(tokenId, fields)).toMatchObject(expected);
  });

  test.each([
    [{ validUntilTimestamp: 2, validityDays: 1 }, '/validityDays'],
    [{ validityDays: 0 }, '/validityDays'],
    [{ validityDays: 36_501 }, '/validityDays'],
    [{ validityDays: 1.5 }, '/validityDays'],
    [{ validityDays: '1' }, '/validityDays'],
    [{ validUntilTimestamp: -1 }, '/validUntilTimestamp'],
    [{ validUntilTimestamp: MAX_TIMESTAMP + 1 }, '/validUntilTimestamp'],
    [{ validUntilTimestamp: '2026-01-31' }, '/validUntilTimestamp'],
  ])('cannot end like %j', async (fields, pointer) => {
    const body = await signedToken(fields);
    const { tokenId } = await give({});
    for (const response of [
      await send('/v1/tokens', body),
      await send(`/v1/tokens/${tokenId}`, fields, 'PATCH'),
    ]) {
      const { name, errors } = (await response.json()) as Problem;
      expect(name).toBe('InvalidRequest');
      expect(errors?.map((error) => 'pointer' in error && error.pointer)).toEqual([pointer]);
    }
  });

  test('has one of the two: the one that is sent replaces the other', async () => {
    const tokenId = await fixture.createToken({ validityDays: 365 });
    const validUntilTimestamp = Date.now() + DAY_MS;
    expect(await patch(tokenId, { validUntilTimestamp })).toMatchObject({
      validUntilTimestamp,
      validityDays: null,
    });
    // Null removes only what it is sent for.
    expect(await patch(tokenId, { validityDays: null })).toMatchObject({ validUntilTimestamp });
    expect(await patch(tokenId, { validityDays: 7 })).toMatchObject({
      validUntilTimestamp: null,
      validityDays: 7,
    });
    expect(await patch(tokenId, { validityDays: null })).toMatchObject({ validityDays: null });
  });

  test('that differs only in its end is another one, and one that has ended is accepted with a warning', async () => {
    const body = await signedToken({});
    const paths = await Promise.all(
      [{}, { validityDays: 1 }, { validityDays: 2 }, { validityDays: 2 }, { validUntilTimestamp: 5 }].map(
        async (fields) => (await send('/v1/tokens', { ...body, ...fields })).headers.get('location'),
      ),
    );
    expect(paths[3]).toBe(paths[2]);
    expect(new Set(paths).size).toBe(4);
    const { warnings } = await get<Operation>(`${paths[4]}?wait=30`);
    expect(warnings).toEqual([
      { pointer: '/validUntilTimestamp', detail: expect.stringContaining('has ended for whoever claims it') },
    ]);
  });

  test('announces a new end, but not the same one again', async () => {
    const tokenId = await fixture.createToken();
    await patch(tokenId, { validityDays: 7 });
    await patch(tokenId, { validityDays: 7 });
    const events = await sql(
      `select from (select type, data from events union all select type, data from event_outbox) e
       where type = 'token.updated' and (data->>'tokenId')::bigint = $1`,
      tokenId,
    );
    expect(events).toHaveLength(1);
  });

  test('says in its metadata when it ends', async () => {
    const fixed = await fixture.createToken({ validUntilTimestamp: 5 });
    const counted = await fixture.createToken({ validityDays: 5 });
    expect(await get(`/metadata/${fixed}`)).toMatchObject({ properties: { validUntilTimestamp: 5 } });
    expect(await get(`/metadata/${counted}`)).toMatchObject({ properties: { validityDays: 5 } });
  });
});

describe('all sides agree', () => {
  test('about a badge that does not end', async () => {
    const { tokenId, address } = await give({});
    expect(await readSides(tokenId, address)).toEqual(sidesOf(null));
  });

  test('about a badge that ends on a day, before and after', async () => {
    const until = Date.now() + HOUR_MS;
    const { tokenId, address } = await give({ validUntilTimestamp: until });
    expect(await readSides(tokenId, address)).toEqual(sidesOf(until));
    await passTime(tokenId, HOUR_MS);
    expect(await readSides(tokenId, address)).toEqual(sidesOf(until - HOUR_MS, { isExpired: true }));
    expect((await ownerOf(tokenId, address)).statusChangedAtTimestamp).toBe(until - HOUR_MS);
  });

  test('about a badge that ends some days after its claim, for each owner', async () => {
    const { tokenId, address } = await give({ validityDays: 365 });
    const until = (await ownerOf(tokenId, address)).claimedAtTimestamp + 365 * DAY_MS;
    expect(await readSides(tokenId, address)).toEqual(sidesOf(until));
    await passTime(tokenId, 364 * DAY_MS);
    const later = newAddress();
    await fixture.airdrop(tokenId, later);
    expect(await readSides(tokenId, address)).toEqual(sidesOf(until - 364 * DAY_MS));
    await passTime(tokenId, DAY_MS);
    expect(await readSides(tokenId, address)).toEqual(sidesOf(until - 365 * DAY_MS, { isExpired: true }));
    expect(await readSides(tokenId, later)).toMatchObject({ status: 'held', gate: true });
    expect((await ownersOf(tokenId)).map((owner) => owner.address)).toEqual([later]);
    expect(await ownersOf(tokenId, 'expired')).toEqual([
      expect.objectContaining({ address, status: 'expired' }),
    ]);
    expect((await ownersOf(tokenId, 'all')).map(({ status }) => status)).toEqual(['expired', 'held']);
    expect((await recipientsOf(tokenId, '&status=expired')).map((one) => one.address)).toEqual([address]);
    expect((await recipientsOf(tokenId, '&status=claimed')).map((one) => one.address)).toEqual([later]);
  });

  test('at once about a new end, in both directions', async () => {
    const { tokenId, address } = await give({});
    for (const [until, isExpired] of [
      [1, true],
      [Date.now() + HOUR_MS, false],
      [Date.now() - 1, true],
    ] as const) {
      await patch(tokenId, { validUntilTimestamp: until });
      expect(await readSides(tokenId, address)).toEqual(sidesOf(until, { isExpired }));
    }
    await patch(tokenId, { validUntilTimestamp: null });
    expect(await readSides(tokenId, address)).toEqual(sidesOf(null));
  });

  test.each([
    ['ahead', 2 * HOUR_MS],
    ['behind', -2 * HOUR_MS],
  ])('on a process whose clock is two hours %s', async (_where, differenceMs) => {
    const until = Date.now() + HOUR_MS;
    const valid = await give({ validUntilTimestamp: until });
    const ended = await give({ validUntilTimestamp: Date.now() - HOUR_MS });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + differenceMs });
    try {
      expect(await readSides(valid.tokenId, valid.address)).toEqual(sidesOf(until));
      expect(await readSides(ended.tokenId, ended.address)).toMatchObject({
        status: 'expired',
        gate: false,
        score: 0,
      });
      // The worker writes the event of the one that has ended, and not of the other.
      await expect
        .poll(async () => (await fixture.eventsOf(ended.tokenId)).length, { timeout: 10_000 })
        .toBe(1);
      expect(await fixture.eventsOf(valid.tokenId)).toEqual([]);
      expect(await nameOf(fixture.renew(valid.tokenId, [valid.address], until - 2 * HOUR_MS))).toBe(
        'InvalidRequest',
      );
      await succeed(fixture.renew(valid.tokenId, [valid.address], until + 1));
    } finally {
      vi.useRealTimers();
    }
  });

  test('in the millisecond in which it ends', async () => {
    const { tokenId, address } = await give({});
    const body = { addresses: [address], tokenIds: [tokenId] };
    const readGate = async () => {
      const response = await fixture.service.call('/v1/checkOwners', { json: body });
      return ((await response.json()) as { items: { tokenIds: number[] }[] }).items[0]?.tokenIds.length;
    };
    // The time of the database before and after each read. Its end is in the middle of the reads.
    const [{ at = 0 } = {}] = await sql<{ at: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
    );
    const until = Math.floor(at) + 150;
    await patch(tokenId, { validUntilTimestamp: until });
    const clock = async () => {
      const [row] = await sql<{ at: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
      );
      return row?.at ?? 0;
    };
    let before = 0;
    const seen = new Set<number | undefined>();
    while (before <= until) {
      before = await clock();
      const held = await readGate();
      const after = await clock();
      seen.add(held);
      if (after < until) expect(held).toBe(1);
      if (before >= until) expect(held).toBe(0);
    }
    expect(seen).toEqual(new Set([1, 0]));
  });
});

describe('a badge that has ended', () => {
  test('cannot be claimed again, but can be revoked, reinstated, moved and burnt', async () => {
    const { tokenId, address } = await give({ validUntilTimestamp: 1 });
    expect(await nameOf(send(`/v1/tokens/${tokenId}/claim`, { claimingAddress: address }))).toBe(
      'ClaimingAddressAlreadyHasToken',
    );
    const act = (action: string, json: object = {}) =>
      succeed(send(`/v1/tokens/${tokenId}/owners/${address}/${action}`, { reason, ...json }));
    await act('revoke');
    expect(await ownerOf(tokenId, address)).toMatchObject({ status: 'revoked', validUntilTimestamp: 1 });
    await act('reinstate');
    expect(await ownerOf(tokenId, address)).toMatchObject({ status: 'expired', validUntilTimestamp: 1 });
    const toAddress = newAddress();
    await act('move', { toAddress });
    expect(await ownerOf(tokenId, toAddress)).toMatchObject({ status: 'expired', validUntilTimestamp: 1 });
  });

  test('moves to the replacement, which says when it ends', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    await passTime(tokenId, 2 * DAY_MS);
    const { owner } = { owner: await ownerOf(tokenId, address) };
    const replacementTokenId = await fixture.createToken({ totalClaimCount: 1_000, validityDays: 3 });
    await sql(
      'update tokens set creator = (select creator from tokens where token_id = $1) where token_id = $2',
      tokenId,
      replacementTokenId,
    );
    await succeed(send(`/v1/tokens/${tokenId}/replace`, { replacementTokenId }));
    expect(await ownerOf(replacementTokenId, address)).toMatchObject({
      status: 'held',
      validUntilTimestamp: owner.claimedAtTimestamp + 3 * DAY_MS,
    });
  });
});

test('pages of a wallet are stored again once nothing in them will end', async () => {
  const { tokenId, address } = await give({ validUntilTimestamp: Date.now() + HOUR_MS });
  const read = async () =>
    (await get<{ data: WalletToken[] }>(`/v1/wallets/${address}/tokens`)).data.map(
      ({ isExpired }) => isExpired,
    );
  expect(await read()).toEqual([false]);
  // Without a change of the token that a process would notice.
  await sql('alter table tokens disable trigger user');
  await sql('update tokens set valid_until = now() where token_id = $1', tokenId);
  await sql('alter table tokens enable trigger user');
  expect(await read()).toEqual([true]);
  await patch(tokenId, { validUntilTimestamp: null });
  expect(await read()).toEqual([false]);
});

test('files say when what the owners and the people have ends', async () => {
  const { tokenId, address } = await give({ validUntilTimestamp: 7 });
  const readCsv = async (path: string) => {
    const { service } = fixture;
    const response = await service.call(path, { key: service.apiKey, headers: { Accept: 'text/csv' } });
    const [head = '', row = ''] = (await response.text()).replace('\uFEFF', '').split('\r\n');
    const fields = head.split(',');
    const cells = row.split(',');
    return Object.fromEntries(fields.map((field, index) => [field, cells[index]]));
  };
  const expected = { address, status: 'expired', validUntilTimestamp: '7' };
  expect(await readCsv(`/v1/tokens/${tokenId}/owners?status=expired`)).toMatchObject(expected);
  expect(await readCsv(`/v1/tokens/${tokenId}/recipients`)).toMatchObject(expected);
});
