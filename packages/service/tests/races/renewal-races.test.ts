import type { BadgeEvent, Operation, OwnerState } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { json, replacementsFixture } from '../../src/testing/replacements-fixture.ts';

const fixture = replacementsFixture();
const { post, get, finish, succeed, createToken, replace } = fixture;

const ROUNDS = 12;
const DAY_MS = 86_400_000;
const reason = 'a reason';
const serviceOf = (index: number) => (index % 2 === 0 ? fixture.service : fixture.otherService);
const inDays = (days: number) => Date.now() + days * DAY_MS;

const renew = (tokenId: number, addresses: string[], validUntilTimestamp: number, index = 0) =>
  post(`${tokenId}/renew`, { addresses, validUntilTimestamp }, serviceOf(index));
const ownerOf = (tokenId: number, address: string) => get<OwnerState>(`${tokenId}/owners/${address}`);
const sql = (text: string, ...values: unknown[]) => query(fixture.service.databaseUrl, text, values);

async function give(tokenId: number): Promise<string> {
  const address = newAddress();
  await succeed(post(`${tokenId}/airdrop`, { address }));
  return address;
}

/** `success`, or the name of the error of the response or of the operation. */
async function outcomeOf(sending: Promise<Response>): Promise<string> {
  const response = await sending;
  if (response.status !== 202) return (await json<{ name: string }>(response)).name;
  const { status, error }: Operation = await finish(response);
  return error?.name ?? status;
}

/** The types of the events about the end of an address's badge, on any token, in their order. */
async function typesOf(address: string): Promise<string[]> {
  const rows = await query<{ type: BadgeEvent['type'] }>(
    fixture.service.databaseUrl,
    `select type from (
       select position as place, 0 as waits, type, data from events
       union all select sequence, 1, type, data from event_outbox
     ) e
     where type in ('badge.expired', 'badge.renewed') and data->>'address' = $1 order by waits, place`,
    [address.slice(2).toLowerCase()],
  );
  return rows.map(({ type }) => type);
}

/** Lets the badge of every owner of a token end now, as if a day had passed. */
async function passDay(tokenId: number): Promise<void> {
  await sql("update claims set claimed_at = claimed_at - interval '1 day' where token_id = $1", tokenId);
  await sql('update expiry_turns set next_at = now() where token_id = $1', tokenId);
}

test('of a renewal and a revocation at once, the badge ends as the one that came last says', async () => {
  const tokenId = await createToken();
  await Promise.all(
    Array.from({ length: ROUNDS }, async (_, index) => {
      const address = await give(tokenId);
      const until = inDays(9);
      const [renewed, revoked] = await Promise.all([
        outcomeOf(renew(tokenId, [address], until, index)),
        outcomeOf(post(`${tokenId}/owners/${address}/revoke`, { reason }, serviceOf(index + 1))),
      ]);
      expect(revoked).toBe('success');
      expect(['success', 'TokenNotOwned']).toContain(renewed);
      expect(await ownerOf(tokenId, address)).toMatchObject({
        status: 'revoked',
        validUntilTimestamp: renewed === 'success' ? until : null,
      });
      expect(await typesOf(address)).toEqual(renewed === 'success' ? ['badge.renewed'] : []);
    }),
  );
});

test('of renewals and a replacement at once, every accepted renewal is that of the replacement', async () => {
  const tokenId = await createToken({ validityDays: 1 });
  const addresses = await Promise.all(Array.from({ length: ROUNDS }, () => give(tokenId)));
  const replacementTokenId = await createToken({ validityDays: 3 });
  const until = inDays(9);
  const [outcomes, replaced] = await Promise.all([
    Promise.all(addresses.map((address, index) => outcomeOf(renew(tokenId, [address], until, index)))),
    outcomeOf(replace(tokenId, replacementTokenId, fixture.otherService)),
  ]);
  expect(replaced).toBe('success');
  for (const [index, address] of addresses.entries()) {
    expect(['success', 'TokenReplaced']).toContain(outcomes[index]);
    const { status, claimedAtTimestamp, validUntilTimestamp } = await ownerOf(replacementTokenId, address);
    expect(status).toBe('held');
    expect(validUntilTimestamp).toBe(outcomes[index] === 'success' ? until : claimedAtTimestamp + 3 * DAY_MS);
  }
});

test('of a renewal and an expiry at once, the expiry is announced once, and first', async () => {
  await Promise.all(
    Array.from({ length: ROUNDS }, async (_, index) => {
      const tokenId = await createToken({ validityDays: 1, headline: `round ${index}` });
      const address = await give(tokenId);
      const [renewed] = await Promise.all([
        // Whether it has ended when it is renewed depends on the race.
        outcomeOf(renew(tokenId, [address], inDays(9), index)),
        passDay(tokenId),
      ]);
      expect(renewed).toBe('success');
      expect((await ownerOf(tokenId, address)).status).toBe('held');
      await expect
        .poll(() => sql('select from expiry_turns where token_id = $1 and next_at <= now()', tokenId), {
          timeout: 20_000,
        })
        .toEqual([]);
      expect([['badge.renewed'], ['badge.expired', 'badge.renewed']]).toContainEqual(await typesOf(address));
    }),
  );
});

test('of an expiry, a replacement, moves and burns at once, each badge is announced at most once', async () => {
  const tokenId = await createToken({ validityDays: 1 });
  const addresses = await Promise.all(Array.from({ length: ROUNDS }, () => give(tokenId)));
  const replacementTokenId = await createToken({ validityDays: 1 });
  await passDay(tokenId);
  const receivers = addresses.map(() => newAddress());
  const [moved, replaced] = await Promise.all([
    Promise.all(
      addresses.map((address, index) =>
        index % 3 === 0
          ? 'stays'
          : outcomeOf(
              post(
                `${tokenId}/owners/${address}/move`,
                { toAddress: receivers[index], reason },
                serviceOf(index),
              ),
            ),
      ),
    ),
    outcomeOf(replace(tokenId, replacementTokenId, fixture.otherService)),
  ]);
  expect(replaced).toBe('success');
  await expect
    .poll(
      () => sql('select from expiry_turns where token_id = $1 and next_at <= now()', replacementTokenId),
      { timeout: 20_000 },
    )
    .toEqual([]);
  for (const [index, address] of addresses.entries()) {
    const hasMoved = moved[index] === 'success';
    const owner = hasMoved ? (receivers[index] ?? '') : address;
    expect((await ownerOf(replacementTokenId, owner)).status).toBe('expired');
    const events = [...(await typesOf(address)), ...(await typesOf(receivers[index] ?? ''))];
    expect(events).toEqual(['badge.expired']);
  }
});
