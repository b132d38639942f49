import { randomUUID } from 'node:crypto';
import type { ClaimLink, Contributor, Invitation, Mail, Operation, Problem } from '@badge/protocol';
import { newWallet, signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { describe, expect, test, vi } from 'vitest';
import { cleanUpMails } from '../../src/domain/invitations/clean-up-mails.ts';
import {
  creator,
  invitationsFixture,
  newEmail,
  PUBLIC_URL,
  WAIT_OPTIONS,
} from '../../src/testing/invitations-fixture.ts';

const fixture = invitationsFixture();
const {
  createToken,
  waitForOperation,
  post,
  invite,
  list,
  waitForStatus,
  waitForMail,
  retryNow,
  expectRefusedMail,
} = fixture;

const codeIn = (text = '') => /\/claim\/\d+#([0-9A-Z]{26})/.exec(text)?.[1] ?? '';

const claim = async (tokenId: number, claimCode: string) =>
  fixture.service.call(`/v1/tokens/${tokenId}/claim`, {
    json: { claimingAddress: newWallet().address, claimCode },
  });

test('a mail has the link, the message and the picture inside, and nothing remote', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const expiresAtTimestamp = Date.UTC(2090, 0, 2, 3, 4);
  const [invitation] = (await (
    await post(tokenId, {
      recipients: [{ email, name: 'Ada <b>' }],
      message: 'Thank you\nfor <i>your</i> talk.',
      expiresAtTimestamp,
    })
  )
    .json()
    .then((body) => (body as { items: Invitation[] }).items)) as [Invitation];
  expect(invitation).toMatchObject({
    email,
    name: 'Ada <b>',
    language: 'en',
    status: 'queued',
    error: null,
    expiresAtTimestamp,
  });
  const mail = await waitForMail(email);
  expect(mail.subject).toContain('has a badge for you: Speaker 2026');
  expect(mail.from?.value[0]).toMatchObject({ address: 'badges@example.org' });
  expect(mail.from?.value[0]?.name).toMatch(/ via Badges$/);
  expect(mail.messageId).toMatch(/^<[\w-]{36}@example\.org>$/);
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
  const code = codeIn(mail.text);
  const html = String(mail.html);
  for (const part of [mail.text ?? '', html]) {
    expect(part).toContain(`${PUBLIC_URL}/claim/${tokenId}#${code}`);
    expect(part).toContain('2 January 2090');
    expect(part).toContain('badges.example.org/unsubscribe?');
  }
  expect(mail.text).toContain('> Thank you\n> for <i>your</i> talk.');
  expect(html).toContain('for &lt;i&gt;your&lt;/i&gt; talk.');
  expect(html).toContain('Ada &lt;b&gt;');
  // mailparser replaces the `cid:` of the picture with its content.
  expect([...html.matchAll(/src="([^"]{0,30})/g)].map(([, url]) => url)).toEqual([
    expect.stringMatching(/^data:image\/png;base64,/),
  ]);
  expect(html).not.toMatch(/url\(|<script|<link|@import/);
  expect(mail.attachments).toMatchObject([
    { contentType: 'image/png', contentDisposition: 'inline', related: true },
  ]);
  expect(mail.attachments[0]?.content.subarray(1, 4).toString()).toBe('PNG');
  expect(mail.attachments[0]?.size).toBeLessThan(150_000);

  await waitForStatus(tokenId, 'sent');
  expect((await waitForOperation(await claim(tokenId, code))).status).toBe('success');
  expect(await list(tokenId)).toMatchObject([{ status: 'claimed', sentAtTimestamp: expect.any(Number) }]);
});

test.each([
  ['es', 'Obtener mi insignia', 'ltr'],
  ['ar', 'استلم شارتك', 'rtl'],
])('a mail can be in the language %s', async (language, button, direction) => {
  const tokenId = await createToken();
  const email = newEmail();
  const { status } = await post(tokenId, { recipients: [{ email, language }] });
  expect(status).toBe(201);
  const mail = await waitForMail(email);
  expect(mail.text).toContain(button);
  expect(String(mail.html)).toContain(`<html lang="${language}" dir="${direction}">`);
  expect(String(mail.html)).toContain(button);
});

test('a headline and a name with line breaks add no header', async () => {
  const tokenId = await createToken({ headline: 'One\r\nBcc: eve@example.org' });
  const email = newEmail();
  await invite(tokenId, [email]);
  const mail = await waitForMail(email);
  expect(mail.bcc).toBeUndefined();
  expect(mail.subject).toContain('One Bcc: eve@example.org');
  const response = await post(tokenId, { recipients: [{ email: newEmail(), name: 'Eve\r\nBcc: a@b.c' }] });
  expect(response.status).toBe(400);
  expect(((await response.json()) as Problem).errors).toMatchObject([{ pointer: '/recipients/0/name' }]);
});

test.each([
  ['no address', 'ada'],
  ['a line break', 'ada@example.org\r\nBcc: eve@example.org'],
  ['two addresses', 'ada@example.org, eve@example.org'],
  ['a quoted local part', '"a b"@example.org'],
  ['an IP address', 'ada@127.0.0.1'],
  ['a domain with mixed scripts', 'ada@exаmple.org'],
  ['a domain that imitates Latin letters', 'ada@аррӏе.com'],
  ['the same domain in its ASCII form', 'ada@xn--80ak6aa92e.com'],
])('an address with %s is refused with its pointer', async (_what, email) => {
  const response = await post(await createToken(), { recipients: [{ email: newEmail() }, { email }] });
  expect(response.status).toBe(400);
  expect((await response.json()) as Problem).toMatchObject({
    name: 'InvalidRequest',
    errors: [{ pointer: '/recipients/1/email' }],
  });
});

test('a domain in another script is sent to in its ASCII form', async () => {
  const tokenId = await createToken();
  const local = randomUUID();
  expect(await invite(tokenId, [`${local}@bücher.example`])).toMatchObject([
    { email: `${local}@xn--bcher-kva.example` },
  ]);
  // The mail server of this test shows the domain as it is written in its script.
  const mail = await waitForMail(`${local}@bücher.example`);
  expect(mail.headerLines.find(({ key }) => key === 'to')?.line).toBe(`To: ${local}@xn--bcher-kva.example`);
});

test('an address gets one invitation to a token, however often it is sent', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const items = await invite(tokenId, [email, email.toUpperCase(), newEmail()]);
  expect(items).toHaveLength(2);
  await waitForMail(email);
  expect(await invite(tokenId, [email])).toMatchObject([{ invitationId: items[0]?.invitationId }]);
  expect(await list(tokenId)).toHaveLength(2);
});

test('for an allowlisted token, a link uses the entry of the address, or adds its own', async () => {
  const [listed, other] = [newEmail(), newEmail()];
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: [listed],
  });
  const unsigned = await post(tokenId, { recipients: [{ email: listed }, { email: other }] });
  expect(unsigned.status).toBe(400);
  expect(((await unsigned.json()) as Problem).errors).toMatchObject([{ pointer: '/recipients/1/email' }]);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const items = await invite(tokenId, [listed, other], { signature });
  const contributors = await fixture.service.call(`/v1/tokens/${tokenId}/contributors`, {
    key: fixture.service.apiKey,
  });
  expect(((await contributors.json()) as { data: Contributor[] }).data.map((one) => one.contributor)).toEqual(
    [listed, `claimLink:${items[1]?.claimLinkId}`],
  );
  for (const email of [listed, other]) {
    const code = codeIn((await waitForMail(email)).text);
    expect((await waitForOperation(await claim(tokenId, code))).status).toBe('success');
  }
  const again = await post(tokenId, { recipients: [{ email: listed }] });
  expect(((await again.json()) as { items: Invitation[] }).items).toMatchObject([{ status: 'claimed' }]);
});

test('a repeated request with the same key returns the same invitations, and stores no address', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = (await (await post(tokenId, { recipients: [{ email }] }, headers)).json()) as object;
  const response = await post(tokenId, { recipients: [{ email }] }, headers);
  expect(response.headers.get('Idempotency-Replayed')).toBe('true');
  expect(await response.json()).toMatchObject({
    items: [{ email, invitationId: (first as { items: Invitation[] }).items[0]?.invitationId }],
  });
  const other = await post(tokenId, { recipients: [{ email: newEmail() }] }, headers);
  expect(other.status).toBe(422);
  expect(await list(tokenId)).toHaveLength(1);
});

test('neither the address nor the code is in the database in plain', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  fixture.mailServer.refuse = (address) =>
    address === email
      ? { responseCode: 550, message: `5.1.1 <${email}> unknown, ${email.split('@')[0]}` }
      : null;
  await invite(tokenId, [email]);
  const [failed] = await waitForStatus(tokenId, 'failed');
  expect(failed?.error).toBe('550 5.1.1 <…> unknown, …');
  fixture.mailServer.refuse = () => null;
  const key = { key: fixture.service.apiKey, method: 'POST' };
  const path = `/v1/tokens/${tokenId}/invitations/${failed?.invitationId}/resend`;
  expect((await fixture.service.call(path, key)).status).toBe(202);
  const code = codeIn((await waitForMail(email)).text);
  expect(code).toHaveLength(26);
  await waitForStatus(tokenId, 'sent');
  const data = await dumpTables(fixture.service.databaseUrl);
  expect(data).toContain(failed?.invitationId);
  for (const secret of [email, email.split('@')[0] ?? '', code]) {
    expect(data).not.toContain(secret);
    expect(data).not.toContain(Buffer.from(secret).toString('hex'));
  }
});

test.each([
  [450, 'queued'],
  [550, 'failed'],
] as const)('a mail that is refused with %i is %s', expectRefusedMail);

test('the feed says which invitations were sent and which have failed, without addresses', async () => {
  const tokenId = await createToken();
  const [good, bad] = [newEmail(), newEmail()];
  fixture.mailServer.refuse = (address) => (address === bad ? { responseCode: 550, message: 'no' } : null);
  const items = await invite(tokenId, [good, bad]);
  await waitForStatus(tokenId, 'sent');
  await waitForStatus(tokenId, 'failed');
  await vi.waitFor(async () => {
    const response = await fixture.service.call('/v1/communities/demo/events?limit=1000', {
      key: fixture.service.apiKey,
    });
    const text = await response.text();
    const { data } = JSON.parse(text) as { data: { type: string; data: { tokenId?: number } }[] };
    const events = data.filter(
      (event) => event.type.startsWith('invitation.') && event.data.tokenId === tokenId,
    );
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual(
      expect.arrayContaining([
        { type: 'invitation.sent', data: { invitationId: items[0]?.invitationId, tokenId } },
        { type: 'invitation.failed', data: { invitationId: items[1]?.invitationId, tokenId } },
      ]),
    );
    expect(events).toHaveLength(2);
    expect(text).not.toContain('@');
  }, WAIT_OPTIONS);
});

test('resending makes a new link, and the old code is worth nothing', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const [invitation] = await invite(tokenId, [email]);
  const first = await waitForMail(email);
  await waitForStatus(tokenId, 'sent');
  const headers = { 'Idempotency-Key': randomUUID() };
  const path = `/v1/tokens/${tokenId}/invitations/${invitation?.invitationId}/resend`;
  const init = { key: fixture.service.apiKey, method: 'POST', headers };
  const resent = (await (await fixture.service.call(path, init)).json()) as Invitation;
  expect(resent).toMatchObject({ email, status: 'queued' });
  expect(resent.claimLinkId).not.toBe(invitation?.claimLinkId);
  const repeated = await fixture.service.call(path, init);
  expect(repeated.headers.get('Idempotency-Replayed')).toBe('true');
  expect(await repeated.json()).toMatchObject({ claimLinkId: resent.claimLinkId });
  const second = await waitForMail(email, 2);
  expect(second.messageId).not.toBe(first.messageId);
  expect((await claim(tokenId, codeIn(first.text))).status).toBe(403);
  expect((await waitForOperation(await claim(tokenId, codeIn(second.text)))).status).toBe('success');
  const ended = await fixture.service.call(path, { key: fixture.service.apiKey, method: 'POST' });
  expect(await ended.json()).toMatchObject({ name: 'InvitationEnded' });
});

test('a revoked invitation is not sent, and its link is revoked', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  fixture.mailServer.refuse = (address) =>
    address === email ? { responseCode: 450, message: 'later' } : null;
  const [invitation] = await invite(tokenId, [email]);
  await vi.waitFor(
    async () => expect(await list(tokenId)).toMatchObject([{ error: '450 later' }]),
    WAIT_OPTIONS,
  );
  const path = `/v1/tokens/${tokenId}/invitations/${invitation?.invitationId}`;
  for (const _ of [1, 2]) {
    expect((await fixture.service.call(path, { key: fixture.service.apiKey, method: 'DELETE' })).status).toBe(
      204,
    );
  }
  expect(await list(tokenId)).toMatchObject([{ status: 'revoked', error: null }]);
  const links = await fixture.service.call(`/v1/tokens/${tokenId}/claimLinks`, {
    key: fixture.service.apiKey,
  });
  expect(((await links.json()) as { data: ClaimLink[] }).data).toMatchObject([{ status: 'revoked' }]);
  const waiting = await query(
    fixture.service.databaseUrl,
    'select from invitations where invitation_id = $1 and (next_attempt_at is not null or code is not null)',
    [invitation?.invitationId],
  );
  expect(waiting).toEqual([]);
  // After a revocation, the person can be invited again.
  fixture.mailServer.refuse = () => null;
  expect(await invite(tokenId, [email])).toMatchObject([{ status: 'queued' }]);
  await waitForMail(email);
});

async function readUnsubscribePath(email: string): Promise<string> {
  const mail = await waitForMail(email);
  const { text } = mail;
  const url = /https:\/\/badges\.example\.org(\/unsubscribe\?\S+)/.exec(text ?? '')?.[1] ?? '';
  const header = mail.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line.replaceAll(/\s/g, '');
  expect(header).toBe(`List-Unsubscribe:<${PUBLIC_URL}${url}>`);
  expect(mail.headerLines.find(({ key }) => key === 'list-unsubscribe-post')?.line).toBe(
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  );
  return url;
}

test.each([
  ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  ],
])('a click in a mail program, sent as %s, unsubscribes', async (contentType, body) => {
  const tokenId = await createToken();
  const email = newEmail();
  await invite(tokenId, [email]);
  const path = await readUnsubscribePath(email);
  const page = await fixture.service.call(path);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(await page.text()).toContain('<form method="post">');
  // Scanners of mails only read the page, so this must not have unsubscribed.
  const stored = () => query(fixture.service.databaseUrl, 'select * from mail_unsubscriptions');
  const before = await stored();
  const posted = await fixture.service.call(path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': contentType },
  });
  expect(posted.status).toBe(200);
  expect(await stored()).toHaveLength(before.length + 1);
  const other = await createToken();
  expect(await invite(other, [email.toUpperCase()])).toMatchObject([
    { status: 'unsubscribed', claimLinkId: null },
  ]);
  const links = await fixture.service.call(`/v1/tokens/${other}/claimLinks`, { key: fixture.service.apiKey });
  expect(await links.json()).toMatchObject({ data: [] });
});

test.each([
  ['text/plain', 'List-Unsubscribe=One-Click', 415, 'UnsupportedMediaType'],
  ['application/json', '{"List-Unsubscribe":"One-Click"}', 415, 'UnsupportedMediaType'],
  ['form', 'List-Unsubscribe=One-Click', 415, 'UnsupportedMediaType'],
  ['application/x-www-form-urlencoded', 'a'.repeat(4_097), 413, 'TooLarge'],
])(
  'a click that is sent as %s (%#) is refused, and says what is accepted',
  async (type, body, status, name) => {
    const response = await fixture.service.call('/unsubscribe?community=demo&person=AAAA', {
      method: 'POST',
      body,
      headers: { 'Content-Type': type },
    });
    expect(response.status).toBe(status);
    const problem = (await response.json()) as { detail: string; type: string };
    expect(problem.type).toContain(name);
    expect(problem.detail).toBe(
      status === 413
        ? 'The body is larger than this endpoint accepts.'
        : 'The body must be sent as application/x-www-form-urlencoded or multipart/form-data.',
    );
  },
);

test('the page can unsubscribe from all communities, and a queued mail is not sent then', async () => {
  const [tokenId, waiting] = [await createToken(), await createToken()];
  const email = newEmail();
  await invite(tokenId, [email]);
  const path = await readUnsubscribePath(email);
  fixture.mailServer.refuse = (address) =>
    address === email ? { responseCode: 450, message: 'later' } : null;
  const [invitation] = await invite(waiting, [email]);
  await vi.waitFor(
    async () => expect(await list(waiting)).toMatchObject([{ error: '450 later' }]),
    WAIT_OPTIONS,
  );
  const posted = await fixture.service.call(path, {
    method: 'POST',
    body: 'scope=all',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(posted.status).toBe(200);
  fixture.mailServer.refuse = () => null;
  await retryNow(invitation?.invitationId);
  // An invitation whose mail was sent before says so too.
  expect(await list(tokenId)).toMatchObject([{ status: 'unsubscribed' }]);
  await vi.waitFor(async () => {
    expect(await list(waiting)).toMatchObject([{ status: 'unsubscribed', claimLinkId: null }]);
    const links = await fixture.service.call(`/v1/tokens/${waiting}/claimLinks`, {
      key: fixture.service.apiKey,
    });
    expect(await links.json()).toMatchObject({ data: [{ status: 'revoked' }] });
  }, WAIT_OPTIONS);
  await waitForMail(email, 1);
});

test('an unsubscribe link of another community, or a changed one, unsubscribes nobody', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  await invite(tokenId, [email]);
  const path = await readUnsubscribePath(email);
  for (const changed of [
    path.replace('community=demo', 'community=other'),
    path.replace(/person=.{4}/, 'person=AAAA'),
    '/unsubscribe',
  ]) {
    for (const method of ['GET', 'POST']) {
      const response = await fixture.service.call(changed, { method });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toMatch(/^<!doctype html>.*This link is incomplete/s);
    }
  }
});

test('addresses are erased after their time, and the invitations stay', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const [invitation] = await invite(tokenId, [email]);
  await waitForStatus(tokenId, 'sent');
  const sent = await query<{ days: number }>(
    fixture.service.databaseUrl,
    'select extract(epoch from erase_at - sent_at)::int / 86400 as days from invitations where invitation_id = $1',
    [invitation?.invitationId],
  );
  expect(sent).toEqual([{ days: 90 }]);
  await query(
    fixture.service.databaseUrl,
    'update invitations set erase_at = now() where invitation_id = $1',
    [invitation?.invitationId],
  );
  await cleanUpMails(fixture.service.context);
  expect(await list(tokenId)).toMatchObject([
    { invitationId: invitation?.invitationId, email: null, name: null, status: 'sent' },
  ]);
  const path = `/v1/tokens/${tokenId}/invitations/${invitation?.invitationId}/resend`;
  const resent = await fixture.service.call(path, { key: fixture.service.apiKey, method: 'POST' });
  expect(await resent.json()).toMatchObject({ name: 'InvitationEnded' });
});

test('a preview is the mail that a person would get', async () => {
  const tokenId = await createToken();
  const response = await fixture.service.call(`/v1/tokens/${tokenId}/invitations/preview`, {
    key: fixture.service.apiKey,
    json: { name: 'Ada', language: 'es', message: 'Gracias' },
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    from: expect.stringMatching(/ via Badges <badges@example\.org>$/),
    subject: expect.stringContaining('tiene una insignia para ti: Speaker 2026'),
    text: expect.stringContaining('Hola, Ada:'),
    html: expect.stringContaining('src="data:image/png;base64,'),
  });
});

test('a mail says until when the badge can be claimed, as a day in the time zone of the organiser', async () => {
  // The end of 31 December 2090 in Madrid.
  const expirationTimestamp = Date.UTC(2090, 11, 31, 23);
  const tokenId = await createToken({ expirationTimestamp });
  const preview = async (body: object) => {
    const path = `/v1/tokens/${tokenId}/invitations/preview`;
    const response = await fixture.service.call(path, { key: fixture.service.apiKey, json: body });
    return ((await response.json()) as Mail).text;
  };
  expect(await preview({ timeZone: 'Europe/Madrid' })).toContain('until 31 December 2090.');
  expect(await preview({})).toContain('until 31 December 2090 at 23:00 UTC.');
  // Whichever ends first: the link or the badge.
  const later = expirationTimestamp + 3_600_000;
  expect(await preview({ expiresAtTimestamp: later })).toContain('until 31 December 2090 at 23:00 UTC.');
  const earlier = Date.UTC(2090, 11, 30, 23);
  expect(await preview({ expiresAtTimestamp: earlier, timeZone: 'Europe/Madrid' })).toContain(
    'until 30 December 2090.',
  );
  const email = newEmail();
  await post(tokenId, { recipients: [{ email, language: 'es' }], timeZone: 'Europe/Madrid' });
  expect((await waitForMail(email)).text).toContain('hasta el 31 de diciembre de 2090.');
});

describe('a mail for a wallet on the allowlist', () => {
  const createListed = (wallets: { address: string }[]) =>
    createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: wallets.map(({ address }) => address),
    });

  async function tell(tokenId: number, recipients: object[]): Promise<Invitation[]> {
    const response = await post(tokenId, { recipients });
    expect(response.status, await response.clone().text()).toBe(201);
    return ((await response.json()) as { items: Invitation[] }).items;
  }

  async function errorsOf(tokenId: number, recipients: object[]): Promise<unknown[]> {
    const response = await post(tokenId, { recipients });
    expect(response.status).toBe(400);
    return ((await response.json()) as Problem).errors ?? [];
  }

  async function claimWith(tokenId: number, wallet: ReturnType<typeof newWallet>): Promise<Operation> {
    const signature = await signTokenId(wallet, 'Claim', tokenId);
    const json = { claimingAddress: wallet.address, signature };
    return await waitForOperation(await fixture.service.call(`/v1/tokens/${tokenId}/claim`, { json }));
  }

  async function remove(tokenId: number, contributors: string[]): Promise<Operation> {
    const path = `/v1/tokens/${tokenId}/removeContributors`;
    return await waitForOperation(
      await fixture.service.call(path, { key: fixture.service.apiKey, json: { contributors } }),
    );
  }

  /** Invites a wallet while the mail server refuses mails for now, so that the mail stays queued. */
  async function queue(tokenId: number, email: string, address: string): Promise<Invitation> {
    fixture.mailServer.refuse = (to) => (to === email ? { responseCode: 450, message: 'later' } : null);
    const [invitation] = await tell(tokenId, [{ email, address }]);
    await vi.waitFor(
      async () => expect(await list(tokenId)).toMatchObject([{ error: '450 later' }]),
      WAIT_OPTIONS,
    );
    if (invitation === undefined) throw new Error('nobody was invited');
    return invitation;
  }

  test('has no code and makes no entry, and the wallet claims once', async () => {
    const [wallet, other] = [newWallet(), newWallet()];
    const tokenId = await createListed([wallet, other]);
    const [email, linked] = [newEmail(), newEmail()];
    const expiresAtTimestamp = Date.now() + 3_600_000;
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const response = await post(tokenId, {
      recipients: [{ email, name: 'Ada', address: wallet.address.toLowerCase() }, { email: linked }],
      message: 'Thank you',
      signature,
      expiresAtTimestamp,
    });
    const { items } = (await response.json()) as { items: Invitation[] };
    expect(items).toMatchObject([
      { email, address: wallet.address, claimLinkId: null, status: 'queued', expiresAtTimestamp: null },
      { email: linked, address: null, claimLinkId: expect.any(String), expiresAtTimestamp },
    ]);
    const mail = await waitForMail(email);
    const { text = '' } = mail;
    expect(text).toContain(`${PUBLIC_URL}/claim/${tokenId}\n`);
    expect(text).not.toMatch(/\/claim\/\d+#/);
    expect(String(mail.html)).not.toMatch(/\/claim\/\d+#/);
    expect(text).toContain(`${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}`);
    expect(text).toContain('> Thank you');
    await waitForStatus(tokenId, 'sent', 2);

    const read = async (path: string) =>
      (
        (await (
          await fixture.service.call(`/v1/tokens/${tokenId}/${path}`, { key: fixture.service.apiKey })
        ).json()) as {
          data: (Contributor & ClaimLink)[];
        }
      ).data;
    expect((await read('contributors')).map(({ contributor }) => contributor)).toEqual([
      wallet.address,
      other.address,
      `claimLink:${items[1]?.claimLinkId}`,
    ]);
    expect(await read('claimLinks')).toHaveLength(1);
    expect(await claimWith(tokenId, wallet)).toMatchObject({ status: 'success' });
    expect(await list(tokenId, '?status=claimed')).toMatchObject([{ email, address: wallet.address }]);
    expect(await list(tokenId, '?status=sent')).toMatchObject([{ email: linked }]);
    expect(await errorsOf(tokenId, [{ email: newEmail(), address: wallet.address }])).toEqual([
      { pointer: '/recipients/0/address', detail: 'has already claimed this token' },
    ]);
  });

  test('needs an allowlist, and the address on it', async () => {
    const wallet = newWallet();
    const tokenId = await createListed([newWallet()]);
    expect(await errorsOf(tokenId, [{ email: newEmail(), address: wallet.address }])).toEqual([
      { pointer: '/recipients/0/address', detail: "is not on the token's allowlist; add it first" },
    ]);
    // The creator's signature adds entries for links only.
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const recipients = [{ email: newEmail(), address: wallet.address }];
    expect((await post(tokenId, { recipients, signature })).status).toBe(400);
    const open = await post(await createToken(), { recipients });
    expect(open.status).toBe(409);
    expect(await open.json()).toMatchObject({ name: 'AllowlistMismatch' });
    expect(await list(tokenId)).toEqual([]);
  });

  test('is for one e-mail, and an e-mail is for one wallet or link', async () => {
    const [first, second] = [newWallet(), newWallet()];
    const tokenId = await createListed([first, second]);
    const [email, other, linked] = [newEmail(), newEmail(), newEmail()];
    const both = [
      { email, address: first.address },
      { email: email.toUpperCase(), address: second.address },
      { email: other, address: first.address },
    ];
    expect(await errorsOf(tokenId, both)).toEqual([
      { pointer: '/recipients/1/email', detail: 'is also that of a recipient without this address' },
      { pointer: '/recipients/2/address', detail: 'is also that of a recipient with another e-mail' },
    ]);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    await invite(tokenId, [linked], { signature });
    const [told] = await tell(tokenId, [{ email, address: first.address }]);
    // The same again keeps it, also without the address: nobody gets a second entry.
    for (const recipient of [{ email, address: first.address.toLowerCase() }, { email }]) {
      expect(await tell(tokenId, [recipient])).toMatchObject([
        { invitationId: told?.invitationId, address: first.address },
      ]);
    }
    const errors = [
      await errorsOf(tokenId, [{ email, address: second.address }]),
      await errorsOf(tokenId, [{ email: linked, address: second.address }]),
      await errorsOf(tokenId, [{ email: other, address: first.address }]),
    ];
    expect(errors).toEqual([
      [
        {
          pointer: '/recipients/0/email',
          detail: 'has an invitation for another wallet already; revoke it first',
        },
      ],
      [
        {
          pointer: '/recipients/0/email',
          detail: 'has an invitation with a claim link already; revoke it first',
        },
      ],
      [
        {
          pointer: '/recipients/0/address',
          detail: 'has an invitation for another e-mail already; revoke it first',
        },
      ],
    ]);
    expect(await list(tokenId)).toHaveLength(2);
  });

  test('is sent again without a link, and not after a revocation, which keeps the entry', async () => {
    const wallet = newWallet();
    const tokenId = await createListed([wallet]);
    const email = newEmail();
    const [invitation] = await tell(tokenId, [{ email, address: wallet.address }]);
    await waitForMail(email);
    await waitForStatus(tokenId, 'sent');
    const path = `/v1/tokens/${tokenId}/invitations/${invitation?.invitationId}`;
    const resend = () =>
      fixture.service.call(`${path}/resend`, { key: fixture.service.apiKey, method: 'POST' });
    const resent = await resend();
    expect(resent.status).toBe(202);
    expect(await resent.json()).toMatchObject({
      status: 'queued',
      claimLinkId: null,
      address: wallet.address,
    });
    expect((await waitForMail(email, 2)).text).not.toMatch(/\/claim\/\d+#/);
    await waitForStatus(tokenId, 'sent');
    expect((await fixture.service.call(path, { key: fixture.service.apiKey, method: 'DELETE' })).status).toBe(
      204,
    );
    expect(await list(tokenId)).toMatchObject([{ status: 'revoked', address: wallet.address }]);
    expect(await (await resend()).json()).toMatchObject({ name: 'InvitationEnded' });
    expect(await claimWith(tokenId, wallet)).toMatchObject({ status: 'success' });
  });

  test('is not sent after its contributor was removed', async () => {
    const wallet = newWallet();
    const tokenId = await createListed([wallet, newWallet()]);
    const email = newEmail();
    await queue(tokenId, email, wallet.address);
    expect(await remove(tokenId, [wallet.address])).toMatchObject({ status: 'success' });
    expect(await list(tokenId)).toMatchObject([{ status: 'revoked' }]);
    const waiting = 'select from invitations where token_id = $1 and next_attempt_at is not null';
    expect(await query(fixture.service.databaseUrl, waiting, [tokenId])).toEqual([]);
  });

  test('is not sent after a claim, and is cancelled with the others before', async () => {
    const [claimer, waiting] = [newWallet(), newWallet()];
    const tokenId = await createListed([claimer, waiting]);
    const email = newEmail();
    const { invitationId } = await queue(tokenId, email, claimer.address);
    expect(await claimWith(tokenId, claimer)).toMatchObject({ status: 'success' });
    const cancel = async () => {
      const path = '/v1/communities/demo/cancelMails';
      return await (
        await fixture.service.call(path, { key: fixture.service.apiKey, json: { tokenId } })
      ).json();
    };
    expect(await cancel()).toEqual({ cancelledCount: 0 });
    fixture.mailServer.refuse = () => null;
    await retryNow(invitationId);
    await vi.waitFor(async () => {
      const found = await query<{ next_attempt_at: Date | null }>(
        fixture.service.databaseUrl,
        'select next_attempt_at from invitations where invitation_id = $1',
        [invitationId],
      );
      expect(found).toEqual([{ next_attempt_at: null }]);
    }, WAIT_OPTIONS);
    expect(fixture.mailServer.received.some(({ recipient }) => recipient === email)).toBe(false);
    const other = newEmail();
    fixture.mailServer.refuse = (to) => (to === other ? { responseCode: 450, message: 'later' } : null);
    await tell(tokenId, [{ email: other, address: waiting.address }]);
    expect(await cancel()).toEqual({ cancelledCount: 1 });
    expect(await list(tokenId, '?status=revoked')).toMatchObject([{ address: waiting.address }]);
    expect(await claimWith(tokenId, waiting)).toMatchObject({ status: 'success' });
  });

  test('is not sent to somebody who wants no mails', async () => {
    const email = newEmail();
    await invite(await createToken(), [email]);
    const path = await readUnsubscribePath(email);
    await fixture.service.call(path, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    const wallet = newWallet();
    const tokenId = await createListed([wallet]);
    expect(await tell(tokenId, [{ email, address: wallet.address }])).toMatchObject([
      { status: 'unsubscribed', address: wallet.address, claimLinkId: null },
    ]);
    // The list is not changed, so the wallet can claim.
    expect(await claimWith(tokenId, wallet)).toMatchObject({ status: 'success' });
    await waitForMail(email, 1);
  });

  test('says whose wallet it is only until the e-mail is erased', async () => {
    const wallet = newWallet();
    const tokenId = await createListed([wallet]);
    const email = newEmail();
    const [invitation] = await tell(tokenId, [{ email, address: wallet.address }]);
    await waitForStatus(tokenId, 'sent');
    const data = await dumpTables(fixture.service.databaseUrl);
    expect(data).toContain(invitation?.invitationId);
    for (const secret of [email, email.split('@')[0] ?? '']) {
      expect(data).not.toContain(secret);
      expect(data).not.toContain(Buffer.from(secret).toString('hex'));
    }
    const log = await fixture.service.call('/v1/auditLog?communityId=demo&limit=1000', {
      key: fixture.service.apiKey,
    });
    const entries = await log.text();
    expect(entries).toContain('createInvitations');
    expect(entries).not.toContain(wallet.address);
    await query(
      fixture.service.databaseUrl,
      'update invitations set erase_at = now() where invitation_id = $1',
      [invitation?.invitationId],
    );
    await cleanUpMails(fixture.service.context);
    const erased = `select r.email, i.email_hash, i.mailbox_hash
      from invitations i join recipients r using (recipient_id) where i.invitation_id = $1`;
    expect(await query(fixture.service.databaseUrl, erased, [invitation?.invitationId])).toEqual([
      { email: null, email_hash: null, mailbox_hash: null },
    ]);
    expect(await claimWith(tokenId, wallet)).toMatchObject({ status: 'success' });
    expect(await list(tokenId)).toMatchObject([{ email: null, address: wallet.address, status: 'claimed' }]);
  });

  test('is shown by a preview, with the wallet and without a code', async () => {
    const tokenId = await createListed([newWallet()]);
    const { address } = newWallet();
    const path = `/v1/tokens/${tokenId}/invitations/preview`;
    const response = await fixture.service.call(path, {
      key: fixture.service.apiKey,
      json: { language: 'es', address },
    });
    const { text } = (await response.json()) as { text: string };
    expect(text).toContain(`obtenla con tu cartera \u2066${address.slice(0, 6)}…${address.slice(-4)}\u2069`);
    expect(text).toContain(`${PUBLIC_URL}/claim/${tokenId}\n`);
  });
});
