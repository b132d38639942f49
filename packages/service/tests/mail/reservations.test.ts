import type { Problem, RecipientsPage } from '@badge/protocol';
import { newWallet } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { cleanUpMails } from '../../src/domain/invitations/clean-up-mails.ts';
import {
  codeIn,
  newEmail,
  reservationsFixture,
  WAIT_OPTIONS,
} from '../../src/testing/reservations-fixture.ts';

const fixture = reservationsFixture();
const {
  createToken,
  waitForOperation,
  createLink,
  createRoom,
  reserve,
  confirm,
  mailsTo,
  waitForMail,
  readLinks,
} = fixture;

const claim = async (tokenId: number, claimCode: string) =>
  fixture.service.call(`/v1/tokens/${tokenId}/claim`, {
    json: { claimingAddress: newWallet().address, claimCode },
  });

async function readRecipients(tokenId: number): Promise<RecipientsPage> {
  const response = await fixture.service.call(`/v1/tokens/${tokenId}/recipients`, {
    key: fixture.service.apiKey,
  });
  return (await response.json()) as RecipientsPage;
}

test('a place of a room is taken when the address is confirmed, and the mail has a link that claims it', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  const requested = await reserve(tokenId, email, link.code, { language: 'es' });
  expect([requested.status, await requested.json()]).toEqual([202, {}]);
  const asking = await waitForMail(email);
  expect(asking.subject).toBe('Confirma tu dirección para la insignia Room');
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 0 }]);
  const confirmationCode = codeIn('reserve', asking.text);
  // Nobody is a recipient before the address is confirmed.
  expect(await readRecipients(tokenId)).toMatchObject({ total: 0 });

  for (const _ of [1, 2]) {
    const confirmed = await confirm(tokenId, confirmationCode);
    const mailFollows = { operationId: null, address: null };
    expect([confirmed.status, await confirmed.json()]).toEqual([200, mailFollows]);
  }
  const mail = await waitForMail(email, 2);
  expect(mail.subject).toBe('Tu insignia está reservada: Room');
  expect(mail.text).toMatch(/https:\/\/metamask\.io.*https:\/\/www\.coinbase\.com\/wallet/s);
  expect(mail.html).toBeTruthy();
  expect(await readLinks(tokenId)).toMatchObject([
    { claimCount: 1, status: 'unused' },
    { maxClaims: 1, status: 'unused', expiresAtTimestamp: null },
  ]);

  const reserved = { email, way: 'reservation', status: 'reserved', address: null };
  expect(await readRecipients(tokenId)).toMatchObject({ total: 1, data: [reserved] });

  // The room is full after one more claim, but the reserved place is kept.
  expect((await waitForOperation(await claim(tokenId, link.code))).status).toBe('success');
  expect((await claim(tokenId, link.code)).status).toBe(409);
  expect((await waitForOperation(await claim(tokenId, codeIn('claim', mail.text)))).status).toBe('success');
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 2, status: 'used' }, { status: 'used' }]);
  const invitations = await fixture.service.call(`/v1/tokens/${tokenId}/invitations`, {
    key: fixture.service.apiKey,
  });
  expect(await invitations.json()).toMatchObject({ data: [] });
  expect(await readRecipients(tokenId)).toMatchObject({
    total: 2,
    data: [
      { way: 'room', status: 'claimed', claimLinkId: link.claimLinkId },
      { email, way: 'reservation', status: 'claimed' },
    ],
  });
});

test('of many confirmations and claims at the same time, exactly as many succeed as there are places', async () => {
  const { tokenId, link } = await createRoom(5);
  const emails = Array.from({ length: 8 }, newEmail);
  const codes = await Promise.all(
    emails.map(async (email) => {
      expect((await reserve(tokenId, email, link.code)).status).toBe(202);
      return codeIn('reserve', (await waitForMail(email)).text);
    }),
  );
  const [confirmed, claims] = await Promise.all([
    Promise.all(codes.map(async (code) => (await confirm(tokenId, code)).status)),
    Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await claim(tokenId, link.code);
        return response.status === 202 ? (await waitForOperation(response)).status : 'refused';
      }),
    ),
  ]);
  const places =
    confirmed.filter((status) => status === 200).length +
    claims.filter((status) => status === 'success').length;
  expect(places).toBe(5);
  expect((await readLinks(tokenId))[0]).toMatchObject({ claimCount: 5, status: 'used' });
  for (const status of confirmed) expect([200, 409]).toContain(status);
});

test('a link for one claim is replaced by a new one for the address', async () => {
  const tokenId = await createToken({});
  const link = await createLink(tokenId, { count: 1 });
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  await confirm(tokenId, codeIn('reserve', (await waitForMail(email)).text));
  const mail = await waitForMail(email, 2);
  expect((await claim(tokenId, link.code)).status).toBe(403);

  // The code on the card still sends the link again, but reserves nothing for anybody else.
  const other = newEmail();
  for (const address of [other, email]) expect((await reserve(tokenId, address, link.code)).status).toBe(202);
  const again = await waitForMail(email, 3);
  expect(mailsTo(other)).toEqual([]);
  expect((await claim(tokenId, codeIn('claim', mail.text))).status).toBe(403);
  expect((await waitForOperation(await claim(tokenId, codeIn('claim', again.text)))).status).toBe('success');
});

test('"send my link again" answers the same, and sends the link only to a known address', async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  await confirm(tokenId, codeIn('reserve', (await waitForMail(email)).text));
  const first = await waitForMail(email, 2);
  const again = await reserve(tokenId, email.toUpperCase(), link.code);
  expect([again.status, await again.json()]).toEqual([202, {}]);
  const second = await waitForMail(email, 3);
  expect(second.subject).toBe('Your badge is reserved: Room');
  expect((await claim(tokenId, codeIn('claim', first.text))).status).toBe(403);
  expect((await waitForOperation(await claim(tokenId, codeIn('claim', second.text)))).status).toBe('success');
  expect((await readLinks(tokenId))[0]).toMatchObject({ claimCount: 1 });
});

test('a lost link is sent again with the code of a full room, and to nobody else', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  await confirm(tokenId, codeIn('reserve', (await waitForMail(email)).text));
  await waitForMail(email, 2);
  expect((await waitForOperation(await claim(tokenId, link.code))).status).toBe('success');
  const late = newEmail();
  for (const address of [late, email]) expect((await reserve(tokenId, address, link.code)).status).toBe(202);
  const again = await waitForMail(email, 3);

  // The end of the room does not end the place in it.
  const end = "update claim_links set expires_at = now() - interval '1 minute' where claim_link_id = $1";
  await query(fixture.service.databaseUrl, end, [link.claimLinkId]);
  expect((await reserve(tokenId, email, link.code)).status).toBe(202);
  const afterEnd = await waitForMail(email, 4);
  // Neither does its revocation, but its code brings nobody else a mail.
  const room = `/v1/tokens/${tokenId}/claimLinks/${link.claimLinkId}`;
  await fixture.service.call(room, { key: fixture.service.apiKey, method: 'DELETE' });
  const statuses = [await reserve(tokenId, newEmail(), link.code), await reserve(tokenId, late, link.code)];
  expect(statuses.map(({ status }) => status)).toEqual([202, 202]);
  await vi.waitFor(async () => {
    const waiting = "select from invitations where kind = 'confirmation' and token_id = $1";
    expect(await query(fixture.service.databaseUrl, waiting, [tokenId])).toEqual([]);
  }, WAIT_OPTIONS);
  expect(mailsTo(late)).toEqual([]);
  expect((await claim(tokenId, codeIn('claim', again.text))).status).toBe(403);
  expect((await waitForOperation(await claim(tokenId, codeIn('claim', afterEnd.text)))).status).toBe(
    'success',
  );
});

test('the hour of a confirmation begins when its mail is sent', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  const wait = "update invitations set created_at = created_at - interval '20 hours' where token_id = $1";
  await query(fixture.service.databaseUrl, wait, [tokenId]);
  await cleanUpMails(fixture.service.context);
  expect((await confirm(tokenId, code)).status).toBe(200);
});

test('the link of a reservation needs a signature if a claim with the code would', async () => {
  const isSignatureRequired = async (tokenId: number, email: string, count: number) => {
    const claimCode = codeIn('claim', (await waitForMail(email, count)).text);
    const json = { claimCode };
    const response = await fixture.service.call(`/v1/tokens/${tokenId}/checkClaimCode`, { json });
    const check = (await response.json()) as { isSignatureRequired: boolean };
    const claimed = await claim(tokenId, claimCode);
    expect(claimed.status).toBe(check.isSignatureRequired ? 400 : 202);
    return check.isSignatureRequired;
  };
  const reserveConfirmed = async (tokenId: number, code: string) => {
    const email = newEmail();
    expect((await reserve(tokenId, email, code)).status).toBe(202);
    const confirmed = await confirm(tokenId, codeIn('reserve', (await waitForMail(email)).text));
    expect(confirmed.status).toBe(200);
    return email;
  };
  const signed = await createRoom(5, { isSignatureRequired: true });
  const email = await reserveConfirmed(signed.tokenId, signed.link.code);
  expect(await isSignatureRequired(signed.tokenId, email, 2)).toBe(true);
  expect((await reserve(signed.tokenId, email, signed.link.code)).status).toBe(202);
  expect(await isSignatureRequired(signed.tokenId, email, 3)).toBe(true);

  // A claim and a reservation of one client count together.
  const { tokenId, link } = await createRoom(5, { maxClaimsPerClient: 2 });
  const claimAsClient = () =>
    fixture.service.call(`/v1/tokens/${tokenId}/claim`, {
      json: { claimingAddress: newWallet().address, claimCode: link.code },
      headers: { 'X-Forwarded-For': fixture.client },
    });
  await waitForOperation(await claimAsClient());
  const second = await reserveConfirmed(tokenId, link.code);
  expect(await isSignatureRequired(tokenId, second, 2)).toBe(false);
  expect((await claimAsClient()).status).toBe(400);
  const third = await reserveConfirmed(tokenId, link.code);
  expect(await isSignatureRequired(tokenId, third, 2)).toBe(true);
  fixture.client = '10.9.9.9';
  const elsewhere = await reserveConfirmed(tokenId, link.code);
  expect(await isSignatureRequired(tokenId, elsewhere, 2)).toBe(false);
});

test('what is not confirmed within an hour is gone, and takes no place', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  // The mail arrives before its time of sending is stored.
  const pass = `update invitations set created_at = created_at - interval '2 hours', sent_at = sent_at - interval '1 hour'
    where token_id = $1 and sent_at is not null returning 1`;
  await vi.waitFor(async () => {
    expect(await query(fixture.service.databaseUrl, pass, [tokenId])).toHaveLength(1);
  }, WAIT_OPTIONS);
  const late = await confirm(tokenId, code);
  expect(((await late.json()) as Problem).name).toBe('ConfirmationCodeInvalid');
  await cleanUpMails(fixture.service.context);
  expect(
    await query(fixture.service.databaseUrl, 'select from invitations where token_id = $1', [tokenId]),
  ).toEqual([]);
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 0 }]);
});

test('a code that cannot be used is refused at once, whatever the address', async () => {
  const { tokenId, link } = await createRoom(2);
  const wrong = await reserve(tokenId, newEmail(), '0'.repeat(26));
  expect(((await wrong.json()) as Problem).name).toBe('ClaimCodeInvalid');
  const path = `/v1/tokens/${tokenId}/claimLinks/${link.claimLinkId}`;
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  await fixture.service.call(path, {
    key: fixture.service.apiKey,
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: '{"isPaused":true}',
  });
  expect(((await (await confirm(tokenId, code)).json()) as Problem).name).toBe('ClaimCodePaused');
  await fixture.service.call(path, { key: fixture.service.apiKey, method: 'DELETE' });
  expect(((await (await confirm(tokenId, code)).json()) as Problem).name).toBe('ClaimCodeInvalid');
});

test('the database has neither the address, the codes nor the client in plain', async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  await confirm(tokenId, code);
  const claimCode = codeIn('claim', (await waitForMail(email, 2)).text);
  const data = await dumpTables(fixture.service.databaseUrl);
  for (const secret of [email, code, claimCode, link.code]) expect(data).not.toContain(secret);
  expect(data).not.toContain(fixture.client);
});
