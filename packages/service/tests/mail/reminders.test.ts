import { createHash, randomUUID } from 'node:crypto';
import type {
  ClaimLink,
  CreatedReminders,
  Invitation,
  Problem,
  Recipient,
  RecipientHistoryEntry,
} from '@badge/protocol';
import { newAddress, newWallet, signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { afterEach, expect, test, vi } from 'vitest';
import { cleanUpMails } from '../../src/domain/invitations/clean-up-mails.ts';
import { createMailDeliverer } from '../../src/domain/invitations/deliver-mails.ts';
import { requireMail } from '../../src/domain/mail-service.ts';
import {
  creator,
  invitationsFixture,
  newEmail,
  WAIT_OPTIONS,
} from '../../src/testing/invitations-fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const fixture = invitationsFixture();
const { createToken, invite, list, post, waitForStatus, waitForMail, waitForOperation } = fixture;
afterEach(async () => {
  vi.useRealTimers();
  await setSettings([], []);
});

const sql = (text: string, values: unknown[] = []) => query(fixture.service.databaseUrl, text, values);
const call = (path: string, init: Parameters<typeof fixture.service.call>[1] = {}) =>
  fixture.service.call(path, { key: fixture.service.apiKey, ...init });

const codeIn = (text = '') => /\/claim\/\d+#([0-9A-Z]{26})/.exec(text)?.[1] ?? '';
const received = (email: string) =>
  fixture.mailServer.received.filter(({ recipient }) => recipient === email);

async function remind(tokenId: number, body: object = { kind: 'claim' }): Promise<CreatedReminders> {
  const response = await call(`/v1/tokens/${tokenId}/reminders`, { json: body });
  expect(response.status, await response.clone().text()).toBe(202);
  return (await response.json()) as CreatedReminders;
}

async function readRecipients(tokenId: number): Promise<Recipient[]> {
  const response = await call(`/v1/tokens/${tokenId}/recipients?order=oldest&limit=1000`);
  return ((await response.json()) as { data: Recipient[] }).data;
}

async function readHistory(tokenId: number, { recipientId }: Recipient): Promise<RecipientHistoryEntry[]> {
  const response = await call(`/v1/tokens/${tokenId}/recipients/${recipientId}/history`);
  return ((await response.json()) as { data: RecipientHistoryEntry[] }).data;
}

async function setSettings(unclaimedAfterDays: number[], beforeExpiryDays: number[]): Promise<void> {
  const response = await call('/v1/communities/demo', {
    key: fixture.service.adminKey,
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reminders: { unclaimedAfterDays, beforeExpiryDays } }),
  });
  expect(response.status).toBe(200);
}

/** Moves all mails of a token, and what the settings have done, into the past. */
async function letTimePass(tokenId: number, durationMs: number): Promise<void> {
  const interval = `${durationMs / 1_000} seconds`;
  await sql(
    `update invitations set sent_at = sent_at - $2::interval, created_at = created_at - $2::interval where token_id = $1`,
    [tokenId, interval],
  );
  await sql(
    `update claims set claimed_at = claimed_at - $2::interval, renewed_until = renewed_until - $2::interval where token_id = $1`,
    [tokenId, interval],
  );
  await sql('update tokens set valid_until = valid_until - $2::interval where token_id = $1', [
    tokenId,
    interval,
  ]);
  await sql('update mail_turns set reminded_until = reminded_until - $1::interval', [interval]);
  await sql("delete from requested_mails where kind = 'repeated'");
}

/** Serves a turn of the community, as a worker does. */
const deliver = () => createMailDeliverer(requireMail(fixture.service.context))('demo');

/** Invites somebody, whose mail is sent, `agoMs` ago. */
async function inviteBefore(tokenId: number, email = newEmail(), agoMs = 4 * DAY_MS): Promise<Invitation> {
  const [invitation] = await invite(tokenId, [email]);
  if (invitation === undefined) throw new Error('no invitation was created');
  await waitForMail(email);
  await vi.waitFor(async () => {
    expect(
      (await list(tokenId)).find(({ invitationId }) => invitationId === invitation.invitationId),
    ).toMatchObject({ status: 'sent' });
  }, WAIT_OPTIONS);
  await letTimePass(tokenId, agoMs);
  return invitation;
}

/** Waits until the mail server has refused the reminder for now. */
async function waitForRefusal(tokenId: number): Promise<void> {
  await vi.waitFor(async () => {
    const refused =
      "select 1 from invitations where token_id = $1 and kind = 'reminder' and error is not null";
    expect(await sql(refused, [tokenId])).toHaveLength(1);
  }, WAIT_OPTIONS);
}

const claim = (tokenId: number, claimCode: string, claimingAddress = newAddress()) =>
  fixture.service.call(`/v1/tokens/${tokenId}/claim`, { json: { claimingAddress, claimCode } });
const succeed = async (response: Promise<Response>) =>
  expect((await waitForOperation(await response)).status).toBe('success');

test('a reminder has a further link to the same entry, and whichever link is used first claims', async () => {
  for (const isFirst of [true, false]) {
    const tokenId = await createToken();
    const email = newEmail();
    await inviteBefore(tokenId, email);
    expect(await remind(tokenId)).toEqual({ queued: 1, skippedCounts: {}, skipped: [] });
    const mail = await waitForMail(email, 2);
    expect(mail.subject).toContain('still waits: Speaker 2026');
    expect(mail.text).toContain('You have not got it yet');
    expect(mail.text).toContain('You get at most three reminders');
    expect(mail.text).toContain('/unsubscribe?');
    const [code, further] = received(email).map(({ text }) => codeIn(text));
    expect(further).not.toBe(code);
    await succeed(claim(tokenId, (isFirst ? code : further) ?? ''));
    const late = await claim(tokenId, (isFirst ? further : code) ?? '');
    expect(((await late.json()) as Problem).name).toBe('ClaimCodeUsed');
    expect(await readRecipients(tokenId)).toMatchObject([
      { email, status: 'claimed', way: 'invitation', remindedAtTimestamp: expect.any(Number) },
    ]);
    expect(await list(tokenId)).toMatchObject([{ email, status: 'claimed' }]);
  }
});

test('the list and the history say when somebody was reminded, and by whom', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email);
  await remind(tokenId);
  await waitForMail(email, 2);
  const [person] = await vi.waitFor(async () => {
    const people = await readRecipients(tokenId);
    expect(people).toMatchObject([{ status: 'invited', remindedAtTimestamp: expect.any(Number) }]);
    return people;
  }, WAIT_OPTIONS);
  if (person === undefined) throw new Error('nobody was found');
  expect(
    (await readHistory(tokenId, person)).map(({ type, actor, detail }) => [type, actor, detail]),
  ).toEqual([
    ['sent', 'apiKey', null],
    ['added', null, 'invitation'],
    ['reminded', 'apiKey', 'claim'],
  ]);
});

test('no code of a mail that was sent is stored', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email);
  await remind(tokenId);
  const code = codeIn((await waitForMail(email, 2)).text);
  await vi.waitFor(async () => {
    expect(
      await sql('select 1 from invitations where token_id = $1 and code is not null', [tokenId]),
    ).toEqual([]);
  }, WAIT_OPTIONS);
  const rows = JSON.stringify(await dumpTables(fixture.service.databaseUrl));
  expect(rows).not.toContain(code);
  expect(rows).not.toContain(email);
  expect(createHash('sha256').update(code).digest('hex')).toHaveLength(64);
});

test('a person gets one in three days and three in all, and none in the first three days', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email, 3 * DAY_MS - HOUR_MS);
  const [{ recipientId } = { recipientId: '' }] = await readRecipients(tokenId);
  const recently = { queued: 0, skippedCounts: { remindedRecently: 1 } };
  expect(await remind(tokenId)).toMatchObject(recently);
  await letTimePass(tokenId, HOUR_MS);
  for (const count of [2, 3, 4]) {
    expect(await remind(tokenId)).toMatchObject({ queued: 1 });
    expect(await remind(tokenId, { kind: 'claim', recipientIds: [recipientId] })).toEqual({
      ...recently,
      skipped: [{ recipientId, reason: 'remindedRecently' }],
    });
    await waitForMail(email, count);
    await vi.waitFor(async () => {
      const waiting = await sql(
        'select 1 from invitations where token_id = $1 and next_attempt_at is not null',
        [tokenId],
      );
      expect(waiting).toEqual([]);
    }, WAIT_OPTIONS);
    await letTimePass(tokenId, 3 * DAY_MS);
  }
  expect(await remind(tokenId)).toMatchObject({ queued: 0, skippedCounts: { remindedThreeTimes: 1 } });
});

test('it says why somebody is not reminded', async () => {
  const wallet = newWallet();
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: [wallet.address, newAddress()],
  });
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const emails = Array.from({ length: 4 }, newEmail);
  const [claimed = '', unsubscribed = '', erased = '', ended = ''] = emails;
  await post(tokenId, { recipients: emails.map((email) => ({ email })), signature });
  await waitForStatus(tokenId, 'sent', 4);
  await letTimePass(tokenId, 4 * DAY_MS);
  await succeed(claim(tokenId, codeIn(received(claimed)[0]?.text)));
  const ids = new Map((await list(tokenId)).map(({ email, invitationId }) => [email, invitationId]));
  await sql(
    `insert into mail_unsubscriptions (email_hash, community_id)
     select mailbox_hash, 'demo' from invitations where invitation_id = $1`,
    [ids.get(unsubscribed)],
  );
  await sql('update recipients set email = null, email_hash = null where invitation_id = $1', [
    ids.get(erased),
  ]);
  await sql(
    `update claim_links set expires_at = now() where claim_link_id = (
       select claim_link_id from invitations where invitation_id = $1)`,
    [ids.get(ended)],
  );
  expect(await remind(tokenId)).toEqual({
    queued: 0,
    skippedCounts: { notSent: 2, claimed: 1, unsubscribed: 1, noEmail: 1, ended: 1 },
    skipped: [],
  });
  expect(await remind(tokenId, { kind: 'expiry' })).toMatchObject({ queued: 0, skippedCounts: { ended: 6 } });
});

test('a dry run says the same, and reminds nobody', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email);
  for (let time = 0; time < 2; time += 1)
    expect(await remind(tokenId, { kind: 'claim', isDryRun: true })).toMatchObject({ queued: 1 });
  expect(await sql("select 1 from invitations where token_id = $1 and kind = 'reminder'", [tokenId])).toEqual(
    [],
  );
  expect(await remind(tokenId)).toMatchObject({ queued: 1 });
});

test('an unknown recipient is refused with its pointer, and nobody is reminded', async () => {
  const tokenId = await createToken();
  await inviteBefore(tokenId);
  const [person] = await readRecipients(tokenId);
  const recipientIds = [person?.recipientId, randomUUID()];
  const response = await call(`/v1/tokens/${tokenId}/reminders`, { json: { kind: 'claim', recipientIds } });
  expect(response.status).toBe(400);
  expect((await response.json()) as Problem).toMatchObject({ errors: [{ pointer: '/recipientIds/1' }] });
  expect(await remind(tokenId)).toMatchObject({ queued: 1 });
});

test('a revocation of the invitation revokes the link of the reminder, and one of that link only itself', async () => {
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: [newAddress()],
  });
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  for (const isInvitation of [true, false]) {
    const email = newEmail();
    const response = await post(tokenId, { recipients: [{ email }], signature });
    const { items } = (await response.json()) as { items: [Invitation] };
    await waitForMail(email);
    await waitForStatus(tokenId, 'sent');
    await letTimePass(tokenId, 4 * DAY_MS);
    await remind(tokenId);
    await waitForMail(email, 2);
    const [code = '', further = ''] = received(email).map(({ text }) => codeIn(text));
    const links = (await (await call(`/v1/tokens/${tokenId}/claimLinks?status=unused`)).json()) as {
      data: ClaimLink[];
    };
    expect(links.data).toHaveLength(2);
    const path = isInvitation
      ? `invitations/${items[0].invitationId}`
      : `claimLinks/${links.data.at(-1)?.claimLinkId}`;
    expect((await call(`/v1/tokens/${tokenId}/${path}`, { method: 'DELETE' })).status).toBe(204);
    expect(((await (await claim(tokenId, further)).json()) as Problem).name).toBe('ClaimCodeInvalid');
    if (isInvitation)
      expect(((await (await claim(tokenId, code)).json()) as Problem).name).toBe('ClaimCodeInvalid');
    else await succeed(claim(tokenId, code));
  }
});

test('sending the invitation again makes the link of the reminder worth nothing', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const { invitationId } = await inviteBefore(tokenId, email);
  await remind(tokenId);
  const further = codeIn((await waitForMail(email, 2)).text);
  await sql("delete from requested_mails where kind = 'repeated'");
  expect((await call(`/v1/tokens/${tokenId}/invitations/${invitationId}/resend`, { json: {} })).status).toBe(
    202,
  );
  await waitForMail(email, 3);
  expect(((await (await claim(tokenId, further)).json()) as Problem).name).toBe('ClaimCodeInvalid');
  await succeed(claim(tokenId, codeIn(received(email)[2]?.text)));
});

test('a mail for a wallet on the list is reminded of with this wallet, and without a code', async () => {
  const wallet = newWallet();
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: [wallet.address],
  });
  const email = newEmail();
  await post(tokenId, { recipients: [{ email, address: wallet.address, language: 'es' }] });
  await waitForStatus(tokenId, 'sent');
  await letTimePass(tokenId, 4 * DAY_MS);
  expect(await remind(tokenId)).toMatchObject({ queued: 1 });
  const mail = await waitForMail(email, 2);
  expect(mail.subject).toContain('sigue esperándote');
  expect(mail.text).toContain(wallet.address.slice(0, 6));
  expect(mail.text).toContain('máximo tres recordatorios');
  expect(codeIn(mail.text)).toBe('');
});

test.each<[string, (tokenId: number, email: string, invitation: Invitation) => Promise<unknown>]>([
  ['has claimed', (tokenId, email) => succeed(claim(tokenId, codeIn(received(email)[0]?.text)))],
  [
    'was revoked',
    async (tokenId, _email, { invitationId }) =>
      call(`/v1/tokens/${tokenId}/invitations/${invitationId}`, { method: 'DELETE' }),
  ],
  [
    'has unsubscribed',
    async (_tokenId, _email, { invitationId }) =>
      sql(
        `insert into mail_unsubscriptions (email_hash, community_id)
         select mailbox_hash, 'demo' from invitations where invitation_id = $1`,
        [invitationId],
      ),
  ],
  [
    'is of an address that was erased',
    async (_tokenId, _email, { invitationId }) =>
      sql('update recipients set email = null, email_hash = null where invitation_id = $1', [invitationId]),
  ],
])('who %s while the reminder waits gets none, and its link is worth nothing', async (_title, change) => {
  const tokenId = await createToken();
  const email = newEmail();
  const invitation = await inviteBefore(tokenId, email);
  fixture.mailServer.refuse = (address) =>
    address === email ? { responseCode: 450, message: 'later' } : null;
  await remind(tokenId);
  await waitForRefusal(tokenId);
  await change(tokenId, email, invitation);
  fixture.mailServer.refuse = () => null;
  await sql(
    'update invitations set next_attempt_at = now() where token_id = $1 and next_attempt_at is not null',
    [tokenId],
  );
  await deliver();
  await vi.waitFor(async () => {
    expect(
      await sql('select 1 from invitations where token_id = $1 and next_attempt_at is not null', [tokenId]),
    ).toEqual([]);
  }, WAIT_OPTIONS);
  expect(received(email)).toHaveLength(1);
  const open = await sql(
    'select 1 from claim_links where token_id = $1 and further_of is not null and revoked_at is null and not is_used',
    [tokenId],
  );
  expect(open).toEqual([]);
});

test('a claim, a revocation, an unsubscription and reminders at once: nobody gets two, and nobody gets one after', async () => {
  const tokenId = await createToken({ totalClaimCount: 100 });
  const people = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const email = newEmail();
      const [invitation] = await invite(tokenId, [email]);
      return { email, invitationId: invitation?.invitationId ?? '' };
    }),
  );
  await waitForStatus(tokenId, 'sent', people.length);
  await letTimePass(tokenId, 4 * DAY_MS);
  await setSettings([3, 4], []);
  await letTimePass(tokenId, DAY_MS);
  const changes = people.map(async ({ email, invitationId }, index) => {
    const kind = index % 4;
    if (kind === 0) await claim(tokenId, codeIn(received(email)[0]?.text));
    if (kind === 1) await call(`/v1/tokens/${tokenId}/invitations/${invitationId}`, { method: 'DELETE' });
    if (kind === 2)
      await sql(
        `insert into mail_unsubscriptions (email_hash, community_id)
         select mailbox_hash, 'demo' from invitations where invitation_id = $1 on conflict do nothing`,
        [invitationId],
      );
  });
  await Promise.all([...changes, remind(tokenId), deliver(), remind(tokenId), deliver(), deliver()]);
  await vi.waitFor(async () => {
    await deliver();
    expect(
      await sql('select 1 from invitations where token_id = $1 and next_attempt_at is not null', [tokenId]),
    ).toEqual([]);
  }, WAIT_OPTIONS);
  for (const [index, { email }] of people.entries()) {
    const count = received(email).length;
    if (index % 4 === 3) expect(count).toBe(2);
    else expect(count).toBeLessThanOrEqual(2);
  }
});

test('a setting reminds so many days after the invitation, and says so in the history', async () => {
  await setSettings([4], []);
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email, 4 * DAY_MS - HOUR_MS);
  await deliver();
  expect(received(email)).toHaveLength(1);
  await letTimePass(tokenId, HOUR_MS);
  await deliver();
  await waitForMail(email, 2);
  const [person] = await vi.waitFor(async () => {
    const people = await readRecipients(tokenId);
    expect(people).toMatchObject([{ remindedAtTimestamp: expect.any(Number) }]);
    return people;
  }, WAIT_OPTIONS);
  expect((await readHistory(tokenId, person as Recipient)).at(-1)).toMatchObject({
    type: 'reminded',
    actor: 'service',
    detail: 'claim',
  });
});

test('a new setting reminds nobody of what was due before', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email, 40 * DAY_MS);
  await setSettings([3, 7, 30], []);
  await deliver();
  await letTimePass(tokenId, DAY_MS);
  await deliver();
  expect(received(email)).toHaveLength(1);
});

test('workers that were stopped for a week send nobody two', async () => {
  await setSettings([3, 5, 9], []);
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email, 2 * DAY_MS);
  await deliver();
  expect(received(email)).toHaveLength(1);
  // All three are due at once.
  await letTimePass(tokenId, 8 * DAY_MS);
  await Promise.all([deliver(), deliver()]);
  await waitForMail(email, 2);
  await letTimePass(tokenId, HOUR_MS);
  await deliver();
  expect(received(email)).toHaveLength(2);
  const queued = await sql("select 1 from invitations where token_id = $1 and kind = 'reminder'", [tokenId]);
  expect(queued).toHaveLength(1);
});

test.each([
  ['two hours fast', 2 * HOUR_MS],
  ['two hours slow', -2 * HOUR_MS],
])("the database's clock decides, although that of the process is %s", async (_title, offMs) => {
  await setSettings([4], []);
  const tokenId = await createToken();
  const email = newEmail();
  await inviteBefore(tokenId, email, 4 * DAY_MS - HOUR_MS);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
  await deliver();
  expect(received(email)).toHaveLength(1);
  await letTimePass(tokenId, HOUR_MS + 1_000);
  await deliver();
  await waitForMail(email, 2);
});

test('the turn of a community is due when its settings remind the next one', async () => {
  await setSettings([4], []);
  const tokenId = await createToken();
  await inviteBefore(tokenId, newEmail(), 4 * DAY_MS - 600_000);
  await deliver();
  const [turn] = await sql(
    `select next_attempt_at between now() + interval '8 minutes' and now() + interval '10 minutes' as is_right
     from mail_turns where community_id = 'demo'`,
  );
  expect(turn).toEqual({ is_right: true });
});

test('owners are told before the end of their badge, by hand and by a setting, unless they were renewed', async () => {
  const tokenId = await createToken({ validityDays: 40 });
  const [email, renewed] = [newEmail(), newEmail()];
  await inviteBefore(tokenId, email, 0);
  await inviteBefore(tokenId, renewed, 0);
  const owner = newAddress();
  const other = newAddress();
  await succeed(claim(tokenId, codeIn(received(email)[0]?.text), owner));
  await succeed(claim(tokenId, codeIn(received(renewed)[0]?.text), other));
  expect(await remind(tokenId, { kind: 'expiry' })).toMatchObject({ skippedCounts: { remindedRecently: 2 } });
  await setSettings([], [30]);
  await letTimePass(tokenId, 10 * DAY_MS - HOUR_MS);
  await deliver();
  expect(received(email)).toHaveLength(1);
  await sql(
    "update claims set renewed_until = now() + interval '400 days' where token_id = $1 and address = $2",
    [tokenId, Buffer.from(other.slice(2), 'hex')],
  );
  await letTimePass(tokenId, 2 * HOUR_MS);
  await deliver();
  const mail = await waitForMail(email, 2);
  expect(mail.subject).toContain('Your badge ends on');
  expect(mail.text).toContain(owner.slice(0, 6));
  expect(mail.text).toContain(`/token/${tokenId}?owner=${owner}`);
  expect(received(renewed)).toHaveLength(1);
  await vi.waitFor(async () => {
    expect((await readRecipients(tokenId))[0]).toMatchObject({ remindedAtTimestamp: expect.any(Number) });
  }, WAIT_OPTIONS);
  await letTimePass(tokenId, 4 * DAY_MS);
  expect(await remind(tokenId, { kind: 'expiry' })).toMatchObject({ queued: 2, skippedCounts: {} });
  await waitForMail(email, 3);
});

test('an address that a reminder of an end needs is kept until then', async () => {
  const tokenId = await createToken({ validityDays: 365 });
  const [email, unclaimed] = [newEmail(), newEmail()];
  await invite(tokenId, [email, unclaimed]);
  await waitForStatus(tokenId, 'sent', 2);
  await succeed(claim(tokenId, codeIn((await waitForMail(email)).text), newAddress()));
  const cleanUpAfter = async (days: number) => {
    await sql(`update invitations set erase_at = erase_at - make_interval(days => $2) where token_id = $1`, [
      tokenId,
      days,
    ]);
    await letTimePass(tokenId, days * DAY_MS);
    await cleanUpMails(fixture.service.context);
    return (await readRecipients(tokenId)).flatMap(({ email: kept }) => kept ?? []);
  };
  await setSettings([], [30]);
  expect(await cleanUpAfter(91)).toEqual([email]);
  expect(await cleanUpAfter(250)).toEqual([email]);
  expect(await cleanUpAfter(30)).toEqual([]);
});

test('a replacement moves reminders that wait', async () => {
  const [tokenId, replacementTokenId] = [await createToken(), await createToken()];
  const email = newEmail();
  await inviteBefore(tokenId, email);
  fixture.mailServer.refuse = (address) =>
    address === email ? { responseCode: 450, message: 'later' } : null;
  await remind(tokenId);
  await waitForRefusal(tokenId);
  await waitForOperation(await call(`/v1/tokens/${tokenId}/replace`, { json: { replacementTokenId } }));
  fixture.mailServer.refuse = () => null;
  await sql(
    'update invitations set next_attempt_at = now() where token_id = $1 and next_attempt_at is not null',
    [replacementTokenId],
  );
  await deliver();
  const mail = await waitForMail(email, 2);
  expect(mail.text).toContain(`/claim/${replacementTokenId}#`);
  await succeed(claim(replacementTokenId, codeIn(mail.text)));
});
