import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Invitation, Mail, Operation } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { simpleParser } from 'mailparser';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startMailServer } from '../../src/testing/mail-server.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// On a busy machine, the first picture takes long, and its mail is tried again.
const WAIT_OPTIONS = { timeout: 60_000, interval: 50 };
const FROM = { BADGE_MAIL_FROM: 'badges@example.org' };

function stopAtEnd<Started extends { stop(): Promise<void> }>(started: Started): Started {
  onTestFinished(() => started.stop());
  return started;
}

async function createToken(service: TestService): Promise<number> {
  const response = await service.call('/v1/tokens', { key: service.apiKey, json: await signedToken() });
  const operation = await service.call(`${response.headers.get('location')}?wait=30`);
  return ((await operation.json()) as Operation).resourceId ?? 0;
}

async function invite(service: TestService, tokenId: number, count: number): Promise<Invitation[]> {
  const recipients = Array.from({ length: count }, () => ({ email: `${randomUUID()}@example.org` }));
  const json = { recipients };
  const response = await service.call(`/v1/tokens/${tokenId}/invitations`, { key: service.apiKey, json });
  expect(response.status).toBe(201);
  return ((await response.json()) as { items: Invitation[] }).items;
}

async function countByStatus(service: TestService, tokenId: number): Promise<Record<string, number>> {
  const path = `/v1/tokens/${tokenId}/invitations?limit=1000`;
  const response = await service.call(path, { key: service.apiKey });
  const counts: Record<string, number> = {};
  for (const { status } of ((await response.json()) as { data: Invitation[] }).data) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

test('a community sends no more than its share, and the next hour brings more', async () => {
  const mailServer = stopAtEnd(await startMailServer());
  const env = { ...FROM, BADGE_SMTP_URL: mailServer.url, BADGE_MAIL_LIMIT: '3/6' };
  const service = stopAtEnd(await startTestService(env));
  const tokenId = await createToken(service);
  await invite(service, tokenId, 7);
  await vi.waitFor(async () => {
    expect(await countByStatus(service, tokenId)).toEqual({ sent: 3, queued: 4 });
    const [queue] = await query<{ waits: boolean }>(
      service.databaseUrl,
      `select next_attempt_at - (date_trunc('hour', now()) + interval '1 hour') between interval '0' and interval '5 seconds'
         as waits from mail_turns`,
    );
    expect(queue).toEqual({ waits: true });
  }, WAIT_OPTIONS);
  // Another community has a share of its own.
  expect(mailServer.received).toHaveLength(3);

  // An hour later, two more are left of the day: four fifths of it are for invitations.
  await query(service.databaseUrl, "update mail_counts set hour = hour - interval '1 hour'");
  await query(service.databaseUrl, 'update mail_turns set next_attempt_at = now()');
  const other = await createToken(service);
  await invite(service, other, 1);
  await vi.waitFor(async () => {
    const [first, second] = [await countByStatus(service, tokenId), await countByStatus(service, other)];
    expect((first.sent ?? 0) + (second.sent ?? 0)).toBe(5);
    const turns = await query(service.databaseUrl, 'select from mail_turns where next_attempt_at > now()');
    expect(turns).toHaveLength(1);
  }, WAIT_OPTIONS);
  expect(mailServer.received).toHaveLength(5);
});

test('a server that is away, or refuses the password, leaves the mails queued', async () => {
  const mailServer = stopAtEnd(await startMailServer({ password: 'right-password' }));
  const url = mailServer.url.replace('right-password', 'wrong-password');
  const service = stopAtEnd(await startTestService({ ...FROM, BADGE_SMTP_URL: url }));
  const warnings = vi.spyOn(service.context.log, 'warn');
  const tokenId = await createToken(service);
  await invite(service, tokenId, 1);
  await vi.waitFor(async () => {
    const path = `/v1/tokens/${tokenId}/invitations`;
    const response = await service.call(path, { key: service.apiKey });
    expect(await response.json()).toMatchObject({
      data: [{ status: 'queued', error: expect.stringContaining('535 5.7.8 Authentication failed') }],
    });
  }, WAIT_OPTIONS);
  expect(warnings).toHaveBeenCalledWith(
    expect.objectContaining({ communityId: 'demo' }),
    'the mail server cannot be used: mails wait',
  );
  expect(JSON.stringify(warnings.mock.calls)).not.toContain('wrong-password');
  // A mail that was not sent does not count in the share.
  expect(await query(service.databaseUrl, 'select mails from mail_counts')).toEqual([{ mails: 0 }]);
});

test('a sandbox without a mail server keeps the mails as files, and shows them', async () => {
  const service = stopAtEnd(await startTestService({ BADGE_MAIL_LIMIT: '1/1' }));
  const tokenId = await createToken(service);
  const [invitation] = await invite(service, tokenId, 2);
  await vi.waitFor(
    async () => expect(await countByStatus(service, tokenId)).toEqual({ sent: 2 }),
    WAIT_OPTIONS,
  );
  const response = await service.call(`/v1/tokens/${tokenId}/invitations/${invitation?.invitationId}/mail`, {
    key: service.apiKey,
  });
  const mail = (await response.json()) as Mail;
  expect(mail.text).toMatch(new RegExp(`/claim/${tokenId}#[0-9A-Z]{26}`));
  const directory = join(service.dataDir, 'mails');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.eml'));
  expect(names).toHaveLength(2);
  const parsed = await Promise.all(
    names.map(async (name) => await simpleParser(await readFile(join(directory, name)))),
  );
  expect(parsed.map(({ to }) => [to].flat()[0]?.text)).toContain(invitation?.email);
  expect(parsed.map(({ text }) => text)).toContain(mail.text);
});

test('a mail that was sent before a crash is sent again with the same Message-ID', async () => {
  const mailServer = stopAtEnd(await startMailServer());
  const env = { ...FROM, BADGE_SMTP_URL: mailServer.url };
  const service = stopAtEnd(await startTestService(env));
  const tokenId = await createToken(service);
  // The process "crashes" between the answer of the mail server and its record: the record cannot be written.
  await query(
    service.databaseUrl,
    `create function fail_once() returns trigger language plpgsql as $$ begin
       if new.state = 'sent' then raise exception 'crashed'; end if; return new;
     end $$`,
  );
  await query(
    service.databaseUrl,
    'create trigger fail_once before update on invitations for each row execute function fail_once()',
  );
  await invite(service, tokenId, 1);
  await mailServer.waitForMails(1);
  await vi.waitFor(async () => {
    const [invitation] = await query<{ error: string }>(service.databaseUrl, 'select error from invitations');
    expect(invitation?.error).toContain('tried again');
  }, WAIT_OPTIONS);
  await query(service.databaseUrl, 'drop trigger fail_once on invitations');
  await query(
    service.databaseUrl,
    "update invitations set next_attempt_at = now() where state = 'queued' and next_attempt_at is not null",
  );
  await query(service.databaseUrl, 'update mail_turns set next_attempt_at = now()');
  const other = await createToken(service);
  await invite(service, other, 1);
  const mails = await vi.waitFor(() => {
    expect(mailServer.received).toHaveLength(3);
    return mailServer.received;
  }, WAIT_OPTIONS);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
});
