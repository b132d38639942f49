import { randomUUID } from 'node:crypto';
import type { Owner, Problem } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { expect } from 'vitest';
import { json, type replacementsFixture } from './replacements-fixture.ts';

const CLAIMS = 50;
const CONFIRMATIONS = 20;

/** Sends a request about a token, and again about its replacement if it was replaced meanwhile. */
async function follow(tokenId: number, send: (tokenId: number) => Promise<Response>): Promise<Response> {
  const response = await send(tokenId);
  if (response.status !== 409) return response;
  const { replacedByTokenId, name } = await json<Problem>(response.clone());
  expect(name).toBe('TokenReplaced');
  return await send(replacedByTokenId ?? 0);
}

/**
 * Sends 50 claims, 20 confirmations of reservations and a replacement at once to two processes, and runs
 * `meanwhile`. Expects that everybody has exactly one badge, on the replacement.
 */
export async function raceReplacement(
  fixture: ReturnType<typeof replacementsFixture>,
  meanwhile: (tokenId: number, replacementTokenId: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const { post, finish, createListed, createRoom, replace, claimWithCode } = fixture;
  const { ownersOf, tokenOf, linksOf, recipientsOf } = fixture;
  const serviceOf = (index: number) => (index % 2 === 0 ? fixture.service : fixture.otherService);
  const listed = Array.from({ length: CLAIMS / 2 }, newAddress);
  const strangers = Array.from({ length: CLAIMS / 2 }, newAddress);
  const tokenId = await createListed(...listed);
  const room = await createRoom(tokenId, 100);
  const emails = Array.from({ length: CONFIRMATIONS }, () => `${randomUUID()}@example.org`);
  await Promise.all(
    emails.map(async (email, index) => {
      const response = await serviceOf(index).call(`/v1/tokens/${tokenId}/reservations`, {
        json: { email, claimCode: room.code },
        headers: { 'X-Forwarded-For': `10.200.0.${index}` },
      });
      expect(response.status, await response.clone().text()).toBe(202);
    }),
  );
  const codesOf = async () => (await fixture.codesInMails()).filter(({ email }) => emails.includes(email));
  const confirmations = await codesOf();
  expect(confirmations).toHaveLength(CONFIRMATIONS);
  const replacementTokenId = await createListed();

  const [responses] = await Promise.all([
    Promise.all([
      ...listed.map((claimingAddress, index) =>
        follow(tokenId, (id) => post(`${id}/claim`, { claimingAddress }, serviceOf(index))),
      ),
      ...strangers.map((address, index) => claimWithCode(tokenId, address, room.code, serviceOf(index))),
    ]),
    Promise.all(
      confirmations.map(async ({ code: confirmationCode }, index) => {
        const path = `/v1/tokens/${tokenId}/reservations/confirm`;
        const response = await serviceOf(index).call(path, { json: { confirmationCode } });
        expect(response.status, await response.clone().text()).toBe(200);
      }),
    ),
    replace(tokenId, replacementTokenId, fixture.otherService).then(async (response) =>
      expect(await finish(response)).toMatchObject({ status: 'success' }),
    ),
    meanwhile(tokenId, replacementTokenId),
  ]);
  for (const response of responses) {
    expect(await finish(response)).toMatchObject({ status: 'success' });
  }
  // Everybody with a place claims, at either token: the code was made for one of them.
  const places = await codesOf();
  expect(places.map((place) => place.tokenId)).toEqual(places.map(() => replacementTokenId));
  const people = await Promise.all(
    places.map(async ({ code }, index) => {
      const address = newAddress();
      const response = await claimWithCode(replacementTokenId, address, code, serviceOf(index));
      expect(await finish(response)).toMatchObject({ status: 'success' });
      return address;
    }),
  );

  const owners = await ownersOf(replacementTokenId, 'all');
  const expected = [...listed, ...strangers, ...people].sort();
  expect(owners.map(({ address }) => address).sort()).toEqual(expected);
  expect(new Set(owners.map(({ status }) => status))).toEqual(new Set(['held']));
  expect(await ownersOf(tokenId)).toEqual([]);
  const earlier: Owner[] = await ownersOf(tokenId, 'all');
  expect(earlier.filter(({ status }) => status !== 'replaced')).toEqual([]);
  for (const { address, claimedAtTimestamp } of earlier) {
    expect(owners.find((owner) => owner.address === address)).toMatchObject({ claimedAtTimestamp });
  }
  expect(await tokenOf(replacementTokenId)).toMatchObject({
    claimedCount: CLAIMS + CONFIRMATIONS,
    // The creator, and an entry for everybody.
    contributorCount: 1 + CLAIMS + CONFIRMATIONS,
    recipientCount: CLAIMS + CONFIRMATIONS,
  });
  // Everybody is one recipient, who has claimed.
  const recipients = await recipientsOf(replacementTokenId);
  expect(recipients.map(({ address }) => address).sort()).toEqual(expected);
  expect(new Set(recipients.map(({ status }) => status))).toEqual(new Set(['claimed']));
  expect(recipients.flatMap(({ email }) => email ?? []).sort()).toEqual(emails.sort());
  expect(await countWrongTokenCounts(fixture.service.databaseUrl)).toBe(0);
  const [first] = await linksOf(replacementTokenId);
  expect(first).toMatchObject({ claimCount: strangers.length + CONFIRMATIONS });
  const left = await query(
    fixture.service.databaseUrl,
    `select 1 from claim_links where token_id = $1
     union all select 1 from allowlist_entries where token_id = $1
     union all select 1 from recipients where token_id = $1
     union all select 1 from invitations where token_id = $1 and kind <> 'confirmation'`,
    [tokenId],
  );
  expect(left).toEqual([]);
}
