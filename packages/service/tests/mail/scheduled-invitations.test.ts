import { randomUUID } from 'node:crypto';
import type { Invitation, Operation, Problem, Recipient } from '@badge/protocol';
import { newWallet, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterEach, expect, test, vi } from 'vitest';
import { createMailDeliverer } from '../../src/domain/invitations/deliver-mails.ts';
import { requireMail } from '../../src/domain/mail-service.ts';
import {
  creator,
  invitationsFixture,
  newEmail,
  WAIT_OPTIONS,
} from '../../src/testing/invitations-fixture.ts';
import { startOtherProcess } from '../../src/testing/services.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const fixture = invitationsFixture();
const { createToken, post, invite, list, waitForStatus, waitForMail, waitForOperation } = fixture;
afterEach(() => vi.useRealTimers());

const later = () => Date.now() + HOUR_MS;

async function schedule(tokenId: number, email = newEmail(), sendAtTimestamp = later()): Promise<Invitation> {
  const [invitation] = await invite(tokenId, [email], { sendAtTimestamp });
  if (invitation === undefined) throw new Error('no invitation was created');
  return invitation;
}

const pathOf = (tokenId: number, { invitationId }: Invitation) =>
  `/v1/tokens/${tokenId}/invitations/${invitationId}`;

const move = (tokenId: number, invitation: Invitation, sendAtTimestamp: number | null) =>
  fixture.service.call(pathOf(tokenId, invitation), {
    method: 'PATCH',
    key: fixture.service.apiKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ sendAtTimestamp }),
  });

const readRecipients = async (tokenId: number, search = '') => {
  const { call, apiKey } = fixture.service;
  const response = await call(`/v1/tokens/${tokenId}/recipients${search}`, { key: apiKey });
  return ((await response.json()) as { data: Recipient[] }).data;
};

/** Lets the time of a scheduled invitation come: `ago` milliseconds ago. */
async function letTimeCome({ invitationId }: Invitation, agoMs = 0): Promise<void> {
  await query(
    fixture.service.databaseUrl,
    `update invitations set send_at = now() - $2 * interval '1 ms', next_attempt_at = now() - $2 * interval '1 ms'
     where invitation_id = $1 and next_attempt_at is not null`,
    [invitationId, agoMs],
  );
  await query(fixture.service.databaseUrl, 'update mail_turns set next_attempt_at = now()');
}

/** Serves turns of the community until one finds nothing, as a worker does. */
async function deliver(): Promise<void> {
  await createMailDeliverer(requireMail(fixture.service.context))('demo');
}

const received = (email: string) =>
  fixture.mailServer.received.filter(({ recipient }) => recipient === email);

test('a scheduled invitation waits for its time, and the lists say so', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const sendAtTimestamp = later();
  const invitation = await schedule(tokenId, email, sendAtTimestamp);
  expect(invitation).toMatchObject({ status: 'scheduled', sendAtTimestamp, sentAtTimestamp: null });
  await deliver();
  expect(received(email)).toEqual([]);
  expect(await waitForStatus(tokenId, 'scheduled')).toMatchObject([{ email, sendAtTimestamp }]);
  expect(await readRecipients(tokenId, '?status=scheduled')).toMatchObject([
    { email, status: 'scheduled', sendAtTimestamp },
  ]);
  expect(await readRecipients(tokenId, '?status=queued')).toEqual([]);
  await letTimeCome(invitation);
  await waitForMail(email);
  const [sent] = await waitForStatus(tokenId, 'sent');
  expect(sent?.sentAtTimestamp).toBeGreaterThanOrEqual(sent?.sendAtTimestamp ?? Number.POSITIVE_INFINITY);
  expect(await readRecipients(tokenId)).toMatchObject([{ status: 'invited' }]);
});

test('the turn of the community is due at the time of its next mail', async () => {
  const tokenId = await createToken();
  const invitation = await schedule(tokenId);
  await deliver();
  const [turn] = await query<{ is_in_time: boolean }>(
    fixture.service.databaseUrl,
    `select t.next_attempt_at <= i.send_at and t.next_attempt_at > now() as is_in_time
     from mail_turns t join invitations i using (community_id) where i.invitation_id = $1`,
    [invitation.invitationId],
  );
  expect(turn).toEqual({ is_in_time: true });
});

test('the time can be moved while it is scheduled, also to now, and not later', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const invitation = await schedule(tokenId, email);
  const sendAtTimestamp = Date.now() + 2 * HOUR_MS;
  const moved = await move(tokenId, invitation, sendAtTimestamp);
  expect(moved.status).toBe(200);
  expect(await moved.json()).toMatchObject({ status: 'scheduled', sendAtTimestamp });
  expect(await (await move(tokenId, invitation, null)).json()).toMatchObject({ sendAtTimestamp: null });
  await waitForMail(email);
  await waitForStatus(tokenId, 'sent');
  const tooLate = await move(tokenId, invitation, later());
  expect(tooLate.status).toBe(409);
  expect(await tooLate.json()).toMatchObject({ name: 'InvitationNotScheduled' });
  const unknown = { ...invitation, invitationId: randomUUID() };
  expect((await move(tokenId, unknown, null)).status).toBe(404);
});

test('a revocation takes it back, with its link, and cancelMails too', async () => {
  const tokenId = await createToken();
  const [one, other] = [await schedule(tokenId), await schedule(tokenId)];
  const { call, apiKey } = fixture.service;
  expect((await call(pathOf(tokenId, one), { method: 'DELETE', key: apiKey })).status).toBe(204);
  expect((await move(tokenId, one, later())).status).toBe(409);
  const cancelled = await call('/v1/communities/demo/cancelMails', { key: apiKey, json: { tokenId } });
  expect(await cancelled.json()).toEqual({ cancelledCount: 1 });
  await letTimeCome(one);
  await letTimeCome(other);
  expect(await list(tokenId)).toMatchObject([{ status: 'revoked' }, { status: 'revoked' }]);
  expect(await readRecipients(tokenId)).toEqual([]);
});

test('sending it again sends it at once', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const invitation = await schedule(tokenId, email);
  const { call, apiKey } = fixture.service;
  const response = await call(`${pathOf(tokenId, invitation)}/resend`, { key: apiKey, json: {} });
  expect(await response.json()).toMatchObject({ status: 'queued', sendAtTimestamp: null });
  await waitForMail(email);
});

test.each<[string, object, string[]]>([
  ['91 days ahead', { sendAtTimestamp: Date.now() + 91 * DAY_MS }, ['/sendAtTimestamp']],
  ['in seconds', { sendAtTimestamp: 1_800_000_000 }, ['/sendAtTimestamp']],
  ['a text', { sendAtTimestamp: 'soon' }, ['/sendAtTimestamp']],
  [
    'after the end of the link',
    { sendAtTimestamp: later() + 1, expiresAtTimestamp: later() },
    ['/sendAtTimestamp'],
  ],
])('a time that is %s is refused', async (_title, fields, pointers) => {
  const response = await post(await createToken(), { recipients: [{ email: newEmail() }], ...fields });
  expect(response.status).toBe(400);
  expect(
    ((await response.json()) as Problem).errors?.map((error) => 'pointer' in error && error.pointer),
  ).toEqual(pointers);
});

test('it cannot be moved to a time after the end of its link', async () => {
  const tokenId = await createToken();
  const fields = { sendAtTimestamp: later(), expiresAtTimestamp: Date.now() + DAY_MS };
  const [invitation] = await invite(tokenId, [newEmail()], fields);
  if (invitation === undefined) throw new Error('no invitation was created');
  expect((await move(tokenId, invitation, Date.now() + 2 * DAY_MS)).status).toBe(400);
});

test.each([
  ['two hours fast', 2 * HOUR_MS],
  ['two hours slow', -2 * HOUR_MS],
])("the database's clock decides, although that of the process is %s", async (_title, offMs) => {
  const tokenId = await createToken();
  const [email, dueEmail] = [newEmail(), newEmail()];
  const invitation = await schedule(tokenId, email);
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now + offMs });
  await invite(tokenId, [dueEmail], { sendAtTimestamp: now - HOUR_MS });
  await waitForMail(dueEmail);
  expect(received(email)).toEqual([]);
  expect((await move(tokenId, invitation, now + HOUR_MS)).status).toBe(200);
});

test('workers that were stopped for a week send it once', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  const other = await startOtherProcess(fixture.service, {
    BADGE_SMTP_URL: fixture.mailServer.url,
    BADGE_MAIL_FROM: 'Badges <badges@example.org>',
    BADGE_MAIL_LIMIT: 'off',
    BADGE_DATA_DIR: fixture.service.dataDir,
  });
  await letTimeCome(await schedule(tokenId, email), 7 * DAY_MS);
  await Promise.all([deliver(), deliver()]);
  await waitForStatus(tokenId, 'sent');
  await other.stop();
  expect(received(email)).toHaveLength(1);
});

test('moves, revocations and the time itself at once: it is sent or revoked, and sent at most once', async () => {
  const tokenId = await createToken();
  const { call, apiKey } = fixture.service;
  const people = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const email = newEmail();
      return { email, invitation: await schedule(tokenId, email) };
    }),
  );
  const moves = await Promise.all(
    people.map(async ({ invitation }, index) => {
      const [status] = await Promise.all([
        index % 2 === 0
          ? move(tokenId, invitation, null).then((response) => response.status)
          : call(pathOf(tokenId, invitation), { method: 'DELETE', key: apiKey }).then(({ status }) => status),
        letTimeCome(invitation),
        deliver(),
      ]);
      return status;
    }),
  );
  expect(moves.every((status) => [200, 204, 409].includes(status))).toBe(true);
  await vi.waitFor(async () => {
    const ended = await list(tokenId);
    expect(ended.every(({ status }) => status === 'sent' || status === 'revoked')).toBe(true);
  }, WAIT_OPTIONS);
  for (const { email } of people) expect(received(email).length).toBeLessThanOrEqual(1);
  const sent = (await list(tokenId)).filter(({ status }) => status === 'sent');
  for (const { email } of sent) expect(received(email ?? '')).toHaveLength(1);
});

test('a replacement of the token keeps its time', async () => {
  const [tokenId, replacementTokenId] = [await createToken(), await createToken()];
  const email = newEmail();
  const sendAtTimestamp = later();
  const invitation = await schedule(tokenId, email, sendAtTimestamp);
  const { call, apiKey } = fixture.service;
  const json = { replacementTokenId };
  await waitForOperation(await call(`/v1/tokens/${tokenId}/replace`, { key: apiKey, json }));
  expect(await list(replacementTokenId)).toMatchObject([{ status: 'scheduled', sendAtTimestamp }]);
  expect((await move(replacementTokenId, invitation, later())).status).toBe(200);
  await letTimeCome(invitation);
  expect((await waitForMail(email)).text).toContain(`/claim/${replacementTokenId}#`);
});

test('who has claimed or unsubscribed before its time gets no mail', async () => {
  const wallet = newWallet();
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: [wallet.address],
  });
  const [claimed, unsubscribed] = [newEmail(), newEmail()];
  const recipients = [{ email: claimed, address: wallet.address }, { email: unsubscribed }];
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const sendAtTimestamp = later();
  const response = await post(tokenId, { recipients, signature, sendAtTimestamp });
  const { items } = (await response.json()) as { items: Invitation[] };
  const { call, apiKey, databaseUrl } = fixture.service;
  const claim = await call(`/v1/tokens/${tokenId}/claim`, {
    key: apiKey,
    json: { claimingAddress: wallet.address },
  });
  expect(((await waitForOperation(claim)) satisfies Operation).status).toBe('success');
  await query(
    databaseUrl,
    `insert into mail_unsubscriptions (email_hash, community_id)
     select mailbox_hash, 'demo' from invitations where invitation_id = $1`,
    [items[1]?.invitationId],
  );
  for (const invitation of items) await letTimeCome(invitation);
  await deliver();
  const last = newEmail();
  await invite(await createToken(), [last]);
  await waitForMail(last);
  expect([...received(claimed), ...received(unsubscribed)]).toEqual([]);
  expect((await list(tokenId)).map(({ status }) => status)).toEqual(['claimed', 'unsubscribed']);
});
