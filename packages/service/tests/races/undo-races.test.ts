import type { Operation } from '@badge/protocol';
import { newAddress, newWallet, signedBurn, type Wallet } from '@badge/test-support/signing';
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

const burn = async (tokenId: number, owner: Wallet, service?: TestService) =>
  (await send(`/v1/tokens/${tokenId}/burn`, await signedBurn(tokenId, owner), service)).outcome;

test('of a revocation, a burn and a move of one token, exactly one succeeds', async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const [owner, receiver] = [newWallet(), newAddress()];
    expect(await claim(tokenId, owner.address)).toBe('success');
    const outcomes = await Promise.all([
      revoke(tokenId, owner.address, fixture.services[1]),
      burn(tokenId, owner),
      move(tokenId, owner.address, receiver, fixture.services[1]),
    ]);
    expect(count(outcomes)).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'TokenNotOwned')).toHaveLength(2);
    const ending = ['revoked', 'burnt', 'moved'][outcomes.indexOf('success')];
    expect(await statusOf(tokenId, owner.address)).toBe(ending);
    expect(await statusOf(tokenId, receiver)).toBe(ending === 'moved' ? 'held' : undefined);
  });
  await expectRemaining(tokenId, 100 - ROUNDS);
});

test('two owners that get the tokens of each other: neither move succeeds', async () => {
  const tokenId = await createToken();
  await rounds(async () => {
    const [a, b] = [newAddress(), newAddress()];
    await Promise.all([claim(tokenId, a), claim(tokenId, b)]);
    const outcomes = await Promise.all([move(tokenId, a, b), move(tokenId, b, a, fixture.services[1])]);
    expect(outcomes).toEqual(['ClaimingAddressAlreadyHasToken', 'ClaimingAddressAlreadyHasToken']);
  });
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
        key: fixture.services[0].apiKey,
        headers: { 'Idempotency-Key': key },
      });
    const responses = await Promise.all([send('one', fixture.services[0]), send('two', fixture.services[1])]);
    const outcomes = await Promise.all(
      responses.map(async (response) => {
        if (response.status !== 202) return (await json<{ name: string }>(response)).name;
        const { error, status } = await json<Operation>(
          fixture.services[0].call(`${response.headers.get('location')}?wait=20`),
        );
        return error?.name ?? status;
      }),
    );
    expect(outcomes.sort()).toEqual(['TokenNotRevoked', 'success']);
    expect(await statusOf(tokenId, address)).toBe('held');
  });
});
