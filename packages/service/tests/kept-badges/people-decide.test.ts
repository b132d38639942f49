import type { Eligibility, Operation, WalletToken } from '@badge/protocol';
import { newAddress, newWallet, signedClaim, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { keptBadgesFixture } from '../../src/testing/kept-badges-fixture.ts';

const fixture = keptBadgesFixture();
const { change, createToken, give, keptAddressOf, outcomeOf, read, settle, signIn, signInByEmail } = fixture;
const { whileLocked } = fixture;

/** Reads the tokens of a wallet that are hidden, and those that are not, from both processes. */
async function hiddenOf(address: string): Promise<{ hidden: number[]; shown: number[] }> {
  const [one, other] = await Promise.all(
    fixture.services.map(async (service) => {
      const response = await service.call(`/v1/wallets/${address}/tokens`);
      const { data } = (await response.json()) as { data: WalletToken[] };
      const idsOf = (isHidden: boolean) =>
        data.flatMap((token) => (token.isHiddenByOwner === isHidden ? token.badgeTokenId : []));
      return { hidden: idsOf(true), shown: idsOf(false) };
    }),
  );
  expect(one).toEqual(other);
  return one ?? { hidden: [], shown: [] };
}

test('a wallet hides a token of its own from pages, and shows it again; every process says so at once', async () => {
  const wallet = newWallet();
  const key = await signIn(wallet);
  const [first, second] = [await createToken(), await createToken()];
  for (const tokenId of [first, second]) await give(tokenId, wallet.address);
  await give(first, newAddress());
  expect(await hiddenOf(wallet.address)).toEqual({ hidden: [], shown: [second, first] });
  for (const _ of [1, 2]) expect(await change('PUT', `hiddenTokens/${first}`, key)).toBe(204);
  expect(await hiddenOf(wallet.address)).toEqual({ hidden: [first], shown: [second] });
  for (const _ of [1, 2]) expect(await change('DELETE', `hiddenTokens/${first}`, key)).toBe(204);
  expect(await hiddenOf(wallet.address)).toEqual({ hidden: [], shown: [second, first] });
});

test('only who has a token can hide it', async () => {
  const [owner, stranger] = [await signInByEmail(), await signInByEmail()];
  const tokenId = await createToken();
  const address = await keptAddressOf(owner);
  await give(tokenId, address);
  await keptAddressOf(stranger);
  const hide = (key: string, id: number | string = tokenId) => change('PUT', `hiddenTokens/${id}`, key);
  expect(await hide(stranger.key)).toBe(409);
  expect(await hide(await signIn(newWallet()))).toBe(409);
  expect(await hide(owner.key, 999_999)).toBe(404);
  expect(await hiddenOf(address)).toEqual({ hidden: [], shown: [tokenId] });
  expect(await hide(owner.key)).toBe(204);
  expect(await hiddenOf(address)).toEqual({ hidden: [tokenId], shown: [] });
  expect(await change('DELETE', `hiddenTokens/${tokenId}`, stranger.key)).toBe(204);
  expect(await hiddenOf(address)).toEqual({ hidden: [tokenId], shown: [] });
});

test('a hidden token stays hidden if another one replaces it', async () => {
  const creator = newWallet();
  const ids = [];
  for (const headline of ['Old', 'New']) {
    const operation = await settle('/v1/tokens', await signedToken({ headline }, creator));
    if (typeof operation === 'string') throw new Error(operation);
    ids.push(operation.resourceId);
  }
  const [tokenId = 0, replacementTokenId] = ids;
  const wallet = newWallet();
  const key = await signIn(wallet);
  await give(Number(tokenId), wallet.address);
  await change('PUT', `hiddenTokens/${tokenId}`, key);
  expect(await outcomeOf(`/v1/tokens/${tokenId}/replace`, { replacementTokenId })).toBe('success');
  expect(await hiddenOf(wallet.address)).toEqual({ hidden: [replacementTokenId], shown: [] });
});

/** Sets or changes the wallet of later badges. */
const setDefault = (emailHash: Buffer, address: string) =>
  query(
    fixture.services[0].databaseUrl,
    `insert into holders (email_hash, default_address) values ($1, $2)
     on conflict (email_hash) do update set default_address = excluded.default_address`,
    [emailHash, Buffer.from(address.slice(2), 'hex')],
  );

const refusedOf = async (key: string) =>
  (await read<{ data: { communityId: string }[] }>('/v1/sessions/current/refusedCommunities', key)).data;

test('nobody can give tokens of a refused community, but one can still claim them', async () => {
  const wallet = newWallet();
  const { address } = wallet;
  const key = await signIn(wallet);
  expect(await change('PUT', 'refusedCommunities/nobody', key)).toBe(404);
  for (const _ of [1, 2]) expect(await change('PUT', 'refusedCommunities/demo', key)).toBe(204);
  expect(await refusedOf(key)).toEqual([{ communityId: 'demo', name: 'Demo community' }]);
  const [tokenId, ofOther] = [await createToken(), await createToken({ communityId: 'other' })];
  const airdrop = (id: number, to: string) => outcomeOf(`/v1/tokens/${id}/airdrop`, { address: to });
  expect(await airdrop(tokenId, address)).toBe('RecipientRefuses');
  expect(await give(tokenId, address)).toBe('RecipientRefuses');
  expect(await airdrop(tokenId, newAddress())).toBe('success');
  expect(await airdrop(ofOther, address)).toBe('success');
  // Anybody may ask, and does not learn it.
  const { canClaim } = await read<Eligibility>(`/v1/tokens/${tokenId}/eligibility?address=${address}`);
  expect(canClaim).toBe(true);
  expect(await outcomeOf(`/v1/tokens/${tokenId}/claim`, await signedClaim(tokenId, wallet))).toBe('success');
  const next = await createToken();
  expect(await airdrop(next, address)).toBe('RecipientRefuses');
  for (const _ of [1, 2]) expect(await change('DELETE', 'refusedCommunities/demo', key)).toBe(204);
  expect(await refusedOf(key)).toEqual([]);
  expect(await airdrop(next, address)).toBe('success');
});

test('a code does not give a token of a refused community to somebody who has not signed', async () => {
  const wallet = newWallet();
  const tokenId = await createToken();
  const links = await fixture.services[0].call(`/v1/tokens/${tokenId}/claimLinks`, {
    key: fixture.services[0].apiKey,
    json: { count: 1 },
  });
  const { items } = (await links.json()) as { items: { code: string }[] };
  await change('PUT', 'refusedCommunities/demo', await signIn(wallet));
  const claim = (signed: object) =>
    outcomeOf(`/v1/tokens/${tokenId}/claim`, { ...signed, claimCode: items[0]?.code }, { key: null });
  expect(await claim({ claimingAddress: wallet.address })).toBe('RecipientRefuses');
  expect(await claim(await signedClaim(tokenId, wallet))).toBe('success');
});

test('who refuses with an e-mail refuses for the kept address only, not for the wallet of later badges', async () => {
  const person = await signInByEmail();
  expect(await change('PUT', 'refusedCommunities/other', person.key)).toBe(204);
  expect(await refusedOf(person.key)).toEqual([{ communityId: 'other', name: 'Other' }]);
  const wallet = newAddress();
  const tokenId = await createToken({ communityId: 'other' });
  const kept = await keptAddressOf(person, 'other');
  expect(await give(tokenId, kept)).toBe('RecipientRefuses');
  await setDefault(person.emailHash, wallet);
  expect(await give(tokenId, kept)).toBe('RecipientRefuses');
  expect(await give(tokenId, wallet)).toBe('success');
  const next = await createToken({ communityId: 'other' });
  expect(await outcomeOf(`/v1/tokens/${next}/claim`, {}, { key: person.key })).toBe('success');
  expect(await fixture.statusOf(next, wallet)).toBe('held');
});

test('a wallet that refuses a community gets nothing that somebody claims with an e-mail', async () => {
  const person = await signInByEmail();
  const kept = await keptAddressOf(person);
  const wallet = newWallet();
  const key = await signIn(wallet);
  await setDefault(person.emailHash, wallet.address);
  const [tokenId, late] = [await createToken(), await createToken()];
  const claim = (id: number) => outcomeOf(`/v1/tokens/${id}/claim`, {}, { key: person.key });
  const location = await whileLocked(late, async () => {
    const response = await fixture.services[0].call(`/v1/tokens/${late}/claim`, {
      key: person.key,
      json: {},
    });
    expect(response.status).toBe(202);
    expect(await change('PUT', 'refusedCommunities/demo', key)).toBe(204);
    return response.headers.get('location');
  });
  expect(await read<Operation>(`${location}?wait=20`)).toMatchObject({
    status: 'error',
    error: { name: 'RecipientRefuses' },
  });
  expect(await claim(tokenId)).toBe('RecipientRefuses');
  // The refusal does not bind the kept address.
  expect(await give(await createToken(), kept)).toBe('success');
  expect(await change('DELETE', 'defaultAddress', person.key)).toBe(204);
  expect(await claim(tokenId)).toBe('success');
  expect(await fixture.statusOf(tokenId, kept)).toBe('held');
});

test('what somebody claims with an e-mail goes to the wallet of later badges, and the two are one person', async () => {
  const person = await signInByEmail();
  const wallet = newAddress();
  await setDefault(person.emailHash, wallet);
  const tokenId = await createToken();
  const claim = () => outcomeOf(`/v1/tokens/${tokenId}/claim`, {}, { key: person.key });
  expect(await claim()).toBe('success');
  const { data } = await read<{ data: { address: string }[] }>(`/v1/tokens/${tokenId}/owners`);
  expect(data).toMatchObject([{ address: wallet, isKept: false }]);
  expect(await give(tokenId, await keptAddressOf(person))).toBe('ClaimingAddressAlreadyHasToken');
  expect(await claim()).toBe('ClaimingAddressAlreadyHasToken');
});

test('what was accepted before a refusal is refused when it is settled', async () => {
  const wallet = newWallet();
  const key = await signIn(wallet);
  const tokenId = await createToken();
  const outcome = await whileLocked(tokenId, async () => {
    const [service] = fixture.services;
    const accepted = await service.call(`/v1/tokens/${tokenId}/claim`, {
      key: service.apiKey,
      json: { claimingAddress: wallet.address },
    });
    expect(accepted.status).toBe(202);
    expect(await change('PUT', 'refusedCommunities/demo', key)).toBe(204);
    return accepted.headers.get('location');
  });
  const operation = await read<{ error: { name: string } }>(`${outcome}?wait=20`);
  expect(operation.error.name).toBe('RecipientRefuses');
  expect(await outcomeOf(`/v1/tokens/${tokenId}/claim`, await signedClaim(tokenId, wallet))).toBe('success');
});

test('of a kept address and the wallet of later badges, only one gets a token, also in one batch', async () => {
  const person = await signInByEmail();
  const kept = await keptAddressOf(person);
  const wallet = newAddress();
  await setDefault(person.emailHash, wallet);
  const [one, two] = [await createToken(), await createToken()];
  expect(await give(one, wallet)).toBe('success');
  expect(await give(one, kept)).toBe('ClaimingAddressAlreadyHasToken');
  expect(await give(two, kept)).toBe('success');
  expect(await give(two, wallet)).toBe('ClaimingAddressAlreadyHasToken');
  // A token of another community is none of this kept address.
  expect(await give(await createToken({ communityId: 'other' }), wallet)).toBe('success');
  const races = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const tokenId = await createToken();
      return await Promise.all([
        give(tokenId, kept, fixture.services[0]),
        give(tokenId, wallet, fixture.services[1]),
        give(tokenId, newAddress(), fixture.services[1]),
      ]);
    }),
  );
  for (const [first, second, stranger] of races) {
    expect([first, second].sort()).toEqual(['ClaimingAddressAlreadyHasToken', 'success']);
    expect(stranger).toBe('success');
  }
});

test('one e-mail gets a token once, whichever wallet gets its later badges', async () => {
  const [person, other] = [await signInByEmail(), await signInByEmail()];
  const claim = (tokenId: number, of = person) =>
    outcomeOf(`/v1/tokens/${tokenId}/claim`, {}, { key: of.key });
  const [tokenId, next] = [await createToken(), await createToken()];
  const [first, second] = [newAddress(), newAddress()];
  await setDefault(person.emailHash, first);
  expect(await claim(tokenId)).toBe('success');
  await setDefault(person.emailHash, second);
  expect(await claim(tokenId)).toBe('ClaimingAddressAlreadyHasToken');
  // Also if the first wallet has lost it.
  await outcomeOf(`/v1/tokens/${tokenId}/owners/${first}/revoke`, { reason: 'a mistake' });
  expect(await claim(tokenId)).toBe('ClaimingAddressAlreadyHasToken');
  expect(await claim(next)).toBe('success');
  await setDefault(other.emailHash, newAddress());
  expect(await claim(tokenId, other)).toBe('success');
});

test('one e-mail gets a token once, also with two claims that are settled together', async () => {
  const person = await signInByEmail();
  const tokenId = await createToken();
  const locations = await whileLocked(tokenId, async () => {
    const accepted = [];
    for (const wallet of [newAddress(), newAddress()]) {
      await setDefault(person.emailHash, wallet);
      const response = await fixture.services[0].call(`/v1/tokens/${tokenId}/claim`, {
        key: person.key,
        json: {},
      });
      expect(response.status).toBe(202);
      accepted.push(response.headers.get('location'));
    }
    return accepted;
  });
  const [first, second] = await Promise.all(
    locations.map((location) => read<Operation>(`${location}?wait=20`)),
  );
  expect(first).toMatchObject({ status: 'success' });
  expect(second).toMatchObject({ error: { name: 'ClaimingAddressAlreadyHasToken' } });
});

test('an editor moves no token to an address that refuses the community, except back to it', async () => {
  const person = await signInByEmail();
  const kept = await keptAddressOf(person);
  const [tokenId, returned, late] = [await createToken(), await createToken(), await createToken()];
  const holder = newAddress();
  await give(returned, kept);
  const reason = 'a reason';
  const move = (id: number, from: string, toAddress: string) =>
    outcomeOf(`/v1/tokens/${id}/owners/${from}/move`, { toAddress, reason });
  expect(await move(returned, kept, holder)).toBe('success');
  for (const id of [tokenId, late]) await give(id, holder);
  const location = await whileLocked(late, async () => {
    const [service] = fixture.services;
    const path = `/v1/tokens/${late}/owners/${holder}/move`;
    const response = await service.call(path, { key: service.apiKey, json: { toAddress: kept, reason } });
    expect(response.status).toBe(202);
    expect(await change('PUT', 'refusedCommunities/demo', person.key)).toBe(204);
    return response.headers.get('location');
  });
  const operation = await read<Operation>(`${location}?wait=20`);
  expect(operation).toMatchObject({ status: 'error', error: { name: 'RecipientRefuses' } });
  const response = await fixture.services[1].call(`/v1/tokens/${tokenId}/owners/${holder}/move`, {
    key: fixture.services[0].apiKey,
    json: { toAddress: kept, reason },
  });
  expect([response.status, await response.json()]).toMatchObject([409, { name: 'RecipientRefuses' }]);
  // It has had this one.
  expect(await move(returned, holder, kept)).toBe('success');
  const other = await createToken({ communityId: 'other' });
  await give(other, holder);
  expect(await move(other, holder, kept)).toBe('success');
});

test('a wallet that refuses a community gets its kept badges, if it has signed that it receives them', async () => {
  const person = await signInByEmail();
  const tokenId = await createToken();
  await give(tokenId, await keptAddressOf(person));
  const wallet = newWallet();
  await change('PUT', 'refusedCommunities/demo', await signIn(wallet));
  const operation = await fixture.moveBadges(person, await fixture.signedMove(person, wallet));
  expect(operation).toMatchObject({ status: 'success', warnings: [] });
  expect(await fixture.statusOf(tokenId, wallet.address)).toBe('held');
});
