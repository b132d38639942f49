import type { Operation, Owner, OwnerState, Token } from '@badge/protocol';
import { newAddress, newWallet, signedBurn, signedToken, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

const ROUNDS = 12;
const reason = 'a reason';

let services: [TestService, TestService];
beforeAll(async () => {
  const first = await startTestService();
  services = [first, await startTestService({ DATABASE_URL: first.databaseUrl })];
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
});

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** Sends a request through one of the services. Returns `success` or the name of the error, and the token's id. */
async function send(path: string, body: unknown, service = services[0]) {
  const response = await service.call(path, { json: body, key: services[0].apiKey });
  if (response.status !== 202)
    return { outcome: (await json<{ name: string }>(response)).name, tokenId: null };
  const { error, status, resourceId } = await json<Operation>(
    service.call(`${response.headers.get('location')}?wait=20`),
  );
  return { outcome: error?.name ?? status, tokenId: resourceId };
}

async function createToken(): Promise<number> {
  return Number((await send('/v1/tokens', await signedToken({ totalClaimCount: 100 }))).tokenId);
}

const ownerPath = (tokenId: number, address: string) => `/v1/tokens/${tokenId}/owners/${address}`;
const claim = async (tokenId: number, claimingAddress: string, service?: TestService) =>
  (await send(`/v1/tokens/${tokenId}/claim`, { claimingAddress }, service)).outcome;
const revoke = async (tokenId: number, address: string, service?: TestService) =>
  (await send(`${ownerPath(tokenId, address)}/revoke`, { reason }, service)).outcome;
const reinstate = async (tokenId: number, address: string, service?: TestService) =>
  (await send(`${ownerPath(tokenId, address)}/reinstate`, { reason }, service)).outcome;
const move = async (tokenId: number, address: string, toAddress: string, service?: TestService) =>
  (await send(`${ownerPath(tokenId, address)}/move`, { toAddress, reason }, service)).outcome;
const burn = async (tokenId: number, owner: Wallet, service?: TestService) =>
  (await send(`/v1/tokens/${tokenId}/burn`, await signedBurn(tokenId, owner), service)).outcome;
/** Returns undefined if the address has never had the token. */
async function statusOf(tokenId: number, address: string): Promise<OwnerState['status'] | undefined> {
  const response = await services[0].call(ownerPath(tokenId, address));
  return response.status === 404 ? undefined : (await json<OwnerState>(response)).status;
}
const ownersOf = async (tokenId: number) =>
  (await json<{ data: Owner[] }>(services[1].call(`/v1/tokens/${tokenId}/owners?limit=1000`))).data.map(
    ({ address }) => address,
  );

async function expectRemaining(tokenId: number, remaining: number): Promise<void> {
  for (const service of services) {
    const token = await json<Token>(service.call(`/v1/tokens/${tokenId}`));
    expect(token.claimabilityAttributes.remainingClaimCount).toBe(remaining);
  }
}

const count = (outcomes: string[]) => outcomes.filter((outcome) => outcome === 'success').length;
const rounds = async (race: () => Promise<void>) => {
  await Promise.all(Array.from({ length: ROUNDS }, race));
};

test('of a revocation, a burn and a move of one token, exactly one succeeds', async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const [owner, receiver] = [newWallet(), newAddress()];
    expect(await claim(tokenId, owner.address)).toBe('success');
    const outcomes = await Promise.all([
      revoke(tokenId, owner.address, services[1]),
      burn(tokenId, owner),
      move(tokenId, owner.address, receiver, services[1]),
    ]);
    expect(count(outcomes)).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'TokenNotOwned')).toHaveLength(2);
    const ending = ['revoked', 'burnt', 'moved'][outcomes.indexOf('success')];
    expect(await statusOf(tokenId, owner.address)).toBe(ending);
    expect(await statusOf(tokenId, receiver)).toBe(ending === 'moved' ? 'held' : undefined);
  });
  await expectRemaining(tokenId, 100 - ROUNDS);
});

test('of two moves to one receiver, and of a claim by it, exactly one succeeds', {
  tags: ['slow'],
}, async () => {
  const tokenId = await createToken();
  let claims = 0;
  await rounds(async () => {
    const [a, b, receiver] = [newAddress(), newAddress(), newAddress()];
    expect([await claim(tokenId, a), await claim(tokenId, b)]).toEqual(['success', 'success']);
    const outcomes = await Promise.all([
      move(tokenId, a, receiver),
      move(tokenId, b, receiver, services[1]),
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

test('two owners that get the tokens of each other: neither move succeeds', async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const [a, b] = [newAddress(), newAddress()];
    await Promise.all([claim(tokenId, a), claim(tokenId, b)]);
    const outcomes = await Promise.all([move(tokenId, a, b), move(tokenId, b, a, services[1])]);
    expect(outcomes).toEqual(['ClaimingAddressAlreadyHasToken', 'ClaimingAddressAlreadyHasToken']);
  });
});

test('a token that is moved there and back, while it is revoked and reinstated, has one owner', {
  tags: ['slow'],
}, async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const [a, b] = [newAddress(), newAddress()];
    await claim(tokenId, a);
    await Promise.all([
      move(tokenId, a, b).then(() => move(tokenId, b, a, services[1])),
      revoke(tokenId, a, services[1]).then(() => reinstate(tokenId, a)),
      revoke(tokenId, b).then(() => reinstate(tokenId, b, services[1])),
    ]);
    const statuses = [await statusOf(tokenId, a), await statusOf(tokenId, b)];
    // Whoever revoked the token has reinstated it.
    expect(statuses.filter((status) => status !== 'moved' && status !== undefined)).toEqual(['held']);
  });
  await expectRemaining(tokenId, 100 - ROUNDS);
  expect(
    await query(services[0].databaseUrl, 'select from claims where token_id = $1 and moved_from is null', [
      tokenId,
    ]),
  ).toHaveLength(ROUNDS);
});

test('a reinstatement that is sent by two clients at once succeeds once', async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const address = newAddress();
    await claim(tokenId, address);
    await revoke(tokenId, address);
    const send = (key: string, service: TestService) =>
      service.call(`${ownerPath(tokenId, address)}/reinstate`, {
        json: { reason },
        key: services[0].apiKey,
        headers: { 'Idempotency-Key': key },
      });
    const responses = await Promise.all([send('one', services[0]), send('two', services[1])]);
    const outcomes = await Promise.all(
      responses.map(async (response) => {
        if (response.status !== 202) return (await json<{ name: string }>(response)).name;
        const { error, status } = await json<Operation>(
          services[0].call(`${response.headers.get('location')}?wait=20`),
        );
        return error?.name ?? status;
      }),
    );
    expect(outcomes.sort()).toEqual(['TokenNotRevoked', 'success']);
    expect(await statusOf(tokenId, address)).toBe('held');
  });
});
