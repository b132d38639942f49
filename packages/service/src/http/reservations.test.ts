import { randomUUID } from 'node:crypto';
import type { ClaimLink, CreatedClaimLink, Invitation, Operation, Problem } from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { cleanUpMails } from '../domain/invitations/clean-up-mails.ts';
import { type MailServer, startMailServer } from '../testing/mail-server.ts';
import { startTestService, type TestService } from '../testing/services.ts';

// On a busy machine, the first picture takes long, and its mail is tried again.
const WAIT_OPTIONS = { timeout: 60_000, interval: 50 };
const creator = newWallet();

let mailServer: MailServer;
let service: TestService;

beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    PUBLIC_URL: 'https://badges.example.org',
    BADGE_SMTP_URL: mailServer.url,
    BADGE_MAIL_FROM: 'badges@example.org',
    BADGE_TRUST_PROXY: 'loopback',
  });
});
afterAll(async () => {
  await service.stop();
  await mailServer.stop();
});

// Each test has a client address of its own, because a client has a limit.
let client = '';
let clients = 0;
beforeEach(() => {
  clients += 1;
  client = `10.0.0.${clients}`;
});

async function createToken(fields: Record<string, unknown>): Promise<number> {
  const json = await signedToken({ headline: 'Room', ...fields }, creator);
  // Equal requests without a key would be one.
  const headers = { 'Idempotency-Key': randomUUID() };
  const response = await service.call('/v1/tokens', { key: service.apiKey, json, headers });
  return (await waitForOperation(response)).resourceId ?? 0;
}

async function waitForOperation(response: Response): Promise<Operation> {
  expect(response.status).toBe(202);
  const operation = await service.call(`${response.headers.get('location')}?wait=30`);
  return (await operation.json()) as Operation;
}

async function createLink(tokenId: number, json: object): Promise<CreatedClaimLink> {
  const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, { key: service.apiKey, json });
  const [link] = ((await response.json()) as { items: CreatedClaimLink[] }).items;
  if (link === undefined) throw new Error('no link');
  return link;
}

/** Creates an allowlisted token and a link for a room. */
async function createRoom(maxClaims: number, fields: object = {}) {
  const contributors = [creator.address];
  const tokenId = await createToken({ isAllowlistRequired: true, totalClaimCount: null, contributors });
  const link = await createLink(tokenId, {
    maxClaims,
    signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
    expiresAtTimestamp: Date.now() + 3_600_000,
    ...fields,
  });
  return { tokenId, link };
}

const newEmail = () => `${randomUUID()}@example.org`;

async function reserve(
  tokenId: number,
  email: string,
  claimCode: string,
  fields: object = {},
): Promise<Response> {
  return await service.call(`/v1/tokens/${tokenId}/reservations`, {
    json: { email, claimCode, ...fields },
    headers: { 'X-Forwarded-For': client },
  });
}

const confirm = async (tokenId: number, confirmationCode: string) =>
  service.call(`/v1/tokens/${tokenId}/reservations/confirm`, { json: { confirmationCode } });

const mailsTo = (email: string) => mailServer.received.filter(({ recipient }) => recipient === email);

async function waitForMail(email: string, count = 1) {
  return await vi.waitFor(() => {
    expect(mailsTo(email)).toHaveLength(count);
    const mail = mailsTo(email).at(-1);
    if (mail === undefined) throw new Error('no mail');
    return mail;
  }, WAIT_OPTIONS);
}

const codeIn = (path: string, text = '') =>
  new RegExp(`https://badges\\.example\\.org/${path}/\\d+#([0-9A-Z]{26})`).exec(text)?.[1] ?? '';

async function readLinks(tokenId: number): Promise<ClaimLink[]> {
  const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, { key: service.apiKey });
  return ((await response.json()) as { data: ClaimLink[] }).data;
}

const claim = async (tokenId: number, claimCode: string) =>
  service.call(`/v1/tokens/${tokenId}/claim`, { json: { claimingAddress: newWallet().address, claimCode } });

test('a place of a room is taken when the address is confirmed, and the mail has a link that claims it', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  const requested = await reserve(tokenId, email, link.code, { language: 'es' });
  expect([requested.status, await requested.json()]).toEqual([202, {}]);
  const asking = await waitForMail(email);
  expect(asking.subject).toBe('Confirma tu dirección para la insignia Room');
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 0 }]);
  const confirmationCode = codeIn('reserve', asking.text);

  for (const _ of [1, 2]) {
    const confirmed = await confirm(tokenId, confirmationCode);
    expect([confirmed.status, await confirmed.json()]).toEqual([200, {}]);
  }
  const mail = await waitForMail(email, 2);
  expect(mail.subject).toBe('Tu insignia está reservada: Room');
  expect(mail.text).toMatch(/https:\/\/metamask\.io.*https:\/\/www\.coinbase\.com\/wallet/s);
  expect(mail.html).toBeTruthy();
  expect(await readLinks(tokenId)).toMatchObject([
    { claimCount: 1, status: 'unused' },
    { maxClaims: 1, status: 'unused', expiresAtTimestamp: null },
  ]);

  // The room is full after one more claim, but the reserved place is kept.
  expect((await waitForOperation(await claim(tokenId, link.code))).status).toBe('success');
  expect((await claim(tokenId, link.code)).status).toBe(409);
  expect((await waitForOperation(await claim(tokenId, codeIn('claim', mail.text)))).status).toBe('success');
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 2, status: 'used' }, { status: 'used' }]);
  const invitations = await service.call(`/v1/tokens/${tokenId}/invitations`, { key: service.apiKey });
  expect(await invitations.json()).toMatchObject({ data: [] });
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
  await query(service.databaseUrl, end, [link.claimLinkId]);
  expect((await reserve(tokenId, email, link.code)).status).toBe(202);
  const afterEnd = await waitForMail(email, 4);
  // Neither does its revocation, but its code brings nobody else a mail.
  const room = `/v1/tokens/${tokenId}/claimLinks/${link.claimLinkId}`;
  await service.call(room, { key: service.apiKey, method: 'DELETE' });
  const statuses = [await reserve(tokenId, newEmail(), link.code), await reserve(tokenId, late, link.code)];
  expect(statuses.map(({ status }) => status)).toEqual([202, 202]);
  await vi.waitFor(async () => {
    const waiting = "select from invitations where kind = 'confirmation' and token_id = $1";
    expect(await query(service.databaseUrl, waiting, [tokenId])).toEqual([]);
  }, WAIT_OPTIONS);
  expect(mailsTo(late)).toEqual([]);
  expect((await claim(tokenId, codeIn('claim', again.text))).status).toBe(403);
  expect((await waitForOperation(await claim(tokenId, codeIn('claim', afterEnd.text)))).status).toBe(
    'success',
  );
});

test('an address that an organiser has invited gets this link, and no second place', {
  tags: ['slow'],
}, async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  const invited = await service.call(`/v1/tokens/${tokenId}/invitations`, {
    key: service.apiKey,
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

test('an organiser who invites an address with a reservation gets it as the invitation', {
  tags: ['slow'],
}, async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  await confirm(tokenId, codeIn('reserve', (await waitForMail(email)).text));
  await waitForMail(email, 2);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const json = { recipients: [{ email }], signature };
  const path = `/v1/tokens/${tokenId}/invitations`;
  const created = await service.call(path, { key: service.apiKey, json });
  const { items } = (await created.json()) as { items: Invitation[] };
  const listed = await service.call(path, { key: service.apiKey });
  expect(((await listed.json()) as { data: Invitation[] }).data).toMatchObject([
    { email, invitationId: items[0]?.invitationId },
  ]);
});

test('an address gets three mails a day that others ask for, and a client 200 requests an hour', {
  tags: ['slow'],
}, async () => {
  const { tokenId, link } = await createRoom(50);
  const email = newEmail();
  for (let index = 0; index < 5; index += 1)
    expect((await reserve(tokenId, email, link.code)).status).toBe(202);
  await waitForMail(email, 3);
  const other = newEmail();
  const setCount = 'update reservation_clients set requests = 199 where requests = 5';
  await query(service.databaseUrl, setCount);
  expect((await reserve(tokenId, other, link.code)).status).toBe(202);
  const refused = await reserve(tokenId, newEmail(), link.code);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  await waitForMail(other);
  expect(mailsTo(email)).toHaveLength(3);
});

test('the hour of a confirmation begins when its mail is sent', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  const wait = "update invitations set created_at = created_at - interval '20 hours' where token_id = $1";
  await query(service.databaseUrl, wait, [tokenId]);
  await cleanUpMails(service.context);
  expect((await confirm(tokenId, code)).status).toBe(200);
});

test('the link of a reservation needs a signature if a claim with the code would', async () => {
  const isSignatureRequired = async (tokenId: number, email: string, count: number) => {
    const claimCode = codeIn('claim', (await waitForMail(email, count)).text);
    const json = { claimCode };
    const response = await service.call(`/v1/tokens/${tokenId}/checkClaimCode`, { json });
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
    service.call(`/v1/tokens/${tokenId}/claim`, {
      json: { claimingAddress: newWallet().address, claimCode: link.code },
      headers: { 'X-Forwarded-For': client },
    });
  await waitForOperation(await claimAsClient());
  const second = await reserveConfirmed(tokenId, link.code);
  expect(await isSignatureRequired(tokenId, second, 2)).toBe(false);
  expect((await claimAsClient()).status).toBe(400);
  const third = await reserveConfirmed(tokenId, link.code);
  expect(await isSignatureRequired(tokenId, third, 2)).toBe(true);
  client = '10.9.9.9';
  const elsewhere = await reserveConfirmed(tokenId, link.code);
  expect(await isSignatureRequired(tokenId, elsewhere, 2)).toBe(false);
});

test('what is not confirmed within an hour is gone, and takes no place', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  await query(
    service.databaseUrl,
    `update invitations set created_at = created_at - interval '2 hours', sent_at = sent_at - interval '1 hour'
     where token_id = $1`,
    [tokenId],
  );
  const late = await confirm(tokenId, code);
  expect(((await late.json()) as Problem).name).toBe('ConfirmationCodeInvalid');
  await cleanUpMails(service.context);
  expect(await query(service.databaseUrl, 'select from invitations where token_id = $1', [tokenId])).toEqual(
    [],
  );
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
  await service.call(path, {
    key: service.apiKey,
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: '{"isPaused":true}',
  });
  expect(((await (await confirm(tokenId, code)).json()) as Problem).name).toBe('ClaimCodePaused');
  await service.call(path, { key: service.apiKey, method: 'DELETE' });
  expect(((await (await confirm(tokenId, code)).json()) as Problem).name).toBe('ClaimCodeInvalid');
});

test('a person who has unsubscribed gets no mail, and the response is the same', {
  tags: ['slow'],
}, async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const path = /https:\/\/badges\.example\.org(\/unsubscribe\?\S+)/.exec(
    (await waitForMail(email)).text ?? '',
  )?.[1];
  expect((await service.call(path ?? '', { method: 'POST' })).status).toBe(200);
  expect((await reserve(tokenId, email, link.code)).status).toBe(202);
  const other = newEmail();
  await reserve(tokenId, other, link.code);
  await waitForMail(other);
  expect(mailsTo(email)).toHaveLength(1);
});

test('the database has neither the address, the codes nor the client in plain', async () => {
  const { tokenId, link } = await createRoom(5);
  const email = newEmail();
  await reserve(tokenId, email, link.code);
  const code = codeIn('reserve', (await waitForMail(email)).text);
  await confirm(tokenId, code);
  const claimCode = codeIn('claim', (await waitForMail(email, 2)).text);
  const data = await dumpTables(service.databaseUrl);
  for (const secret of [email, code, claimCode, link.code]) expect(data).not.toContain(secret);
  expect(data).not.toContain(client);
});
