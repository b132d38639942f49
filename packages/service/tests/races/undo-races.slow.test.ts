import type { Owner } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import type { TestService } from '../../src/testing/services.ts';
import {
  count,
  json,
  ownerPath,
  ROUNDS,
  reason,
  rounds,
  undoRacesFixture,
} from '../../src/testing/undo-races-fixture.ts';

const fixture = undoRacesFixture();
const { send, createToken, claim, revoke, move, statusOf, expectRemaining } = fixture;

const reinstate = async (tokenId: number, address: string, service?: TestService) =>
  (await send(`${ownerPath(tokenId, address)}/reinstate`, { reason }, service)).outcome;

const ownersOf = async (tokenId: number) =>
  (
    await json<{ data: Owner[] }>(fixture.services[1].call(`/v1/tokens/${tokenId}/owners?limit=1000`))
  ).data.map(({ address }) => address);

test('of two moves to one receiver, and of a claim by it, exactly one succeeds', async () => {
  const tokenId = await createToken();
  let claims = 0;
  await rounds(async () => {
    const [a, b, receiver] = [newAddress(), newAddress(), newAddress()];
    expect([await claim(tokenId, a), await claim(tokenId, b)]).toEqual(['success', 'success']);
    const outcomes = await Promise.all([
      move(tokenId, a, receiver),
      move(tokenId, b, receiver, fixture.services[1]),
      claim(tokenId, receiver),
    ]);
    expect(count(outcomes)).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'ClaimingAddressAlreadyHasToken')).toHaveLength(2);
    if (outcomes[2] === 'success') claims += 1;
    expect(await statusOf(tokenId, receiver)).toBe('held');
    expect(await statusOf(tokenId, a)).toBe(outcomes[0] === 'success' ? 'moved' : 'held');
    expect(await statusOf(tokenId, b)).toBe(outcomes[1] === 'success' ? 'moved' : 'held');
  });
  await expectRemaining(tokenId, 100 - 2 * ROUNDS - claims);
  expect(await ownersOf(tokenId)).toHaveLength(2 * ROUNDS + claims);
});

test('a token that is moved there and back, while it is revoked and reinstated, has one owner', async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const [a, b] = [newAddress(), newAddress()];
    await claim(tokenId, a);
    await Promise.all([
      move(tokenId, a, b).then(() => move(tokenId, b, a, fixture.services[1])),
      revoke(tokenId, a, fixture.services[1]).then(() => reinstate(tokenId, a)),
      revoke(tokenId, b).then(() => reinstate(tokenId, b, fixture.services[1])),
    ]);
    const statuses = [await statusOf(tokenId, a), await statusOf(tokenId, b)];
    // Whoever revoked the token has reinstated it.
    expect(statuses.filter((status) => status !== 'moved' && status !== undefined)).toEqual(['held']);
  });
  await expectRemaining(tokenId, 100 - ROUNDS);
  expect(
    await query(
      fixture.services[0].databaseUrl,
      'select from claims where token_id = $1 and moved_from is null',
      [tokenId],
    ),
  ).toHaveLength(ROUNDS);
});
