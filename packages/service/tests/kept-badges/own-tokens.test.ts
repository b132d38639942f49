import type { OwnToken } from '@badge/protocol';
import { newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { keptBadgesFixture } from '../../src/testing/kept-badges-fixture.ts';

const fixture = keptBadgesFixture();
const { createToken, give, keptAddressOf, read, readSession, signIn, signInByEmail, outcomeOf } = fixture;

const tokensOf = async (key: string, query = '') =>
  (await read<{ data: OwnToken[] }>(`/v1/sessions/current/tokens${query}`, key)).data;
const idsOf = async (key: string, query?: string) =>
  (await tokensOf(key, query)).map(({ badgeTokenId }) => badgeTokenId);

test('somebody with an e-mail sees what is kept for them in every community, newest token first', async () => {
  const [person, other] = [await signInByEmail(), await signInByEmail()];
  const first = await createToken();
  const second = await createToken({ communityId: 'other' });
  const third = await createToken();
  const [inDemo, inOther] = [await keptAddressOf(person), await keptAddressOf(person, 'other')];
  for (const [tokenId, address] of [
    [third, inDemo],
    [second, inOther],
    [first, inDemo],
    [first, await keptAddressOf(other)],
  ] as const) {
    expect(await give(tokenId, address)).toBe('success');
  }
  const tokens = await tokensOf(person.key);
  expect(
    tokens.map(({ badgeTokenId, communityId, address }) => [badgeTokenId, communityId, address]),
  ).toEqual([
    [third, 'demo', inDemo],
    [second, 'other', inOther],
    [first, 'demo', inDemo],
  ]);
  const [listed] = await read<{ data: object[] }>(`/v1/wallets/${inOther}/tokens`).then(({ data }) => data);
  expect(tokens[1]).toEqual({ ...listed, address: inOther });
  expect(await idsOf(person.key, '?limit=1&offset=1')).toEqual([second]);
  // A page of more than 100 items is read in pieces.
  expect(await tokensOf(person.key, '?limit=200')).toEqual(tokens);
  expect(await idsOf(other.key)).toEqual([first]);
});

test('a session by e-mail names the kept addresses that have a badge now', async () => {
  const person = await signInByEmail();
  const { email, emailHash } = person;
  const session = {
    identity: { type: 'email', email },
    address: null,
    addresses: [],
    emailHash: emailHash.toString('hex'),
    moveNonce: 0,
    defaultAddress: null,
    expiresAtTimestamp: expect.any(Number),
    memberships: [],
  };
  const address = await keptAddressOf(person, 'other');
  await keptAddressOf(person);
  expect(await readSession(person)).toEqual(session);
  const tokenId = await createToken({ communityId: 'other' });
  await give(tokenId, address);
  expect(await readSession(person)).toEqual({ ...session, addresses: [{ communityId: 'other', address }] });
  const revocation = `/v1/tokens/${tokenId}/owners/${address}/revoke`;
  expect(await outcomeOf(revocation, { reason: 'a mistake' })).toBe('success');
  expect(await readSession(person)).toEqual(session);
  expect(await tokensOf(person.key)).toEqual([]);
});

test('a wallet that has signed in sees the tokens that it has', async () => {
  const wallet = newWallet();
  const { address } = wallet;
  const key = await signIn(wallet);
  expect(await tokensOf(key)).toEqual([]);
  const held = await createToken();
  await give(held, address);
  // It is on the list of this one, and does not have it.
  await createToken({ isAllowlistRequired: true, totalClaimCount: null, contributors: [address] });
  const [listed] = await read<{ data: object[] }>(`/v1/wallets/${address}/tokens?claimStatus=claimed`).then(
    ({ data }) => data,
  );
  expect(await tokensOf(key)).toEqual([{ ...listed, address }]);
  const session = await read<object>('/v1/sessions/current', key);
  expect(session).toMatchObject({ addresses: [], emailHash: null, moveNonce: null, defaultAddress: null });
});
