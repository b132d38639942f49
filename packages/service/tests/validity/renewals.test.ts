import type { Operation, Problem, RecipientHistoryEntry } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import { settleRenewals } from '../../src/domain/claims/settle-renewals.ts';
import { insertOwners } from '../../src/testing/insert-owners.ts';
import { DAY_MS, HOUR_MS, validityFixture } from '../../src/testing/validity-fixture.ts';

const fixture = validityFixture();
const { send, succeed, patch, nameOf, sql, give, passTime, renew, eventsOf } = fixture;
const { ownerOf, recipientsOf, readSides, sidesOf, get } = fixture;

const reason = 'a reason';
const inDays = (days: number) => Date.now() + days * DAY_MS;

describe('a renewal', () => {
  test('lets a badge end later, also one that has ended, for those who were named', async () => {
    const addresses = [newAddress(), newAddress(), newAddress()] as const;
    const [early, late, other] = addresses;
    const { tokenId } = await give({ validityDays: 1 }, [...addresses]);
    await passTime(tokenId, 2 * DAY_MS);
    const until = inDays(365);
    await succeed(renew(tokenId, [early, late.toLowerCase(), early], until));
    for (const address of [early, late]) expect(await readSides(tokenId, address)).toEqual(sidesOf(until));
    expect((await readSides(tokenId, other)).status).toBe('expired');
    // It is valid again since the renewal.
    const { claimedAtTimestamp, statusChangedAtTimestamp } = await ownerOf(tokenId, early);
    expect(statusChangedAtTimestamp).toBeGreaterThan(claimedAtTimestamp + DAY_MS);
    // A change of the token holds for the others only.
    await patch(tokenId, { validUntilTimestamp: until + 1 });
    expect((await ownerOf(tokenId, early)).validUntilTimestamp).toBe(until);
    expect((await ownerOf(tokenId, other)).validUntilTimestamp).toBe(until + 1);
  });

  test('leaves those out of the list of people whose badge ends soon', async () => {
    const addresses = [newAddress(), newAddress(), newAddress()] as const;
    const [renewed, soon, revoked] = addresses;
    const { tokenId } = await give({ validityDays: 30 }, [...addresses]);
    await succeed(renew(tokenId, [renewed], inDays(365)));
    await succeed(send(`/v1/tokens/${tokenId}/owners/${revoked}/revoke`, { reason }));
    const endsWithin = async (days: number, parameters = '') => {
      const people = await recipientsOf(tokenId, `&endsWithinDays=${days}${parameters}`);
      return people.map(({ address }) => address);
    };
    expect(await endsWithin(29)).toEqual([]);
    expect(await endsWithin(30)).toEqual([soon]);
    expect(await endsWithin(366)).toEqual([renewed, soon]);
    expect(await endsWithin(366, `&search=${soon.slice(2, 12)}`)).toEqual([soon]);
    expect(await endsWithin(366, '&status=revoked')).toEqual([]);
    const file = await fixture.service.call(`/v1/tokens/${tokenId}/recipients?endsWithinDays=30`, {
      key: fixture.service.apiKey,
      headers: { Accept: 'text/csv' },
    });
    const lines = (await file.text()).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(soon);
    await passTime(tokenId, 31 * DAY_MS);
    expect(await endsWithin(30)).toEqual([]);
  });

  test('gives an end to a badge that has none, and an earlier one', async () => {
    const { tokenId, address } = await give({});
    await succeed(renew(tokenId, [address], inDays(2)));
    const until = inDays(1);
    await succeed(renew(tokenId, [address], until));
    expect((await ownerOf(tokenId, address)).validUntilTimestamp).toBe(until);
    await succeed(renew(tokenId, [address], inDays(2)));
    expect((await eventsOf(tokenId)).map(({ type }) => type)).toEqual(Array(3).fill('badge.renewed'));
  });

  test('is an event for each address, and an entry of the history of each person', async () => {
    const addresses = [newAddress(), newAddress()] as const;
    const { tokenId } = await give({}, [...addresses]);
    const until = inDays(1);
    const operation = await succeed(renew(tokenId, [...addresses], until));
    expect(operation).toMatchObject({ operationType: 'renew', resourceId: tokenId });
    const { operationId } = operation;
    const events = await eventsOf(tokenId);
    expect(
      events.map(({ data }) => data).toSorted((a, b) => (String(a.address) < String(b.address) ? -1 : 1)),
    ).toEqual(
      addresses.toSorted().map((address) => ({ operationId, tokenId, address, validUntilTimestamp: until })),
    );
    for (const { recipientId } of await recipientsOf(tokenId)) {
      const { data } = await get<{ data: RecipientHistoryEntry[] }>(
        `/v1/tokens/${tokenId}/recipients/${recipientId}/history`,
      );
      expect(data.at(-1)).toMatchObject({ type: 'renewed', actor: 'apiKey', detail: String(until) });
    }
  });

  test('is refused if one of the addresses does not have the badge, and then nothing changes', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    const revoked = newAddress();
    await fixture.airdrop(tokenId, revoked);
    await succeed(send(`/v1/tokens/${tokenId}/owners/${revoked}/revoke`, { reason }));
    const before = await ownerOf(tokenId, address);
    const response = await renew(tokenId, [address, revoked, newAddress()], inDays(9));
    expect(response.status).toBe(409);
    const { name, errors } = (await response.json()) as Problem;
    expect(name).toBe('TokenNotOwned');
    expect(errors).toMatchObject([{ pointer: '/addresses/1' }, { pointer: '/addresses/2' }]);
    expect(await ownerOf(tokenId, address)).toEqual(before);
  });

  test.each([
    [
      'an end in the past',
      (address: string) => ({ addresses: [address], validUntilTimestamp: Date.now() - 1 }),
      '/validUntilTimestamp',
    ],
    ['no addresses', () => ({ addresses: [], validUntilTimestamp: inDays(1) }), '/addresses'],
    [
      'too many addresses',
      () => ({ addresses: Array.from({ length: 1_001 }, newAddress), validUntilTimestamp: inDays(1) }),
      '/addresses',
    ],
    ['what is no address', () => ({ addresses: ['ada'], validUntilTimestamp: inDays(1) }), '/addresses/0'],
    [
      'a wrong checksum',
      () => ({ addresses: ['0x530e6DB7BdfFE3B3D537EcE6e20c0f46717D0044'], validUntilTimestamp: inDays(1) }),
      '/addresses/0',
    ],
    ['no end', (address: string) => ({ addresses: [address] }), '/validUntilTimestamp'],
  ])('with %s is malformed', async (_what, bodyOf, pointer) => {
    const { tokenId, address } = await give({});
    const response = await send(`/v1/tokens/${tokenId}/renew`, bodyOf(address));
    expect(response.status).toBe(400);
    expect(((await response.json()) as Problem).errors).toMatchObject([{ pointer }]);
  });

  test('that is sent twice is one; after a change it is another', async () => {
    const { tokenId, address } = await give({});
    const until = inDays(1);
    const [first, second] = await Promise.all([
      renew(tokenId, [address], until),
      renew(tokenId, [address], until),
    ]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    await succeed(first);
    await succeed(renew(tokenId, [address], until + 1));
    const third = await renew(tokenId, [address], until);
    expect(third.headers.get('location')).not.toBe(first.headers.get('location'));
    await succeed(third);
    expect((await ownerOf(tokenId, address)).validUntilTimestamp).toBe(until);
  });

  test('of 1,000 addresses fits into one request', async () => {
    const { tokenId } = await give({}, []);
    const addresses = await insertOwners(fixture.service.databaseUrl, tokenId, 1_000);
    await succeed(renew(tokenId, addresses, inDays(1)));
    expect(await eventsOf(tokenId)).toHaveLength(1_000);
  });
});

describe('what a renewal meets', () => {
  test('a badge that was lost after the request: nobody is renewed', async () => {
    const addresses = [newAddress(), newAddress()] as const;
    const { tokenId } = await give({}, [...addresses]);
    const [, lost] = addresses;
    await sql(
      'update claims set burnt_at = now(), burn_operation_id = operation_id where token_id = $1 and address = $2',
      tokenId,
      Buffer.from(lost.slice(2), 'hex'),
    );
    const [{ operation_id: operationId = '' } = {}] = await sql<{ operation_id: string }>(
      `insert into operations (operation_id, operation_type, status, community_id, request, request_bytes)
       values (gen_random_uuid(), 'renew', 'processing', 'demo', $1, 10) returning operation_id`,
      JSON.stringify({
        tokenId,
        addresses: addresses.map((address) => address.slice(2).toLowerCase()),
        validUntilTimestamp: inDays(1),
      }),
    );
    // Either this transaction or a worker settles it.
    await fixture.service.context.transaction((tx) => settleRenewals(tx, [operationId]));
    const operation = await get<Operation>(`/v1/operations/${operationId}?wait=30`);
    expect(operation).toMatchObject({ status: 'error', error: { name: 'TokenNotOwned' } });
    expect((await ownerOf(tokenId, addresses[0])).validUntilTimestamp).toBeNull();
  });

  test('moves and replacements keep it', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    const until = inDays(9);
    await succeed(renew(tokenId, [address], until));
    const toAddress = newAddress();
    await succeed(send(`/v1/tokens/${tokenId}/owners/${address}/move`, { toAddress, reason }));
    expect((await ownerOf(tokenId, toAddress)).validUntilTimestamp).toBe(until);
    const replacementTokenId = await fixture.createToken({ totalClaimCount: 1_000, validityDays: 3 });
    await sql(
      'update tokens set creator = (select creator from tokens where token_id = $1) where token_id = $2',
      tokenId,
      replacementTokenId,
    );
    await succeed(send(`/v1/tokens/${tokenId}/replace`, { replacementTokenId }));
    expect(await readSides(replacementTokenId, toAddress)).toEqual(sidesOf(until));
    expect(await nameOf(renew(tokenId, [toAddress], until))).toBe('TokenReplaced');
    // Its event comes from the replacement.
    await passTime(replacementTokenId, 10 * DAY_MS);
    await expect
      .poll(async () => (await eventsOf(replacementTokenId)).map(({ type, data }) => [type, data.address]), {
        timeout: 20_000,
      })
      .toEqual([['badge.expired', toAddress]]);
  });

  test('an earlier end revokes the credentials of these addresses, and a later one does not', async () => {
    const addresses = [newAddress(), newAddress()] as const;
    const { tokenId } = await give({ validityDays: 30 }, [...addresses]);
    const countRevoked = async (address: string) => {
      const rows = await sql(
        'select from credentials where token_id = $1 and address = $2 and revoked_at is not null',
        tokenId,
        Buffer.from(address.slice(2), 'hex'),
      );
      return rows.length;
    };
    const ids = new Set<string>();
    const read = async (address: string) => {
      const { credential } = await fixture.readCredential(`/v1/tokens/${tokenId}/credentials/${address}`);
      ids.add(credential.id);
    };
    for (const address of addresses) await read(address);
    await succeed(renew(tokenId, [addresses[0]], inDays(60)));
    await read(addresses[0]);
    expect(await countRevoked(addresses[0])).toBe(0);
    await succeed(renew(tokenId, [addresses[0]], Date.now() + HOUR_MS));
    await read(addresses[0]);
    expect(await countRevoked(addresses[0])).toBe(2);
    expect(await countRevoked(addresses[1])).toBe(0);
    expect(ids.size).toBe(4);
  });
});
