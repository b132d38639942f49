import { verifyCredential } from '@badge/credentials';
import { newAddress } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../src/signatures/address.ts';
import { insertCredentials } from '../../src/storage/credentials.ts';
import { lockTokenAndEnd } from '../../src/storage/token-locks.ts';
import { DAY_MS, HOUR_MS, validityFixture } from '../../src/testing/validity-fixture.ts';

const fixture = validityFixture();
const { send, succeed, patch, sql, give, passTime, ownerOf } = fixture;

const pathOf = (tokenId: number, address: string) => `/v1/tokens/${tokenId}/credentials/${address}`;
const read = async (tokenId: number, address: string) =>
  (await fixture.readCredential(pathOf(tokenId, address))).text;

/** The verdict of a credential, with the list of this service. */
async function verdictOf(text: string): Promise<string> {
  const { verdict, reason } = await verifyCredential(text, {
    fetchStatusList: async (url) => await (await fixture.service.call(new URL(url).pathname)).text(),
  });
  return `${verdict}: ${reason.code}`;
}
const untilOf = (text: string) => (JSON.parse(text) as { validUntil?: string }).validUntil;
const entryOf = (text: string) =>
  (JSON.parse(text) as { credentialStatus: { id: string } }).credentialStatus.id;

describe('a credential', () => {
  test('says when the badge ends, in whole seconds, rounded down', async () => {
    const { tokenId, address } = await give({ validUntilTimestamp: Date.UTC(2999, 0, 2, 3, 4, 5, 999) });
    const text = await read(tokenId, address);
    expect(untilOf(text)).toBe('2999-01-02T03:04:05Z');
    expect(await verdictOf(text)).toBe('valid: notRevoked');
    expect((await verifyCredential(text)).content?.validUntilTimestamp).toBe(Date.UTC(2999, 0, 2, 3, 4, 5));
    expect(await read(tokenId, address)).toBe(text);
  });

  test.each([
    [{}],
    // XML Schema writes such a year differently.
    [{ validUntilTimestamp: Date.UTC(10_000, 0) }],
  ])('of a token with %j says no end', async (fields) => {
    const { tokenId, address } = await give(fields);
    const text = await read(tokenId, address);
    expect(text).not.toContain('validUntil');
    expect(await verdictOf(text)).toBe('valid: notRevoked');
  });

  test('of a badge that has ended can be read, and is not valid any more', async () => {
    const { tokenId, address } = await give({ validityDays: 1 });
    const before = await read(tokenId, address);
    await passTime(tokenId, DAY_MS);
    const text = await read(tokenId, address);
    const { validUntilTimestamp } = await ownerOf(tokenId, address);
    expect(untilOf(text)).toBe(
      new Date(Math.floor(Number(validUntilTimestamp) / 1_000) * 1_000).toISOString().replace('.000', ''),
    );
    expect(await verdictOf(text)).toBe('expired: expired');
    expect((await fixture.service.call(`${pathOf(tokenId, address)}.png`)).status).toBe(200);
    expect(before).not.toBe(text);
  });
});

describe('a new end', () => {
  test('that is later gives a new credential, and leaves the former one', async () => {
    const first = Date.now() + HOUR_MS;
    const { tokenId, address } = await give({ validUntilTimestamp: first });
    const former = await read(tokenId, address);
    await patch(tokenId, { validUntilTimestamp: first + DAY_MS });
    const later = await read(tokenId, address);
    expect(entryOf(later)).not.toBe(entryOf(former));
    expect(await verdictOf(former)).toBe('valid: notRevoked');
    expect(await verdictOf(later)).toBe('valid: notRevoked');
    // Whoever loses the badge loses both.
    await succeed(send(`/v1/tokens/${tokenId}/owners/${address}/revoke`, { reason: 'a reason' }));
    expect(await verdictOf(former)).toBe('revoked: revoked');
    expect(await verdictOf(later)).toBe('revoked: revoked');
  });

  test('that is earlier revokes the former credentials of everybody, and of nobody else', async () => {
    const addresses = [newAddress(), newAddress(), newAddress()];
    const { tokenId } = await give({ validityDays: 30 }, addresses);
    const other = await give({ validityDays: 30 });
    const former = await Promise.all(addresses.map((address) => read(tokenId, address)));
    const others = await read(other.tokenId, other.address);
    const until = Date.now() + DAY_MS;
    await patch(tokenId, { validUntilTimestamp: until });
    for (const text of former) expect(await verdictOf(text)).toBe('revoked: revoked');
    expect(await verdictOf(others)).toBe('valid: notRevoked');
    const [address = ''] = addresses;
    const shorter = await read(tokenId, address);
    expect(await verdictOf(shorter)).toBe('valid: notRevoked');
    // The way back gives a third one.
    await patch(tokenId, { validityDays: 30 });
    const again = await read(tokenId, address);
    expect(new Set([...former, shorter, again].map(entryOf)).size).toBe(5);
    expect(await verdictOf(again)).toBe('valid: notRevoked');
    expect(await verdictOf(shorter)).toBe('valid: notRevoked');
    for (const text of former) expect(await verdictOf(text)).toBe('revoked: revoked');
  });

  test('where there was none, revokes credentials that say none', async () => {
    const { tokenId, address } = await give({});
    const endless = await read(tokenId, address);
    await patch(tokenId, { criteria: 'Gave a talk.' });
    expect(await verdictOf(endless)).toBe('valid: notRevoked');
    await patch(tokenId, { validityDays: 1 });
    expect(await verdictOf(endless)).toBe('revoked: revoked');
  });

  test('that is set while a credential is made leaves none that says a later end', async () => {
    const { tokenId, address } = await give({});
    await read(tokenId, address);
    const [list] = await sql<{ community_id: string; generation: number; base_url: string }>(
      'select community_id, generation, base_url from status_lists limit 1',
    );
    const choice = {
      communityId: list?.community_id ?? '',
      generation: list?.generation ?? 0,
      baseUrl: list?.base_url ?? '',
    };
    const owner = { tokenId, address: parseAddress(address) };
    await sql('delete from credentials where token_id = $1', tokenId);
    const { context } = fixture.service;
    let inserting: Promise<void> | undefined;
    await context.transaction(async (tx) => {
      await lockTokenAndEnd(tx, tokenId);
      // One that does not wait leaves the owner out.
      await insertCredentials(context.database, choice, [owner], { mayWait: false });
      expect(await sql('select from credentials where token_id = $1', tokenId)).toEqual([]);
      inserting = insertCredentials(context.database, choice, [owner], { mayWait: true });
      await expect
        .poll(
          () =>
            sql("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%issuer_keys%'"),
          { timeout: 20_000 },
        )
        .not.toEqual([]);
      await tx
        .updateTable('tokens')
        .set({ valid_until: new Date(5) })
        .where('token_id', '=', tokenId)
        .execute();
    });
    await inserting;
    expect(await sql('select valid_until from credentials where token_id = $1', tokenId)).toEqual([
      { valid_until: new Date(5) },
    ]);
  });
});
