import type { AuditEntry, BadgeCredential, BadgeEvent, Operation, Owner, Token } from '@badge/protocol';
import { waitForPlacedEvents } from '@badge/test-support/fixtures';
import { newAddress, newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { type EmailPerson, keptBadgesFixture } from '../../src/testing/kept-badges-fixture.ts';

const fixture = keptBadgesFixture();
const { change, createToken, give, keptAddressOf, moveBadges, outcomeOf, read, readSession } = fixture;
const { settle, signedMove, signIn, signInByEmail, statusOf } = fixture;

const SUCCESS = {
  operationType: 'moveBadges',
  status: 'success',
  resourceId: null,
  error: null,
  warnings: [],
};

/** Keeps new tokens of `demo` for somebody. */
async function keep(person: EmailPerson, count: number, fields: object = {}): Promise<number[]> {
  const address = await keptAddressOf(person);
  const tokenIds = [];
  for (let made = 0; made < count; made += 1) {
    const tokenId = await createToken({ ...fields });
    expect(await give(tokenId, address)).toBe('success');
    tokenIds.push(tokenId);
  }
  return tokenIds;
}

const credentialOf = async (tokenId: number, address: string) => {
  const response = await fixture.services[1].call(`/v1/tokens/${tokenId}/credentials/${address}`);
  return { status: response.status, body: (await response.json()) as BadgeCredential };
};
const ownersOf = async (tokenId: number) =>
  (await read<{ data: Owner[] }>(`/v1/tokens/${tokenId}/owners`)).data;

test('everything that is kept moves to the wallet, with its time, end, place and counts', async () => {
  const person = await signInByEmail();
  const wallet = newWallet();
  const validUntilTimestamp = Date.now() + 86_400_000;
  const [one = 0, two = 0] = await keep(person, 2, { validUntilTimestamp });
  const ofOther = await createToken({ communityId: 'other' });
  const [kept, keptInOther] = [await keptAddressOf(person), await keptAddressOf(person, 'other')];
  await give(ofOther, keptInOther);
  await give(one, newAddress());
  const before = await ownersOf(one);
  const tokenBefore = await read<Token>(`/v1/tokens/${one}`);
  const credential = await credentialOf(one, kept);
  expect(credential.status).toBe(200);
  await change('PUT', `hiddenTokens/${two}`, person.key);

  expect(await moveBadges(person, await signedMove(person, wallet))).toMatchObject(SUCCESS);
  expect(await ownersOf(one)).toEqual(
    before.map((owner) =>
      owner.address === kept ? { ...owner, address: wallet.address, isKept: false } : owner,
    ),
  );
  expect(await read<Token>(`/v1/tokens/${one}`)).toEqual(tokenBefore);
  for (const [tokenId, from] of [
    [one, kept],
    [two, kept],
    [ofOther, keptInOther],
  ] as const) {
    expect([await statusOf(tokenId, from), await statusOf(tokenId, wallet.address)]).toEqual([
      'moved',
      'held',
    ]);
  }
  expect((await credentialOf(one, kept)).status).toBe(410);
  const issuedAnew = await credentialOf(one, wallet.address);
  expect(issuedAnew.status).toBe(200);
  expect(issuedAnew.body.validUntil).toBe(credential.body.validUntil);
  const session = await readSession(person);
  expect(session).toMatchObject({ addresses: [], moveNonce: 1 });
  const { data } = await read<{ data: { badgeTokenId: number; isHiddenByOwner: boolean }[] }>(
    '/v1/sessions/current/tokens',
    await signIn(wallet),
  );
  expect(data.map(({ badgeTokenId, isHiddenByOwner }) => [badgeTokenId, isHiddenByOwner])).toEqual([
    [ofOther, false],
    [two, true],
    [one, false],
  ]);
});

test('a moved badge does not come back: the kept address cannot claim it again', async () => {
  const person = await signInByEmail();
  const [tokenId = 0] = await keep(person, 1);
  const wallet = newWallet();
  await moveBadges(person, await signedMove(person, wallet));
  const claim = () => outcomeOf(`/v1/tokens/${tokenId}/claim`, {}, { key: person.key });
  expect(await claim()).toBe('ClaimingAddressAlreadyHasToken');
  // Another move has nothing to move.
  expect(await moveBadges(person, await signedMove(person, wallet))).toMatchObject(SUCCESS);
  expect(await ownersOf(tokenId)).toHaveLength(1);
});

test('what the wallet has, or has had, stays behind and is said', async () => {
  const person = await signInByEmail();
  const wallet = newWallet();
  const [moved = 0, held = 0, revoked = 0] = await keep(person, 3);
  const kept = await keptAddressOf(person);
  for (const tokenId of [held, revoked]) await give(tokenId, wallet.address);
  const revocation = `/v1/tokens/${revoked}/owners/${wallet.address}/revoke`;
  await outcomeOf(revocation, { reason: 'a mistake' });
  const operation = (await moveBadges(person, await signedMove(person, wallet))) as Operation;
  expect(operation).toMatchObject({ status: 'success', error: null });
  expect(operation.warnings).toEqual(
    [held, revoked].map((tokenId) => ({ pointer: '/toAddress', detail: expect.any(String), tokenId })),
  );
  expect(await Promise.all([moved, held, revoked].map((tokenId) => statusOf(tokenId, kept)))).toEqual([
    'moved',
    'held',
    'held',
  ]);
});

test('the signature must be that of the wallet, for this e-mail and this nonce', async () => {
  const [person, other] = [await signInByEmail(), await signInByEmail()];
  const [tokenId = 0] = await keep(person, 1);
  const wallet = newWallet();
  const forged = await signedMove(person, wallet, { signer: newWallet() });
  expect(await moveBadges(person, forged)).toBe('NotSignedByReceiver');
  expect(await moveBadges(person, await signedMove(other, wallet))).toBe('NotSignedByReceiver');
  const signed = await signedMove(person, wallet);
  expect(await moveBadges(other, signed)).toBe('NotSignedByReceiver');
  expect(await moveBadges(person, signed)).toMatchObject(SUCCESS);
  expect(await moveBadges(person, signed)).toBe('NotSignedByReceiver');
  expect(await statusOf(tokenId, wallet.address)).toBe('held');
  // A session of a wallet has nothing that is kept.
  const key = await signIn(wallet);
  expect(await moveBadges({ ...person, key }, signed)).toBe('RoleNotAllowed');
});

test('later badges go to the wallet, until another move says otherwise', async () => {
  const person = await signInByEmail();
  const wallet = newWallet();
  const claim = async () => {
    const tokenId = await createToken();
    expect(await outcomeOf(`/v1/tokens/${tokenId}/claim`, {}, { key: person.key })).toBe('success');
    return (await ownersOf(tokenId))[0]?.address;
  };
  const kept = await keptAddressOf(person);
  // There is nothing to move yet.
  expect(await moveBadges(person, await signedMove(person, wallet, { isDefault: true }))).toMatchObject(
    SUCCESS,
  );
  expect(await claim()).toBe(wallet.address);
  await moveBadges(person, await signedMove(person, wallet));
  expect(await claim()).toBe(wallet.address);
  await moveBadges(person, await signedMove(person, wallet, { isDefault: false }));
  expect(await claim()).toBe(kept);
});

test('a session by e-mail shows the wallet of later badges, and ends it without a signature', async () => {
  const [person, other] = [await signInByEmail(), await signInByEmail()];
  const wallet = newWallet();
  const claim = async () => {
    const tokenId = await createToken();
    expect(await outcomeOf(`/v1/tokens/${tokenId}/claim`, {}, { key: person.key })).toBe('success');
    return { tokenId, address: (await ownersOf(tokenId))[0]?.address };
  };
  const defaultOf = async (of: EmailPerson) => (await readSession(of)).defaultAddress;
  for (const one of [person, other]) {
    expect(await moveBadges(one, await signedMove(one, wallet, { isDefault: true }))).toMatchObject(SUCCESS);
    expect(await defaultOf(one)).toBe(wallet.address);
  }
  const given = await claim();
  expect(given.address).toBe(wallet.address);
  for (const _ of [1, 2]) expect(await change('DELETE', 'defaultAddress', person.key)).toBe(204);
  expect(await defaultOf(person)).toBeNull();
  // What the wallet has stays there, and the choice of nobody else changes.
  expect(await statusOf(given.tokenId, wallet.address)).toBe('held');
  expect(await defaultOf(other)).toBe(wallet.address);
  expect((await claim()).address).toBe(await keptAddressOf(person));
  expect(await change('DELETE', 'defaultAddress', await signIn(wallet))).toBe(403);
});

test('a replaced token moves as the one that has replaced it', async () => {
  const person = await signInByEmail();
  const wallet = newWallet();
  const creator = newWallet();
  const [tokenId, replacementTokenId] = await Promise.all(
    ['Old', 'New'].map(async (headline) => {
      const operation = await settle('/v1/tokens', await signedToken({ headline }, creator));
      return Number((operation as Operation).resourceId);
    }),
  );
  const kept = await keptAddressOf(person);
  await give(Number(tokenId), kept);
  await outcomeOf(`/v1/tokens/${tokenId}/replace`, { replacementTokenId });
  expect(await moveBadges(person, await signedMove(person, wallet))).toMatchObject(SUCCESS);
  expect(await statusOf(Number(replacementTokenId), wallet.address)).toBe('held');
  expect(await statusOf(Number(tokenId), kept)).toBe('replaced');
});

test('each community learns of its own badges only', async () => {
  const [service] = fixture.services;
  const person = await signInByEmail();
  const wallet = newWallet();
  const [ofDemo = 0] = await keep(person, 1);
  const ofOther = await createToken({ communityId: 'other' });
  const keptInOther = await keptAddressOf(person, 'other');
  await give(ofOther, keptInOther);
  const parent = (await moveBadges(person, await signedMove(person, wallet))) as Operation;
  const kept = { demo: await keptAddressOf(person), other: keptInOther };
  await waitForPlacedEvents(service.databaseUrl);
  const secrets = { demo: [String(ofOther), kept.other], other: [String(ofDemo), kept.demo] };
  for (const communityId of ['demo', 'other'] as const) {
    const tokenId = communityId === 'demo' ? ofDemo : ofOther;
    const events = await read<{ data: BadgeEvent[] }>(
      `/v1/communities/${communityId}/events?limit=1000`,
      service.adminKey,
    );
    const moves = events.data.filter(
      ({ type, data }) => type === 'badge.moved' && 'toAddress' in data && data.toAddress === wallet.address,
    );
    expect(moves.map(({ data }) => data)).toEqual([
      { operationId: expect.any(String), tokenId, address: kept[communityId], toAddress: wallet.address },
    ]);
    const log = await read<{ data: AuditEntry[] }>(
      `/v1/auditLog?communityId=${communityId}&action=move`,
      service.adminKey,
    );
    const entries = log.data.filter(({ toAddress }) => toAddress === wallet.address);
    expect(entries).toMatchObject([
      { actor: 'email', action: 'move', communityId, tokenId, ownerAddress: kept[communityId] },
    ]);
    const [{ operationId } = { operationId: '' }] = moves.map(({ data }) => data as { operationId: string });
    const operation = await read<Operation>(`/v1/operations/${operationId}`);
    expect(operation).toMatchObject({ operationType: 'move', status: 'success', resourceId: tokenId });
    const history = await query<{ row: string }>(
      service.databaseUrl,
      `select (to_jsonb(o) || coalesce(o.request, '{}'))::text as row from operations o where community_id = $1
       and (o.created_at, o.operation_id) >= (select created_at, $2::uuid from operations where operation_id = $2)`,
      [communityId, operationId],
    );
    const texts = [JSON.stringify(events), JSON.stringify(log), ...history.map(({ row }) => row)];
    for (const text of texts) {
      expect(text).not.toContain(parent.operationId);
      expect(text.toLowerCase()).not.toContain(secrets[communityId][1]?.slice(2).toLowerCase());
      expect(text).not.toContain(person.emailHash.toString('hex'));
    }
  }
  const log = await read<{ data: AuditEntry[] }>('/v1/auditLog?action=moveBadges', service.adminKey);
  expect(log.data).toEqual([]);
});
