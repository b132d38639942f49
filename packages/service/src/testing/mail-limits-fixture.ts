import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll } from 'vitest';
import { type MailServer, startMailServer } from './mail-server.ts';
import { startTestService, type TestService } from './services.ts';

export const ENV = {
  PUBLIC_URL: 'https://badges.example.org',
  BADGE_MAIL_FROM: 'badges@example.org',
  BADGE_TRUST_PROXY: 'loopback',
};
export const WAIT_OPTIONS = { timeout: 60_000, interval: 50 };
export const creator = newWallet();

export const json = async <T>(response: Response | Promise<Response>): Promise<T> =>
  (await (await response).json()) as T;
export const newName = () => randomUUID().replaceAll('-', '');

/** Starts a mail server, a service, and one that sends no mails before the tests, and stops them after. */
export function mailLimitsFixture() {
  let mailServer: MailServer;
  let service: TestService;
  let api: TestService;

  beforeAll(async () => {
    mailServer = await startMailServer();
    const env = { ...ENV, BADGE_SMTP_URL: mailServer.url };
    service = await startTestService({ ...env, BADGE_MAIL_LIMIT: 'off' });
    // Tokens are created by the worker of `service`.
    const { databaseUrl: DATABASE_URL } = service;
    const BADGE_ENCRYPTION_KEY_FILE = join(service.dataDir, 'encryption-key');
    const shared = { DATABASE_URL, BADGE_ENCRYPTION_KEY_FILE };
    api = await startTestService({ ...env, ...shared, BADGE_ROLE: 'api', BADGE_MAIL_LIMIT: '10/20' });
  });
  afterAll(async () => {
    await api.stop();
    await service.stop();
    await mailServer.stop();
  });

  return {
    get mailServer() {
      return mailServer;
    },
    get service() {
      return service;
    },
    get api() {
      return api;
    },
  };
}
