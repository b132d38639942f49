import { randomUUID } from 'node:crypto';
import type { ClaimCodeCheck, Eligibility } from '@badge/protocol';
import { newAddress, newWallet, signedBurn, signTokenId } from '@badge/test-support/signing';
import { expect, onTestFinished, test } from 'vitest';
import type { LookUps } from '../../src/storage/look-ups.ts';
import { creator, replacementsFixture } from '../../src/testing/replacements-fixture.ts';
import { createTestServer } from '../../src/testing/services.ts';

const fixture = replacementsFixture();
const { post, succeed, createListed, createLinks, createRoom, replace, ownersOf } = fixture;

const reason = 'a reason';

/**
 * Replaces a token, and returns calls to a server that reads the row of the token before this, and everything
 * else after. Each call does.
 */
async function replaceDuringCalls(tokenId: number) {
  const { context, apiKey } = fixture.service;
  const earlier = await context.lookUps.findToken(tokenId);
  const replacementTokenId = await createListed();
  await succeed(replace(tokenId, replacementTokenId));
  let isEarly = true;
  const findToken: LookUps['findToken'] = async (id) => {
    if (!isEarly) return await context.lookUps.findToken(id);
    isEarly = false;
    return earlier;
  };
  const { server } = await createTestServer({ ...context, lookUps: { ...context.lookUps, findToken } });
  onTestFinished(() => server.close());
  const send = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    isEarly = true;
    const url = `/v1/tokens/${tokenId}/${path}`;
    const response = await server.inject(
      body === undefined ? { url } : { method: 'POST', url, payload: body, headers },
    );
    expect(isEarly, 'the row was read').toBe(false);
    return response;
  };
  const authorization = { authorization: `Bearer ${apiKey}` };
  return {
    replacementTokenId,
    send,
    sendWithKey: (path: string, body: object) => send(path, body, authorization),
  };
}

test('a write that reads what belongs to a token after its replacement gets TokenReplaced', async () => {
  const burner = newWallet();
  const [held, listed] = [newAddress(), newAddress()];
  const tokenId = await createListed(burner.address, held, listed);
  for (const claimingAddress of [burner.address, held]) {
    await succeed(post(`${tokenId}/claim`, { claimingAddress }));
  }
  const burn = await signedBurn(tokenId, burner);
  const { send, sendWithKey, replacementTokenId } = await replaceDuringCalls(tokenId);
  const responses = [
    await sendWithKey('claim', { claimingAddress: listed }),
    await send('burn', burn),
    await sendWithKey(`owners/${held}/revoke`, { reason }),
    await sendWithKey(`owners/${held}/move`, { toAddress: newAddress(), reason }),
    await sendWithKey('removeContributors', { contributors: [listed] }),
  ];
  expect(responses.map((response) => response.json())).toMatchObject(
    responses.map(() => ({ name: 'TokenReplaced', replacedByTokenId: replacementTokenId })),
  );
  expect((await send(`eligibility?address=${listed}`)).json<Eligibility>().reasons).toEqual([
    'TokenReplaced',
  ]);
});

test('a code works that is looked up after the replacement of its token', async () => {
  const tokenId = await createListed();
  const [link] = await createLinks(tokenId, {
    count: 1,
    signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
  });
  const room = await createRoom(tokenId);
  const { send, replacementTokenId } = await replaceDuringCalls(tokenId);
  const people = [newAddress(), newAddress()];
  for (const [index, claimCode] of [link?.code, room.code].entries()) {
    const check = await send('checkClaimCode', { claimCode });
    expect(check.json<ClaimCodeCheck>()).toMatchObject({ canClaim: true, reasons: [] });
    const reservation = await send('reservations', { claimCode, email: `${randomUUID()}@example.org` });
    expect(reservation.statusCode, reservation.body).toBe(202);
    const accepted = await send('claim', { claimCode, claimingAddress: people[index] });
    expect(accepted.statusCode, accepted.body).toBe(202);
    const location = String(accepted.headers.location);
    const operation = await fixture.service.call(`${location}?wait=30`);
    expect(await operation.json()).toMatchObject({ status: 'success', resourceId: replacementTokenId });
  }
  expect((await ownersOf(replacementTokenId)).map(({ address }) => address).sort()).toEqual(people.sort());
});
