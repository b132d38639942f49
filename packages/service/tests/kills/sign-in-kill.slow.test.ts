import type { EmailChallenge } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ENV } from '../../src/testing/mail-limits-fixture.ts';
import { startMailServer } from '../../src/testing/mail-server.ts';
import { codeIn } from '../../src/testing/sign-in-fixture.ts';

const PEOPLE = 100;

test('kill -9 while 100 people wait for their codes loses none, and each signs in once', async () => {
  const mailServer = await startMailServer();
  onTestFinished(() => mailServer.stop());
  const databaseUrl = await createDatabase();
  const env = {
    ...ENV,
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: await makeDataDir(),
    BADGE_SMTP_URL: mailServer.url,
    BADGE_MAIL_LIMIT: 'off',
  };
  const api = await startTestBadge({ ...env, BADGE_ROLE: 'api' });
  const post = async (path: string, client: number, json: object) =>
    await fetch(api.url + path, {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.2.0.${client}` },
    });
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, index) => {
      const email = `person-${index}@example.org`;
      const response = await post('/v1/sessions/emailChallenge', index, { email });
      expect(response.status).toBe(202);
      return { email, challengeId: ((await response.json()) as EmailChallenge).challengeId };
    }),
  );

  const killed = await startTestBadge({ ...env, BADGE_ROLE: 'worker' });
  await mailServer.waitForMails(20);
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  expect(mailServer.received.length).toBeLessThan(PEOPLE);
  // The leases of the killed process end.
  await query(databaseUrl, 'update email_challenges set next_attempt_at = now() where link is not null');
  await query(databaseUrl, 'update mail_turns set next_attempt_at = now(), leased_until = null');
  await startTestBadge({ ...env, BADGE_ROLE: 'worker' });
  await vi.waitFor(async () => {
    expect(await query(databaseUrl, 'select from email_challenges where link is not null')).toEqual([]);
  }, WAIT_OPTIONS);

  const statuses = await Promise.all(
    people.map(async ({ email, challengeId }, index) => {
      const mails = mailServer.received.filter(({ recipient }) => recipient === email);
      expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
      expect(new Set(mails.map(codeIn)).size).toBe(1);
      const json = { challengeId, code: codeIn(mails[0]) };
      const twice = await Promise.all([1, 2].map(() => post('/v1/sessions', index, json)));
      return twice.map(({ status }) => status).sort();
    }),
  );
  expect(statuses).toEqual(Array(PEOPLE).fill([201, 403]));
});
