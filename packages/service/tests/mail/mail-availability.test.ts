import type { Environment } from '@badge/protocol';
import { expect, test } from 'vitest';
import { startMailServer } from '../../src/testing/mail-server.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

async function readMail(service: TestService): Promise<Environment['mail']> {
  return ((await (await service.call('/v1/environment')).json()) as Environment).mail;
}

test('with a mail server, mails are sent', async () => {
  const mailServer = await startMailServer();
  const service = await startTestService({
    BADGE_SMTP_URL: mailServer.url,
    BADGE_MAIL_FROM: 'badges@example.org',
  });
  try {
    expect(await readMail(service)).toBe('sent');
  } finally {
    await service.stop();
    await mailServer.stop();
  }
});

test('a sandbox without a mail server keeps the mails', async () => {
  const service = await startTestService({});
  try {
    expect(await readMail(service)).toBe('kept');
  } finally {
    await service.stop();
  }
});

test('a process without mails says so', async () => {
  const service = await startTestService({});
  try {
    service.context.mail = null;
    expect(await readMail(service)).toBe('unavailable');
  } finally {
    await service.stop();
  }
});
