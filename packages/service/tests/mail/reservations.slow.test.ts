import type { Invitation } from '@badge/protocol';
import { signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { codeIn, creator, newEmail, reservationsFixture } from '../../src/testing/reservations-fixture.ts';

const fixture = reservationsFixture();
const { createRoom, reserve, confirm, mailsTo, waitForMail, readLinks } = fixture;

test('an address that an organiser has invited gets this link, and no second place', async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  const invited = await fixture.service.call(`/v1/tokens/${tokenId}/invitations`, {
    key: fixture.service.apiKey,
    json: {
      recipients: [{ email }],
      signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
    },
  });
  expect(invited.status).toBe(201);
  await waitForMail(email);
  await reserve(tokenId, email, link.code);
  const mail = await waitForMail(email, 2);
  expect(codeIn('claim', mail.text)).toHaveLength(26);
  expect((await readLinks(tokenId))[0]).toMatchObject({ claimCount: 0 });
});

test('an organiser who invites an address with a reservation gets it as the invitation', async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  await confirm(tokenId, codeIn('reserve', (await waitForMail(email)).text));
  await waitForMail(email, 2);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const json = { recipients: [{ email }], signature };
  const path = `/v1/tokens/${tokenId}/invitations`;
  const created = await fixture.service.call(path, { key: fixture.service.apiKey, json });
  const { items } = (await created.json()) as { items: Invitation[] };
  const listed = await fixture.service.call(path, { key: fixture.service.apiKey });
  expect(((await listed.json()) as { data: Invitation[] }).data).toMatchObject([
    { email, invitationId: items[0]?.invitationId },
  ]);
});

test('an address gets three mails a day that others ask for, and a client 200 requests an hour', async () => {
  const { tokenId, link } = await createRoom(50);
  const email = newEmail();
  for (let index = 0; index < 5; index += 1)
    expect((await reserve(tokenId, email, link.code)).status).toBe(202);
  await waitForMail(email, 3);
  const other = newEmail();
  const setCount = 'update reservation_clients set requests = 199 where requests = 5';
  await query(fixture.service.databaseUrl, setCount);
  expect((await reserve(tokenId, other, link.code)).status).toBe(202);
  const refused = await reserve(tokenId, newEmail(), link.code);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  await waitForMail(other);
  expect(mailsTo(email)).toHaveLength(3);
});

test('a person who has unsubscribed gets no mail, and the response is the same', async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const path = /https:\/\/badges\.example\.org(\/unsubscribe\?\S+)/.exec(
    (await waitForMail(email)).text ?? '',
  )?.[1];
  expect((await fixture.service.call(path ?? '', { method: 'POST' })).status).toBe(200);
  expect((await reserve(tokenId, email, link.code)).status).toBe(202);
  const other = newEmail();
  await reserve(tokenId, other, link.code);
  await waitForMail(other);
  expect(mailsTo(email)).toHaveLength(1);
});
